/// The mesh topology as known to this node.
public struct MeshSummary: Codable, Hashable, Sendable {
  /// The links, sorted by receiver, then sender; at most one per direction between two devices.
  public var links: [MeshLink]

  /// Creates a summary with the links in the given order.
  public init(links: [MeshLink]) { self.links = links }
}

/// States that one device receives from another.
public struct MeshLink: Codable, Hashable, Sendable {
  /// The receiver, which reported the link.
  public var from: DeviceID
  /// The user's callsign; the first digits of the device's id while its certificate is unknown.
  public var fromCallsign: String
  /// The sender.
  public var to: DeviceID
  /// The sender's callsign, like `fromCallsign`.
  public var toCallsign: String
  /// The kind of path.
  public var path: NeighbourPath
  /// Since when without a gap of minutes, by the receiver's clock, to the minute.
  public var since: Timestamp
  /// When the receiver reported the link, by its own clock; for this device's own links: now.
  public var reportedAt: Timestamp
  /// Whether there is a link in the other direction too.
  public var isMutual: Bool
  /// Whether the receiver is reachable over current links, or new data of it has just arrived: it
  /// would have reported changes. Otherwise the link is its last known state.
  public var isCurrent: Bool
  /// Held frames that the sender is not known to hold; only for this device's own neighbours.
  public var behindFrames: UInt64?

  /// Creates a link. Nothing is validated here.
  public init(
    from: DeviceID, fromCallsign: String, to: DeviceID, toCallsign: String, path: NeighbourPath,
    since: Timestamp, reportedAt: Timestamp, isMutual: Bool, isCurrent: Bool,
    behindFrames: UInt64?
  ) {
    self.from = from
    self.fromCallsign = fromCallsign
    self.to = to
    self.toCallsign = toCallsign
    self.path = path
    self.since = since
    self.reportedAt = reportedAt
    self.isMutual = isMutual
    self.isCurrent = isCurrent
    self.behindFrames = behindFrames
  }
}
