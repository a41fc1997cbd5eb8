import Foundation

/// The duration of a run in wall time and processor time.
struct Stopwatch {
  private let start = ContinuousClock.now
  private let used = Self.processNanoseconds()

  var wallSeconds: Double { (ContinuousClock.now - start) / .seconds(1) }
  var processSeconds: Double { Double(Self.processNanoseconds() - used) / 1e9 }

  private static func processNanoseconds() -> UInt64 {
    var time = timespec()
    guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
