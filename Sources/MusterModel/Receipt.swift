/// What a command device says that it holds of one log, so that everybody can see what has reached
/// command. Only its newest word counts: after a backup was restored, a lower one takes the mark
/// back.
public struct Receipt: Hashable, Sendable {
  /// Any log but those of the control lane.
  public var log: LogID
  /// The newest frame that it holds; nil when it holds none any more.
  public var head: Head?

  /// The device MUST hold what the head names, and all before it.
  public init(log: LogID, head: Head?) {
    precondition(head.map { $0.log == log } ?? true, "a head of another log than \(log)")
    self.log = log
    self.head = head
  }
}
