import MusterModel

/// When a node's program reviews its alerts next, by the time of the world: soon after a change,
/// when a status changes by time alone, and periodically, as `ChangeNotifier` of the real node
/// does.
///
/// Each scheduled review is one event of the world. Only the event of the current one fires.
struct ReviewTimer {
  private var due: Instant?
  private var restEnds = Instant(microseconds: 0)

  /// From a change to the review.
  static let soonMilliseconds: Int64 = 200
  /// The minimum interval between two reviews.
  static let restMilliseconds: Int64 = 1000
  private static let idleMilliseconds: Int64 = 10_000

  /// Requests a review. Returns its time; nil if an earlier one is scheduled.
  mutating func request(at time: Instant) -> Instant? {
    let time = max(time, restEnds)
    if let due, due <= time { return nil }
    due = time
    return time
  }

  /// Begins the review of this moment. Returns false if another one replaced it.
  mutating func fire(at now: Instant) -> Bool {
    guard due == now else { return false }
    due = nil
    restEnds = now.advanced(byMilliseconds: Self.restMilliseconds)
    return true
  }

  /// Requests the review after one that has ended.
  ///
  /// - Parameter change: when time alone may change a status next; nil for unknown.
  mutating func rest(from now: Instant, until change: Instant?) -> Instant? {
    let idle = now.advanced(byMilliseconds: Self.idleMilliseconds)
    return request(at: change.map { min($0, idle) } ?? idle)
  }

  /// Cancels the scheduled review: the machine was off or asleep, and the next one is due at once.
  mutating func cancel() { self = ReviewTimer() }
}
