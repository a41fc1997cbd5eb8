internal import MusterModel

/// The RTT estimate of a path in microseconds: smoothed as in RFC 6298, and the minimum of about
/// the last minute, which is the RTT without queueing.
struct RoundTrip: Sendable {
  private(set) var smoothed: Int64?
  private(set) var variation: Int64 = 0
  private(set) var latest: Int64 = 0
  /// The minimum of this period and of the previous one.
  private var leastNow: Int64 = .max
  private var leastBefore: Int64 = .max
  private var periodStart = Instant(microseconds: .min)

  /// The maximum delay of an acknowledgement, plus a margin for a busy receiver.
  static let acknowledgementDelay: Int64 = 40_000
  static let leastTimeout: Int64 = 60_000
  static let firstTimeout: Int64 = 1_000_000
  private static let period: Int64 = 30_000_000

  /// The minimum RTT; nil before the first sample.
  var least: Int64? {
    let least = min(leastNow, leastBefore)
    return least == .max ? nil : least
  }

  /// The retransmission timeout: without any acknowledgement for this long, everything in flight is
  /// declared lost.
  var timeout: Int64 {
    guard let smoothed else { return Self.firstTimeout }
    return max(Self.leastTimeout, smoothed + max(4 * variation, 10_000) + Self.acknowledgementDelay)
  }

  /// The time threshold of loss detection (RFC 9002 §6.1.2): 9/8 of an RTT, more if the RTT varies.
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
