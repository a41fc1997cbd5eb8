internal import Foundation
public import MusterModel

/// The machine's clocks. Only the node reads them; everything below is told the time.
public enum SystemClock {
  /// Both clocks, one after the other: what every call into the replica is given.
  public static var reading: ClockReading { ClockReading(instant: instant, wall: wall) }

  /// Counts while the machine sleeps, so that a laptop that wakes knows that time has passed.
  public static var instant: Instant {
    var time = timespec()
    #if os(Linux)
      clock_gettime(CLOCK_BOOTTIME, &time)
    #else
      clock_gettime(CLOCK_MONOTONIC, &time)
    #endif
    return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }

  /// The time that people see; it may jump, when somebody sets the clock.
  public static var wall: Timestamp {
    Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
  }
}
