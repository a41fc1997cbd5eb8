/// A reading of a monotonic clock in microseconds. Deadlines and intervals are measured with it;
/// it means nothing on another machine or after a restart.
public struct Instant: Hashable, Comparable, Sendable {
  /// Since a moment that only this process knows; may be negative.
  public let microseconds: Int64

  /// Wraps a reading of the shell's clock or of a test's virtual clock.
  public init(microseconds: Int64) { self.microseconds = microseconds }

  /// Returns the later instant, clamped to the range of the type.
  public func advanced(byMilliseconds milliseconds: Int64) -> Instant {
    let (offset, overflow) = milliseconds.multipliedReportingOverflow(by: 1000)
    let (sum, carried) = microseconds.addingReportingOverflow(offset)
    guard overflow || carried else { return Instant(microseconds: sum) }
    return Instant(microseconds: milliseconds < 0 ? .min : .max)
  }

  /// Returns the milliseconds since `earlier`; negative when `earlier` is later.
  public func milliseconds(since earlier: Instant) -> Int64 {
    let (difference, overflow) = microseconds.subtractingReportingOverflow(earlier.microseconds)
    return overflow ? (self < earlier ? .min : .max) / 1000 : difference / 1000
  }

  /// Earlier is less.
  public static func < (left: Instant, right: Instant) -> Bool {
    left.microseconds < right.microseconds
  }
}

/// All clocks at one moment: the monotonic clock that decides timers, the boot clock that stamps
/// records and dates arrivals, and the wall clock, which is only a label.
///
/// It also carries the entropy that an event needs from the operating system.
public struct ClockReading: Hashable, Sendable {
  /// The base of deadlines.
  public let instant: Instant
  /// Written into frames as a label.
  public let wall: Timestamp
  /// Milliseconds since the machine booted, including sleep. It continues over restarts of the
  /// program, unlike `instant`, which has no meaning outside this process.
  public let boot: Int64
  /// Random bytes that the operating system supplied for this event. They make later draws differ
  /// between copies of a process, as in a virtual machine that is resumed twice.
  public let entropy: Bytes16

  /// Creates a reading. The clocks MUST be read at one moment: differences are not corrected later.
  public init(instant: Instant, wall: Timestamp, boot: Int64, entropy: Bytes16) {
    self.instant = instant
    self.wall = wall
    self.boot = boot
    self.entropy = entropy
  }
}
