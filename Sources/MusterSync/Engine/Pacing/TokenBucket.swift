internal import MusterModel

/// How much may leave now, of a rate that holds over time.
///
/// It is open while it owes nothing, and what passes may put it into debt: so at most `depthBytes`
/// and one datagram pass beyond the rate.
struct TokenBucket: Sendable {
  /// 1 or more, and at most `LinkRate.range.upperBound`.
  private(set) var bytesPerSecond: Int
  private(set) var depthBytes: Int
  /// Millionths of a byte; negative is debt.
  private var level: Int
  private var filledAt: Instant

  init(bytesPerSecond: Int, depthBytes: Int, now: Instant) {
    self.bytesPerSecond = bytesPerSecond
    self.depthBytes = depthBytes
    level = depthBytes * 1_000_000
    filledAt = now
  }

  /// Another rate from now on; what is in it stays.
  mutating func change(bytesPerSecond: Int, depthBytes: Int, now: Instant) {
    fill(now: now)
    self.bytesPerSecond = bytesPerSecond
    self.depthBytes = depthBytes
    level = min(level, depthBytes * 1_000_000)
  }

  mutating func isOpen(now: Instant) -> Bool {
    fill(now: now)
    return level >= 0
  }

  mutating func take(_ bytes: Int, now: Instant) {
    fill(now: now)
    level -= bytes * 1_000_000
  }

  /// When it owes nothing.
  var opensAt: Instant {
    guard level < 0 else { return filledAt }
    let wait = (-level + bytesPerSecond - 1) / bytesPerSecond
    return filledAt.advanced(byMicroseconds: Int64(wait))
  }

  private mutating func fill(now: Instant) {
    guard now > filledAt else { return }
    // No longer than it takes to fill from any debt, so that the product stays small.
    let missing = depthBytes * 1_000_000 - level
    let elapsed = min(now.microseconds(since: filledAt), Int64(missing / bytesPerSecond + 1))
    level = min(depthBytes * 1_000_000, level + Int(elapsed) * bytesPerSecond)
    filledAt = now
  }
}

extension Instant {
  /// Past the end of the range, that end.
  func advanced(byMicroseconds offset: Int64) -> Instant {
    let (sum, overflow) = microseconds.addingReportingOverflow(offset)
    return Instant(microseconds: overflow ? (offset < 0 ? .min : .max) : sum)
  }

  /// Negative when `earlier` is later; at most the range's end.
  func microseconds(since earlier: Instant) -> Int64 {
    let (difference, overflow) = microseconds.subtractingReportingOverflow(earlier.microseconds)
    return overflow ? (self < earlier ? .min : .max) : difference
  }
}
