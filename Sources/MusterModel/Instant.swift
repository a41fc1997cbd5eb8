/// A reading of a monotonic clock in microseconds. Deadlines and intervals are measured with it;
/// it means nothing on another machine or after a restart.
public struct Instant: Hashable, Comparable, Sendable {
  public let microseconds: Int64

  public init(microseconds: Int64) { self.microseconds = microseconds }

  /// Past either end of the range, that end.
  public func advanced(byMilliseconds milliseconds: Int64) -> Instant {
    let (offset, overflow) = milliseconds.multipliedReportingOverflow(by: 1000)
    let (sum, carried) = microseconds.addingReportingOverflow(offset)
    guard overflow || carried else { return Instant(microseconds: sum) }
    return Instant(microseconds: milliseconds < 0 ? .min : .max)
  }

  /// Negative when `earlier` is later.
  public func milliseconds(since earlier: Instant) -> Int64 {
    let (difference, overflow) = microseconds.subtractingReportingOverflow(earlier.microseconds)
    return overflow ? (self < earlier ? .min : .max) / 1000 : difference / 1000
  }

  public static func < (left: Instant, right: Instant) -> Bool {
    left.microseconds < right.microseconds
  }
}

/// Both clocks at one moment: the monotonic one that decides deadlines, and the wall clock
/// whose reading is only ever a label.
public struct ClockReading: Hashable, Sendable {
  public let instant: Instant
  public let wall: Timestamp

  public init(instant: Instant, wall: Timestamp) {
    self.instant = instant
    self.wall = wall
  }
}
