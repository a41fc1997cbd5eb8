/// Who hears whom, as far as it is known here.
public struct MeshSummary: Codable, Hashable, Sendable {
  /// By who hears, then by who is heard; of two devices at most one each way.
  public var links: [MeshLink]

  /// In the order given.
  public init(links: [MeshLink]) { self.links = links }
}

/// That one device hears another.
public struct MeshLink: Codable, Hashable, Sendable {
  /// Who hears.
  public var from: DeviceID
  /// Of its user; the first digits of its id while its certificate is not known here.
  public var fromCallsign: String
  /// Who is heard.
  public var to: DeviceID
  /// Likewise.
  public var toCallsign: String
  /// By which way.
  public var path: NeighbourPath
  /// Since when without a gap of minutes, by the clock of who hears, to the minute.
  public var since: Timestamp
  /// When who hears said so, by its own clock; of this device's own neighbours: now.
  public var toldAt: Timestamp
  /// Whether the other one hears this one too.
  public var isMutual: Bool
  /// Whether who hears is within reach of this device, over others that are, or something new of it
  /// came just now: it would have told what has changed. Else it is what was told last.
  public var isCurrent: Bool
  /// Frames held here that who is heard is not known to hold; nil but of own neighbours.
  public var behindFrames: UInt64?

  /// Nothing is checked here.
  public init(
    from: DeviceID, fromCallsign: String, to: DeviceID, toCallsign: String, path: NeighbourPath,
    since: Timestamp, toldAt: Timestamp, isMutual: Bool, isCurrent: Bool,
    behindFrames: UInt64?
  ) {
    self.from = from
    self.fromCallsign = fromCallsign
    self.to = to
    self.toCallsign = toCallsign
    self.path = path
    self.since = since
    self.toldAt = toldAt
    self.isMutual = isMutual
    self.isCurrent = isCurrent
    self.behindFrames = behindFrames
  }
}
