internal import MusterCrypto
internal import MusterModel

/// When the next announce is due (RFC 6206): an interval that doubles while nothing is new, each
/// announce at a random moment of its second half, and none where enough others said the same.
struct AnnounceTimer: Sendable {
  private(set) var counter: UInt64
  private(set) var next: Instant
  private var intervalMilliseconds = Timing.announceFirstMilliseconds
  private var intervalStart: Instant
  private var lastSent: Instant?
  private var consistent = 0
  private var suppressed = 0

  init(counter: UInt64, now: Instant) {
    self.counter = counter
    next = now
    intervalStart = now
  }

  mutating func reset(now: Instant) {
    begin(now: now)
    next = now
  }

  /// Something is new: the next announce need not wait out a long interval, but comes after so long
  /// at the latest.
  mutating func quicken(within milliseconds: Int64, now: Instant) {
    var soon = now.advanced(byMilliseconds: milliseconds)
    if let lastSent {
      soon = max(soon, lastSent.advanced(byMilliseconds: Timing.announceSpacingMilliseconds))
    }
    guard next > soon else { return }
    begin(now: now)
    next = soon
  }

  private mutating func begin(now: Instant) {
    intervalMilliseconds = Timing.announceFirstMilliseconds
    intervalStart = now
    consistent = 0
  }

  /// Another announced the very same roots.
  mutating func noteConsistent() { consistent += 1 }

  /// A counter that this incarnation has not used.
  mutating func nextCounter() -> UInt64 {
    counter += 1
    return counter
  }

  /// Draws the moment of the announce after the one that is due; false when that may be left out.
  mutating func advance(now: Instant, random: inout DeterministicRandom) -> Bool {
    let isRedundant =
      consistent >= Timing.announceRedundancy && suppressed < Timing.announceSuppressions
    suppressed = isRedundant ? suppressed + 1 : 0
    consistent = 0
    if !isRedundant { lastSent = now }
    let end = max(now, intervalStart.advanced(byMilliseconds: intervalMilliseconds))
    intervalMilliseconds = min(intervalMilliseconds * 2, Timing.announceLastMilliseconds)
    intervalStart = end
    let half = intervalMilliseconds / 2
    next = end.advanced(byMilliseconds: half + Int64(random.uniform(below: UInt64(half))))
    return !isRedundant
  }
}
