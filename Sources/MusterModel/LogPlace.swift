/// Where a frame stands among those that a store holds, in eight bytes: rows remember it of every
/// value, to tell what its author had written before.
public struct LogPlace: Hashable, Sendable {
  /// The store's own number for the log, 1 to 2^31 − 2: another store has another.
  public let log: UInt32
  /// Counts the log's frames from its opening, which is 0.
  public let sequence: UInt32

  /// The caller numbers logs so that no two have one number.
  public init(log: UInt32, sequence: UInt32) {
    precondition(log <= Self.lastLog, "log \(log) of a store")
    self.log = log
    self.sequence = sequence
  }

  /// The greatest number of a log.
  public static let lastLog: UInt32 = 0x7FFF_FFFF
}
