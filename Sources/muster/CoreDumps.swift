internal import Foundation

/// Keeps keys out of files that a crash would leave behind.
enum CoreDumps {
  /// Forbids them, for this process and those that it starts. A system that hands crashes to a
  /// program of its own does not ask for the limit, so where there is a filter of what a dump
  /// holds, nothing passes it.
  static func forbid() {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    #if os(Linux)
      _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
      if let filter = FileHandle(forWritingAtPath: "/proc/self/coredump_filter") {
        filter.write(Data("0".utf8))
        filter.closeFile()
      }
    #else
      _ = setrlimit(RLIMIT_CORE, &none)
    #endif
  }
}
