internal import MusterModel

/// How long an answer takes: smoothed as in RFC 6298, and the least of the last minute or so, which
/// is what the way takes when no queue stands on it. In microseconds.
struct RoundTrip: Sendable {
  private(set) var smoothed: Int64?
  private(set) var variation: Int64 = 0
  private(set) var latest: Int64 = 0
  /// The least of this period and of the one before.
  private var leastNow: Int64 = .max
  private var leastBefore: Int64 = .max
  private var periodStart = Instant(microseconds: .min)

  /// What acknowledgements may wait for company, and a little for a busy receiver.
  static let acknowledgementDelay: Int64 = 40_000
  static let leastTimeout: Int64 = 60_000
  static let firstTimeout: Int64 = 1_000_000
  private static let period: Int64 = 30_000_000

  /// Nil before the first sample.
  var least: Int64? {
    let least = min(leastNow, leastBefore)
    return least == .max ? nil : least
  }

  /// After how long without any acknowledgement everything under way counts as lost.
  var timeout: Int64 {
    guard let smoothed else { return Self.firstTimeout }
    return max(Self.leastTimeout, smoothed + max(4 * variation, 10_000) + Self.acknowledgementDelay)
  }

  /// After how long a datagram counts as lost while later ones are acknowledged: 9/8 of a round
  /// trip, more where round trips vary.
  var reorderingTime: Int64 {
    let typical = max(smoothed ?? Self.firstTimeout, latest)
    return max(typical * 9 / 8, typical + 2 * variation, 1000)
  }

  mutating func add(_ sample: Int64, now: Instant) {
    // Bounded, so that no clock makes the arithmetic below overflow.
    let sample = min(max(sample, 1), 60_000_000)
    latest = sample
    if let old = smoothed {
      variation = (3 * variation + abs(old - sample)) / 4
      smoothed = (7 * old + sample) / 8
    } else {
      smoothed = sample
      variation = sample / 2
    }
    if now.microseconds(since: periodStart) >= Self.period {
      leastBefore = leastNow
      leastNow = sample
      periodStart = now
    } else {
      leastNow = min(leastNow, sample)
    }
  }
}
