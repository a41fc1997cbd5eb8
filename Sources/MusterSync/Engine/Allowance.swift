internal import MusterModel

/// So much of something per time, with a little saved up: a token bucket whose unit is the
/// millisecond that passes.
struct Allowance: Sendable {
  private let most: Int64
  private var saved: Int64
  private var at: Instant

  /// Full at first. Something that costs a hundred milliseconds can be had ten times a second.
  init(saving most: Int64, now: Instant) {
    self.most = most
    saved = most
    at = now
  }

  /// False, and nothing is taken, when there is not so much.
  mutating func take(_ cost: Int64, now: Instant) -> Bool {
    earn(now: now)
    guard saved >= cost else { return false }
    saved -= cost
    return true
  }

  mutating func giveBack(_ cost: Int64) { saved = min(most, saved + cost) }

  mutating func fill() { saved = most }

  /// When so much is there, if nothing is taken until then.
  mutating func moment(of cost: Int64, now: Instant) -> Instant {
    earn(now: now)
    return now.advanced(byMilliseconds: max(1, cost - saved))
  }

  private mutating func earn(now: Instant) {
    let passed = now.milliseconds(since: at)
    guard passed > 0 else { return }
    saved = min(most, saved + min(most, passed))
    // What is less than a millisecond counts next time.
    at = passed >= most ? now : at.advanced(byMilliseconds: passed)
  }
}
