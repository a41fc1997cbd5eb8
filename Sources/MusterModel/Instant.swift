/// A reading of a monotonic clock in microseconds. Deadlines and intervals are measured with it;
/// it means nothing on another machine or after a restart.
public struct Instant: Hashable, Comparable, Sendable {
  /// Since a moment that only this process knows; may be negative.
  public let microseconds: Int64

  /// Takes a reading as the shell, or a test's virtual clock, gives it.
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

  /// Earlier is less.
  public static func < (left: Instant, right: Instant) -> Bool {
    left.microseconds < right.microseconds
  }
}

/// The clocks at one moment: the monotonic one that decides timers, the boot clock that stamps
/// records and dates what arrives, and the wall clock whose reading is only ever a label.
public struct ClockReading: Hashable, Sendable {
  /// What deadlines are counted from.
  public let instant: Instant
  /// What is written into frames, for people to read.
  public let wall: Timestamp
  /// Milliseconds since the machine booted, time asleep included. It goes on while the program is
  /// restarted, unlike `instant`, which means nothing outside this process.
  public let boot: Int64

  /// All MUST be read at one moment: the difference between them is not corrected later.
  public init(instant: Instant, wall: Timestamp, boot: Int64) {
    self.instant = instant
    self.wall = wall
    self.boot = boot
  }
}
