internal import MusterModel

/// How much this device sends on links that many share, apart from what is urgent.
///
/// The windows of single paths do not end a collapse: each of a hundred devices may have a datagram
/// in flight to each of its peers, and most of them are dropped. So all paths of a device share one
/// rate, as in the Congestion Manager (RFC 3124). It halves while answers are late, and grows by a
/// quarter with those in time:
///
///     unlimited ── an answer is late ─▶ half of what was sent ── late again ─▶ half … the least
///         ▲                                   │
///         └──── more than the links carry ◀───┴── answers in time
///
/// The windows of their paths suffice for eight devices. For each further one it is cut by one part
/// in 32, up to a half.
///
/// Devices that receive no answer keep to the least, which all of them together may send. No rate
/// needs to be configured, and one that is too high does no harm.
struct LinkShare: Sendable {
  /// The rate, present while answers were late lately.
  private var bucket: TokenBucket?
  private var cutAt = Instant(microseconds: .min)
  private var raisedAt = Instant(microseconds: .min)
  /// When an answer was late last, or none came, whether or not the rate was cut.
  private var lateAt = Instant(microseconds: .min)
  private var lateAnswerAt = Instant(microseconds: .min)
  /// What the links carry in all, if all devices have an equal share; nil if nothing is known.
  private(set) var capacity: Int?
  /// What late answers showed the links to carry. It is forgotten as slowly as it was learnt: what
  /// answers were late for a minute shows is doubled each minute without one, and what a moment
  /// shows each second, so that no hiccup makes a fast link narrow.
  private var learnt: Int?
  /// How long answers have been late, in microseconds.
  private var lateFor: Int64 = 0
  /// How many devices share the links, as was noted last.
  private var devices = 1
  /// The bounds of the rate.
  private var (least, most) = (1, mostBytesPerSecond)
  /// What was sent in this period, and in the one before.
  private var (sent, sentBefore) = (0, 0)
  private var periodStart = Instant(microseconds: .min)

  /// The bounds of the time in which what was learnt is doubled.
  private static let shortestMemory: Int64 = 1_000_000
  private static let longestMemory: Int64 = 60_000_000
  private static let few = 8
  private static let period: Int64 = 4_000_000
  /// An answer may be caused by what was sent before the last reduction.
  private static let shortestBetweenCuts: Int64 = 2_000_000
  private static let shortestBetweenRaises: Int64 = 500_000
  /// After so long without a late answer the rate grows without any answer, so rarely.
  private static let quiet: Int64 = 10_000_000
  private static let shortestBetweenBlindRaises: Int64 = 5_000_000
  /// A rate that is configured so many times too high is not passed by all devices together.
  private static let mostTooHigh = 8
  /// Without a configured rate: half of a channel of 64 kbit/s for all devices together.
  private static let leastOfAll = 4000
  /// So much more than any radio carries that no limit is needed.
  private static let mostBytesPerSecond = 250_000

  var isLimited: Bool { bucket != nil }

  /// Whether an answer was late a moment ago.
  func isCongested(now: Instant) -> Bool { now.microseconds(since: lateAnswerAt) < Self.quiet }

  /// Returns when something that is not urgent may be sent; nil if that is now.
  mutating func opensAt(now: Instant) -> Instant? {
    guard bucket?.isOpen(now: now) == false else { return nil }
    return bucket?.opensAt
  }

  mutating func take(_ bytes: Int, now: Instant) {
    let elapsed = now.microseconds(since: periodStart)
    if elapsed >= Self.period {
      sentBefore = elapsed < 2 * Self.period ? sent : 0
      (sent, periodStart) = (0, now)
    }
    sent += bytes
    bucket?.take(bytes, now: now)
    updateCapacity(now: now)
    if now.microseconds(since: lateAt) >= Self.quiet {
      raise(after: Self.shortestBetweenBlindRaises, now: now)
    }
  }

  /// Notes how late an answer was.
  ///
  /// - Parameters:
  ///   - isAnswer: false if none came for so long: it may have been lost.
  ///   - late: from when on an answer is late, in milliseconds.
  ///   - rate: of the links in bytes a second; nil if none is configured.
  ///   - devices: how many share the links, this one included.
  mutating func noteDelay(
    milliseconds delay: Int64, isAnswer: Bool, late: Int64, rate: Int?, devices: Int, now: Instant
  ) {
    self.devices = max(1, devices)
    least = max(8, (rate.map { $0 / Self.mostTooHigh } ?? Self.leastOfAll) / self.devices)
    most = rate ?? Self.mostBytesPerSecond
    if delay >= late {
      lateAt = now
      if isAnswer { noteLateAnswer(now: now) }
      guard now.microseconds(since: cutAt) >= max(Self.shortestBetweenCuts, delay * 1000) else {
        return
      }
      let parts = min(max(0, self.devices - Self.few), 16)
      guard parts > 0 else { return }
      let before = bucket?.bytesPerSecond ?? min(used(now: now), most)
      set(max(least, before * (32 - parts) / 32), now: now)
      (cutAt, raisedAt) = (now, now)
      if isAnswer {
        learnt = bucket.map { min($0.bytesPerSecond * self.devices, capacity ?? .max) }
      }
      updateCapacity(now: now)
    } else if isAnswer, delay < late * 3 / 4 {
      raise(after: Self.shortestBetweenRaises, now: now)
    }
  }

  private mutating func noteLateAnswer(now: Instant) {
    let pause = now.microseconds(since: lateAnswerAt)
    lateFor = pause < Self.quiet ? min(lateFor + pause, Self.longestMemory) : lateFor / 2
    lateAnswerAt = now
  }

  /// Forgets what was learnt, by and by.
  private mutating func updateCapacity(now: Instant) {
    let live = bucket.map { $0.bytesPerSecond * devices }
    guard let learnt else { return capacity = live }
    let doublings = now.microseconds(since: lateAnswerAt) / max(lateFor, Self.shortestMemory)
    let grown = doublings < 16 ? learnt << doublings : .max
    if grown >= Self.mostBytesPerSecond { self.learnt = nil }
    capacity = grown < Self.mostBytesPerSecond ? min(live ?? grown, grown) : live
  }

  /// Returns what was sent lately, in bytes a second.
  private func used(now: Instant) -> Int {
    let elapsed = max(1_000_000, now.microseconds(since: periodStart))
    let rates = [(sent, elapsed), (sentBefore, Self.period)].map { Int64($0) * 1_000_000 / $1 }
    return Int(max(rates[0], rates[1]))
  }

  private mutating func raise(after pause: Int64, now: Instant) {
    guard let before = bucket?.bytesPerSecond, now.microseconds(since: raisedAt) >= pause else {
      return
    }
    raisedAt = now
    let more = max(least, before + max(before, least) / 4)
    if more < most { set(more, now: now) } else { bucket = nil }
    updateCapacity(now: now)
  }

  private mutating func set(_ bytesPerSecond: Int, now: Instant) {
    // A datagram, and the bucket lets one more run it into debt.
    let depth = min(CongestionWindow.datagram, bytesPerSecond)
    bucket.limit(to: bytesPerSecond, depthBytes: depth, now: now)
  }
}
