internal import Foundation
public import MusterModel

/// The machine's clocks. Only the node reads them; everything below is told the time.
public enum SystemClock {
  /// All clocks, one after the other: what every call into the replica is given.
  public static var reading: ClockReading {
    let microseconds = bootMicroseconds
    return ClockReading(
      instant: Instant(microseconds: microseconds), wall: wall, boot: microseconds / 1000)
  }

  /// Counts while the machine sleeps, so that a laptop that wakes knows that time has passed.
  public static var instant: Instant { Instant(microseconds: bootMicroseconds) }

  private static var bootMicroseconds: Int64 {
    var time = timespec()
    #if os(Linux)
      clock_gettime(CLOCK_BOOTTIME, &time)
    #else
      clock_gettime(CLOCK_MONOTONIC, &time)
    #endif
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }

  /// What the system calls its present boot: the same for as long as the boot clock counts on.
  /// Where it has no name, each start of the program counts as a boot.
  static var systemBoot: [UInt8] {
    #if os(Linux)
      let path = "/proc/sys/kernel/random/boot_id"
      do { return Array(try String(contentsOfFile: path, encoding: .utf8).utf8) } catch {
        return systemSeed()
      }
    #else
      return systemSeed()
    #endif
  }

  /// The time that people see; it may jump, when somebody sets the clock.
  public static var wall: Timestamp {
    Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
  }
}
