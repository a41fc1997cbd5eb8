/// The network interface of this machine by which a datagram arrives or leaves. Each interface is
/// paced separately. The id has no meaning on another machine or after a restart.
public struct LinkID: Codable, Hashable, Comparable, Sendable {
  /// The operating system's interface index; 0 if unknown.
  public let index: UInt32

  /// Wraps an index from the operating system.
  public init(index: UInt32) { self.index = index }

  /// Unknown: datagrams sent with it count against every link.
  public static let unknown = LinkID(index: 0)

  /// Over HTTPS to a command post: TCP controls the rate, so no radio rate limit applies.
  public static let uplink = LinkID(index: .max)

  /// Orders by index, so that no decision depends on the order of a hash table.
  public static func < (left: LinkID, right: LinkID) -> Bool { left.index < right.index }
}

/// The rate limit of one link, including IP and UDP headers.
public struct LinkRate: Hashable, Sendable {
  /// Within `range`.
  public let bytesPerSecond: Int

  /// Below the minimum, one datagram would take over ten seconds; the maximum is ten gigabits.
  public static let range = 120...1_250_000_000

  /// Returns nil outside `range`.
  public init?(bytesPerSecond: Int) {
    guard Self.range.contains(bytesPerSecond) else { return nil }
    self.bytesPerSecond = bytesPerSecond
  }
}
