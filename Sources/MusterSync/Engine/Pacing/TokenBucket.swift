internal import MusterModel

/// A token bucket: a byte rate with a bounded burst.
///
/// It is open while it has no debt, and the datagram that passes may put it into debt. At most
/// `depthBytes` and one datagram exceed the rate.
struct TokenBucket: Sendable {
  /// The rate, 1 to `LinkRate.range.upperBound`.
  private(set) var bytesPerSecond: Int
  private(set) var depthBytes: Int
  /// In millionths of a byte; negative is debt.
  private var level: Int
  private var filledAt: Instant

  init(bytesPerSecond: Int, depthBytes: Int, now: Instant) {
    self.bytesPerSecond = bytesPerSecond
    self.depthBytes = depthBytes
    level = depthBytes * 1_000_000
    filledAt = now
  }

  /// Changes the rate and keeps the level.
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

  /// When the debt is paid.
  var opensAt: Instant {
    guard level < 0 else { return filledAt }
    let wait = (-level + bytesPerSecond - 1) / bytesPerSecond
    return filledAt.advanced(byMicroseconds: Int64(wait))
  }

  private mutating func fill(now: Instant) {
    guard now > filledAt else { return }
    // Limited to the time in which any debt is paid, so that the product stays small.
    let missing = depthBytes * 1_000_000 - level
    let elapsed = min(now.microseconds(since: filledAt), Int64(missing / bytesPerSecond + 1))
    level = min(depthBytes * 1_000_000, level + Int(elapsed) * bytesPerSecond)
    filledAt = now
  }
}

extension Optional where Wrapped == TokenBucket {
  /// Sets a rate: a full bucket where there was none, and otherwise the level is kept.
  mutating func limit(to bytesPerSecond: Int, depthBytes: Int, now: Instant) {
    if self == nil {
      self = TokenBucket(bytesPerSecond: bytesPerSecond, depthBytes: depthBytes, now: now)
    } else {
      self?.change(bytesPerSecond: bytesPerSecond, depthBytes: depthBytes, now: now)
    }
  }
}

extension Instant {
  /// Adds an offset, saturating at the ends of the range.
  func advanced(byMicroseconds offset: Int64) -> Instant {
    let (sum, overflow) = microseconds.addingReportingOverflow(offset)
    return Instant(microseconds: overflow ? (offset < 0 ? .min : .max) : sum)
  }

  /// Returns the difference; negative if `earlier` is later. Saturates at the ends of the range.
  func microseconds(since earlier: Instant) -> Int64 {
    let (difference, overflow) = microseconds.subtractingReportingOverflow(earlier.microseconds)
    return overflow ? (self < earlier ? .min : .max) : difference
  }
}
