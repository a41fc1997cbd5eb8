import MusterModel

/// The replica's next deadline by the node's clock, and the time of the world at which the node
/// looks at it next.
///
/// Each scheduled alarm is one event of the world. Only the event of the current alarm fires.
struct DeadlineTimer {
  /// The replica's next deadline after its last input.
  var deadline: Instant?
  /// Nil if none is scheduled.
  private var alarm: Instant?

  /// The minimum interval between two deadline passes.
  private static let leastMicroseconds: Int64 = 1000

  /// Schedules an alarm for the deadline, unless an earlier one is scheduled. Returns its time.
  mutating func schedule(after now: Instant, by clock: NodeClock) -> Instant? {
    guard let deadline else { return nil }
    let soon = Instant(microseconds: now.microseconds + Self.leastMicroseconds)
    let due = max(soon, clock.time(of: deadline))
    if let alarm, alarm <= due { return nil }
    alarm = due
    return due
  }

  /// Ends the alarm of this moment. Returns false if another one replaced it.
  mutating func fire(at now: Instant) -> Bool {
    guard alarm == now else { return false }
    alarm = nil
    return true
  }

  /// Cancels the alarm.
  mutating func cancel() { alarm = nil }

  /// Returns whether the deadline has come by the node's clock.
  func isDue(at now: Instant, by clock: NodeClock) -> Bool {
    deadline.map { $0 <= clock.reading(at: now).instant } ?? false
  }
}
