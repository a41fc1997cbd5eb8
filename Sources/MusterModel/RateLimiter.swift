/// A token bucket whose unit is one millisecond of elapsed time. Pure: it reads no clock.
package struct RateLimiter: Hashable, Sendable {
  private let most: Int64
  private var saved: Int64
  private var at: Instant

  /// Creates a full bucket. An action that costs 100 ms is admitted ten times per second.
  package init(saving most: Int64, now: Instant) {
    self.most = most
    saved = most
    at = now
  }

  /// Takes `cost` milliseconds. Returns false, and takes nothing, if fewer than `reserve` would
  /// remain.
  package mutating func take(_ cost: Int64, leaving reserve: Int64 = 0, now: Instant) -> Bool {
    earn(now: now)
    guard saved >= cost + reserve else { return false }
    saved -= cost
    return true
  }

  package mutating func giveBack(_ cost: Int64) { saved = min(most, saved + cost) }

  package mutating func fill() { saved = most }

  /// Returns when `cost` milliseconds can be taken, if nothing is taken before.
  package mutating func moment(
    of cost: Int64, leaving reserve: Int64 = 0, now: Instant
  ) -> Instant {
    earn(now: now)
    return now.advanced(byMilliseconds: max(1, cost + reserve - saved))
  }

  private mutating func earn(now: Instant) {
    let passed = now.milliseconds(since: at)
    guard passed > 0 else { return }
    saved = min(most, saved + min(most, passed))
    // Fractions of a millisecond carry over to the next call.
    at = passed >= most ? now : at.advanced(byMilliseconds: passed)
  }
}
