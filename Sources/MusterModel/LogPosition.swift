/// The position of a frame in a store, in eight bytes. Rows keep it for every value, to determine
/// what its author had written before.
public struct LogPosition: Hashable, Sendable {
  /// The store's own number for the log, 1 to 2^31 − 2; another store uses another number.
  public let log: UInt32
  /// The frame's sequence in its log; the opening is 0.
  public let sequence: UInt32

  /// Creates a place. The caller MUST give each log a unique number.
  public init(log: UInt32, sequence: UInt32) {
    precondition(log <= Self.lastLog, "log \(log) of a store")
    self.log = log
    self.sequence = sequence
  }

  /// The greatest log number.
  public static let lastLog: UInt32 = 0x7FFF_FFFF
}
