/// The neighbour record of a device: its one-hop neighbourhood (RFC 6130) at one moment.
public struct NeighbourRecord: Hashable, Sendable {
  /// By the publishing device's clock: a label.
  public var sentAt: Timestamp
  /// At most `Limits.neighbours`, by device, each once.
  public var neighbours: [Neighbour]

  /// Sorts the neighbours. The caller MUST name each device once, and at most the limit.
  public init(sentAt: Timestamp, neighbours: [Neighbour]) {
    precondition(neighbours.count <= Limits.neighbours, "\(neighbours.count) neighbours")
    self.sentAt = sentAt
    self.neighbours = neighbours.sorted { $0.device < $1.device }
  }
}

/// A device that another device receives from.
public struct Neighbour: Hashable, Sendable {
  /// The prefix of its id.
  public var device: DevicePrefix
  /// The path by which its data arrives.
  public var path: NeighbourPath
  /// How long it had been a neighbour at that moment, at most `mostMinutes`.
  public var minutes: UInt16

  /// The maximum of `minutes`, eleven days: the width of the field. Longer times are clamped.
  public static let mostMinutes: UInt16 = 1 << 14 - 1

  /// Creates a neighbour. Clamps `minutes` to `mostMinutes`.
  public init(device: DevicePrefix, path: NeighbourPath, minutes: UInt16) {
    self.device = device
    self.path = path
    self.minutes = min(minutes, Self.mostMinutes)
  }
}

/// The path by which a neighbour's data arrives. Numbers are on the wire, append-only, 1 to 3.
public enum NeighbourPath: UInt8, Codable, Sendable, Hashable, NamedCase {
  /// Its announces arrive by multicast, with or without a session.
  case multicast = 1
  /// Only a session over UDP.
  case unicast = 2
  /// A session over HTTPS.
  case uplink = 3
}

/// The first six bytes of a device's id: too many for an attacker to draw a key with a matching
/// prefix.
public struct DevicePrefix: Hashable, Comparable, Sendable {
  /// The six bytes as one number, below 2^48.
  public let raw: UInt64

  /// Takes the prefix of an id.
  public init(_ device: DeviceID) { raw = device.raw.high >> 16 }

  /// Returns nil for a number that exceeds six bytes.
  public init?(raw: UInt64) {
    guard raw < 1 << 48 else { return nil }
    self.raw = raw
  }

  /// The order of ids.
  public static func < (left: DevicePrefix, right: DevicePrefix) -> Bool { left.raw < right.raw }
}
