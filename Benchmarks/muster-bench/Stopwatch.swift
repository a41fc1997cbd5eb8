import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What a piece of work took: the processor's time of this process, which other programs on the
/// machine change little, and the clock's, which has waiting for the disk in it.
struct Elapsed {
  var processorSeconds = 0.0
  var wallSeconds = 0.0

  static func += (left: inout Elapsed, right: Elapsed) {
    left.processorSeconds += right.processorSeconds
    left.wallSeconds += right.wallSeconds
  }
}

/// What a piece of work gave, and what it took.
func timed<Result>(_ work: () throws -> Result) rethrows -> (result: Result, elapsed: Elapsed) {
  let clock = ContinuousClock()
  let (start, processorStart) = (clock.now, processorSeconds())
  let result = try work()
  let elapsed = Elapsed(
    processorSeconds: processorSeconds() - processorStart,
    wallSeconds: (clock.now - start) / .seconds(1))
  return (result, elapsed)
}

private func processorSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The memory of this process in mebibytes; nil if the system does not report it.
enum Memory {
  static var residentMebibytes: Double? { field("VmRSS:") }
  /// Since the process began.
  static var peakMebibytes: Double? { field("VmHWM:") }

  private static func field(_ name: String) -> Double? {
    guard let status = FileManager.default.contents(atPath: "/proc/self/status") else { return nil }
    for line in String(decoding: status, as: UTF8.self).split(separator: "\n")
    where line.hasPrefix(name) {
      return line.split(separator: " ").dropLast().last.flatMap { Double($0) }
        .map { $0 / 1024 }
    }
    return nil
  }
}

/// Prints progress on standard error, since standard output has results only.
func progress(_ words: String) {
  FileHandle.standardError.write(Data("\(words)\n".utf8))
}

extension [Double] {
  /// Of an even number, the lower of the two in the middle.
  var median: Double {
    precondition(!isEmpty, "the median of nothing")
    return sorted()[(count - 1) / 2]
  }
}
