internal import MusterCrypto
internal import MusterModel

/// Schedules announces with a Trickle timer (RFC 6206), and what they carry besides the roots.
///
/// The interval doubles while nothing changes. Each announce is sent at a random moment of the
/// second half of its interval, and is suppressed if enough peers announced the same roots.
struct AnnounceTimer: Sendable {
  private(set) var counter: UInt64
  private(set) var next: Instant
  private var intervalMilliseconds = Timing.announceFirstMilliseconds
  private var intervalStart: Instant
  private var lastSent: Instant?
  private var consistent = 0
  private var suppressed = 0
  /// How many further announces carry this device's certificates.
  private var chainsLeft = 2
  /// How many further announces carry a record of this device.
  private var recordsLeft: [RecordKind: Int] = [.position: Timing.announceNamings]
  private var carriedLast: RecordKind?

  init(counter: UInt64, now: Instant) {
    self.counter = counter
    next = now
    intervalStart = now
  }

  mutating func reset(now: Instant) {
    begin(from: Timing.announceFirstMilliseconds, now: now)
    next = now
  }

  /// Shortens the interval because the announced state changed: the next announce is due within
  /// `milliseconds`.
  ///
  /// - Parameter interval: from which the intervals double again, so that several announces follow;
  ///   nil if they go on as they are.
  mutating func quicken(within milliseconds: Int64, from interval: Int64?, now: Instant) {
    var soon = now.advanced(byMilliseconds: milliseconds)
    if let lastSent {
      soon = max(soon, lastSent.advanced(byMilliseconds: Timing.announceSpacingMilliseconds))
    }
    guard next > soon else { return }
    if let interval { begin(from: interval, now: now) }
    (next, consistent) = (soon, 0)
  }

  private mutating func begin(from interval: Int64, now: Instant) {
    intervalMilliseconds = interval
    intervalStart = now
    consistent = 0
  }

  /// Counts an announce of another device with the same roots.
  mutating func noteConsistent() { consistent += 1 }

  // MARK: What an announce carries

  /// Counts down the announces with this device's certificates. Returns whether this is one.
  mutating func takesChain() -> Bool {
    guard chainsLeft > 0 else { return false }
    chainsLeft -= 1
    return true
  }

  /// Returns which record of this device this announce carries, in turns; nil for none.
  mutating func takesRecord() -> RecordKind? {
    let left = Self.carried.filter { recordsLeft[$0, default: 0] > 0 }
    guard let kind = left.first(where: { $0 != carriedLast }) ?? left.first else { return nil }
    recordsLeft[kind, default: 0] -= 1
    carriedLast = kind
    return kind
  }

  /// The kinds of records that announces carry: what all others show as its place and contact.
  private static let carried: [RecordKind] = [.position, .presence]

  /// Lets the next announce carry the certificates, for a device that may not know this one.
  mutating func noteNewcomer() { chainsLeft = max(chainsLeft, 1) }

  /// Lets the next announces carry a new record of this device.
  mutating func note(_ kind: RecordKind) {
    if Self.carried.contains(kind) { recordsLeft[kind] = Timing.announceNamings }
  }

  /// Returns a counter that this incarnation has not used.
  mutating func nextCounter() -> UInt64 {
    counter += 1
    return counter
  }

  /// Draws the time of the next announce. Returns false if the one that is due is suppressed.
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
