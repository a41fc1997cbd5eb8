public import MusterModel

/// Determines how old the samples of one phone are when they arrive, without trust in the phone's
/// clock (decision 0095).
///
/// ```
///   delay = arrival − stated time, negative by the lead of a clock that is ahead
///   age  ≥ delay + the largest lead of the last hour
/// ```
///
/// An age has an upper bound (`SampleAge.about`) if the clock has shown itself steady: two samples
/// of the last hour, taken at least `apart` milliseconds apart, arrived with the same smallest
/// delay, and so does this one. Samples that a phone stored and sends together have different
/// delays. A clock that is behind makes samples look older; only a proof shortens an age.
///
/// The state is bounded: one entry for each five minutes of the last hour.
public struct PhoneClock: Hashable, Sendable {
  /// Delays that differ by less count as the same, in milliseconds.
  public static let tolerance: Int64 = 2000
  /// The least time between two samples that show a steady clock, in milliseconds.
  public static let apart: Int64 = 10_000
  /// How long a delay counts, in milliseconds.
  public static let memory: Int64 = 3_600_000
  private static let period: Int64 = 300_000

  /// The smallest delay of one period.
  private struct Best: Hashable, Sendable {
    let period: Int64
    /// Less than the reference by no more than the tolerance.
    var smallest: Int64
    /// The delay and the stated time of the sample that the others are compared with.
    let reference: Int64
    let time: Int64
    /// The greatest distance from it of the stated times of samples with its delay.
    var distance: Int64 = 0
  }

  private var best: [Best] = []

  /// Creates a clock of which nothing is known.
  public init() {}

  /// Returns the age of a sample that arrives now.
  ///
  /// - Parameters:
  ///   - time: what the phone states.
  ///   - proven: the age in milliseconds that a two-way exchange proves; nil without one.
  ///   - behind: by how much command states that this clock is behind, in milliseconds.
  public mutating func age(
    of time: DeviceTime, proven: Int64? = nil, behind: Int64 = 0, arriving now: ClockReading
  ) -> SampleAge {
    if let proven { return .exactly(milliseconds: max(proven, 0)) }
    switch time {
    case .missing: return .exactly(milliseconds: 0)
    case .unknown: return .unknown
    case .stated(let stated): return age(stated, behind: behind, arriving: now)
    }
  }

  private mutating func age(
    _ stated: Timestamp, behind: Int64, arriving now: ClockReading
  ) -> SampleAge {
    let raw = now.wall.milliseconds(since: stated)
    // Beyond all that a clock may show, the difference is no evidence.
    guard raw.magnitude <= UInt64(FixAge.longest) else { return .unknown }
    let delay = raw - min(max(behind, 0), FixAge.longest)
    let reading = max(now.boot, 0)
    best.removeAll { reading - $0.period * Self.period > Self.memory + Self.period }
    record(delay, stated: stated.milliseconds, at: reading)
    let smallest = best.map(\.smallest).min() ?? delay
    let age = max(delay + max(0, -smallest), 0)
    let isSmallest = delay - smallest <= Self.tolerance
    return isSmallest && isSteady(at: smallest)
      ? .about(milliseconds: age) : .atLeast(milliseconds: age)
  }

  /// Whether two samples far enough apart arrived with the smallest delay.
  private func isSteady(at smallest: Int64) -> Bool {
    let close = best.filter { $0.reference - smallest <= Self.tolerance }
    guard let first = close.map(\.time).min(), let last = close.map(\.time).max() else {
      return false
    }
    return last - first >= Self.apart || close.contains { $0.distance >= Self.apart }
  }

  private mutating func record(_ delay: Int64, stated: Int64, at reading: Int64) {
    let new = Best(
      period: reading / Self.period, smallest: delay, reference: delay, time: stated)
    guard let index = best.firstIndex(where: { $0.period == new.period }) else {
      return best.append(new)
    }
    let known = best[index]
    if (delay - known.reference).magnitude <= UInt64(Self.tolerance) {
      let distance = (stated - known.time).magnitude
      best[index].distance = max(known.distance, Int64(clamping: distance))
      best[index].smallest = min(known.smallest, delay)
    } else if delay < known.reference {
      // Samples of one upload have delays that fall: each replaces the reference.
      best[index] = new
    }
  }
}
