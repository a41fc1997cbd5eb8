/// A command device's statement of what it holds of one log, so that every node can show what has
/// reached command. Only the newest statement counts: after a backup is restored, a lower one
/// withdraws the receipt.
public struct Receipt: Hashable, Sendable {
  /// Any log except those of the control lane.
  public var log: LogID
  /// The newest frame that it holds; nil if it no longer holds any.
  public var head: Head?

  /// Creates a receipt. The device MUST hold the head's frame and all frames before it.
  public init(log: LogID, head: Head?) {
    precondition(head.map { $0.log == log } ?? true, "a head of another log than \(log)")
    self.log = log
    self.head = head
  }
}
