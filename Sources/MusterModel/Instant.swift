/// A reading of a monotonic clock in microseconds. Deadlines and intervals are measured with it;
/// it means nothing on another machine or after a restart.
public struct Instant: Hashable, Comparable, Sendable {
  public let microseconds: Int64

  public init(microseconds: Int64) { self.microseconds = microseconds }

  public func advanced(byMilliseconds milliseconds: Int64) -> Instant {
    let (offset, overflow) = milliseconds.multipliedReportingOverflow(by: 1000)
    let (sum, carried) = microseconds.addingReportingOverflow(offset)
    return Instant(microseconds: overflow || carried ? .max : sum)
  }

  public func milliseconds(since earlier: Instant) -> Int64 {
    microseconds.subtractingReportingOverflow(earlier.microseconds).partialValue / 1000
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
