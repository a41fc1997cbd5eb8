/// A number of actions that may follow each other at once, and the interval of further ones (token
/// bucket). What was used of it is one moment: each action moves it by an interval.
struct Budget: Sendable {
  let burst: Int
  let interval: Duration

  /// Returns how long the next action must wait; nil if it may happen now.
  ///
  /// - Parameter used: nil before the first action.
  func pause(_ used: ContinuousClock.Instant?, now: ContinuousClock.Instant) -> Duration? {
    guard let used else { return nil }
    let wait = used + interval - (now + interval * burst)
    return wait > .zero ? wait : nil
  }

  /// Counts an action.
  func add(to used: inout ContinuousClock.Instant?, now: ContinuousClock.Instant) {
    used = max(used ?? now, now) + interval
  }
}
