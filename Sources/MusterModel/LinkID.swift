/// Which of this machine's network interfaces a datagram came in by, or leaves by: each is paced
/// alone. It means nothing on another machine or after a restart.
public struct LinkID: Codable, Hashable, Comparable, Sendable {
  /// The operating system's interface index; 0 where the shell cannot tell.
  public let index: UInt32

  /// Takes an index as the operating system gives it.
  public init(index: UInt32) { self.index = index }

  /// Not known: what leaves by it counts against every link.
  public static let unknown = LinkID(index: 0)

  /// Over HTTPS to a command post: TCP paces it, so no rate of this machine's radios applies.
  public static let uplink = LinkID(index: .max)

  /// By index: a fixed order, so that no decision depends on a hash table's.
  public static func < (left: LinkID, right: LinkID) -> Bool { left.index < right.index }
}

/// How much may leave by one link, its IP and UDP headers counted.
public struct LinkRate: Hashable, Sendable {
  /// Within `range`.
  public let bytesPerSecond: Int

  /// Below the least, one datagram would take over ten seconds; the most is ten times a gigabit.
  public static let range = 120...1_250_000_000

  /// Nil outside `range`.
  public init?(bytesPerSecond: Int) {
    guard Self.range.contains(bytesPerSecond) else { return nil }
    self.bytesPerSecond = bytesPerSecond
  }
}
