/// Whom a device says that it hears: its one-hop neighbourhood (RFC 6130), as of a moment.
public struct Neighbourhood: Hashable, Sendable {
  /// By the teller's own clock: a label.
  public var toldAt: Timestamp
  /// At most `Limits.neighbours`, by device, each once.
  public var neighbours: [Neighbour]

  /// Puts the neighbours into order; the caller MUST name each device once, and no more than may
  /// be told.
  public init(toldAt: Timestamp, neighbours: [Neighbour]) {
    precondition(neighbours.count <= Limits.neighbours, "\(neighbours.count) neighbours")
    self.toldAt = toldAt
    self.neighbours = neighbours.sorted { $0.device < $1.device }
  }
}

/// A device that another one hears.
public struct Neighbour: Hashable, Sendable {
  /// The beginning of its id.
  public var device: DevicePrefix
  /// By which its words come.
  public var path: NeighbourPath
  /// How long it had been heard when that was told, at most `mostMinutes`.
  public var minutes: UInt16

  /// What is longer is told as this, eleven days: a record has room for no more.
  public static let mostMinutes: UInt16 = 1 << 14 - 1

  /// More minutes than may be told count as the most.
  public init(device: DevicePrefix, path: NeighbourPath, minutes: UInt16) {
    self.device = device
    self.path = path
    self.minutes = min(minutes, Self.mostMinutes)
  }
}

/// By which way a neighbour's words come. Numbers are on the wire and append-only, 1 to 3.
public enum NeighbourPath: UInt8, Codable, Sendable, Hashable, CaseIterable {
  /// Its announces are heard by multicast, besides a session or without.
  case multicast = 1
  /// A session over UDP alone.
  case unicast = 2
  /// A session over HTTPS.
  case uplink = 3

  /// What people and JSON call it.
  public var name: String { String(describing: self) }
}

/// The first six bytes of a device's id: too many for one key that somebody draws to be taken for
/// another's.
public struct DevicePrefix: Hashable, Comparable, Sendable {
  /// The six bytes as one number, below 2^48.
  public let raw: UInt64

  /// The beginning of an id.
  public init(_ device: DeviceID) { raw = device.raw.high >> 16 }

  /// Nil for a number that is none of six bytes.
  public init?(raw: UInt64) {
    guard raw < 1 << 48 else { return nil }
    self.raw = raw
  }

  /// The order of the ids.
  public static func < (left: DevicePrefix, right: DevicePrefix) -> Bool { left.raw < right.raw }
}
