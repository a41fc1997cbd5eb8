/// The known bounds of the difference between an observer's clock and the clock of one boot of a
/// device, from the stamps of that boot.
///
/// Each dated stamp bounds the difference (observer's time minus stamp) from both sides. A bound
/// loosens by 200 ppm of the time elapsed between its stamp and the stamp that it is applied to, so
/// two clocks that are each within 99 ppm of true time satisfy it. Of each side only the tightest
/// bound is kept: the intersection over all stamps.
///
/// Invariant: the two bounds do not contradict each other at any stamp.
public struct BootOffset: Hashable, Sendable {
  private struct Bound: Hashable {
    var offset: Int64
    var stamp: Int64

    func loosening(at stamp: Int64) -> Int64 {
      BootOffset.widening(elapsed: abs(stamp - self.stamp))
    }
  }

  private var lower: Bound?
  private var upper: Bound

  /// 200 ppm is twice the drift of a typical crystal.
  public static let driftPartsPerMillion: Int64 = 200

  /// Returns the possible drift between two clocks, plus 2 ms for readings that are rounded down.
  public static func widening(elapsed: Int64) -> Int64 {
    (elapsed * driftPartsPerMillion + 999_999) / 1_000_000 + 2
  }

  /// Creates bounds from one stamp, made at `time` by the observer's clock.
  public init(stamp: Int64, at time: Span) {
    lower = time.hasEarliest ? Bound(offset: time.earliest - stamp, stamp: stamp) : nil
    upper = Bound(offset: time.latest - stamp, stamp: stamp)
  }

  /// Intersects with a further stamp, made at `time` by the observer's clock.
  ///
  /// Returns false if they contradict each other: one of the clocks has jumped, or two devices use
  /// one key. Then only this stamp counts.
  public mutating func narrow(stamp: Int64, at time: Span) -> Bool {
    let new = BootOffset(stamp: stamp, at: time)
    var joined = self
    joined.takeLower(new.lower)
    joined.takeUpper(new.upper)
    guard joined.isConsistent else {
      self = new
      return false
    }
    self = joined
    return true
  }

  /// Returns when a stamp of this boot was made, by the observer's clock.
  public func time(of stamp: Int64) -> Span {
    let latest = stamp + upper.offset + upper.loosening(at: stamp)
    guard let lower else { return .notAfter(latest) }
    let earliest = stamp + lower.offset - lower.loosening(at: stamp)
    return Span(earliest: max(earliest, Span.longAgo), latest: max(latest, Span.longAgo))
  }

  private var isConsistent: Bool {
    guard let lower else { return true }
    return lower.offset <= upper.offset + lower.loosening(at: upper.stamp)
  }

  private mutating func takeLower(_ new: Bound?) {
    guard let new else { return }
    guard let old = lower else { return lower = new }
    let at = max(old.stamp, new.stamp)
    if new.offset - new.loosening(at: at) >= old.offset - old.loosening(at: at) { lower = new }
  }

  private mutating func takeUpper(_ new: Bound) {
    let at = max(upper.stamp, new.stamp)
    if new.offset + new.loosening(at: at) <= upper.offset + upper.loosening(at: at) { upper = new }
  }
}
