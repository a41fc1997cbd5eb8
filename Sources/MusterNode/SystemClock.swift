internal import Foundation
public import MusterModel

/// The machine's clocks. Only the node reads them; all lower layers receive the time as arguments.
public enum SystemClock {
  /// Reads all clocks one after the other, for a call into the replica.
  public static var reading: ClockReading {
    let microseconds = bootMicroseconds
    return ClockReading(
      instant: Instant(microseconds: microseconds), wall: wall, boot: microseconds / 1000,
      entropy: entropy)
  }

  private static var entropy: Bytes16 {
    var generator = SystemRandomNumberGenerator()
    return Bytes16(high: generator.next(), low: generator.next())
  }

  /// Includes the time that the machine sleeps, so that a device notices it after waking.
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

  /// The system's id of the current boot, constant while the boot clock continues. Without such an
  /// id, each start of the program counts as a boot.
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

  /// The displayed time; it jumps when the clock is set.
  public static var wall: Timestamp {
    Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
  }
}
