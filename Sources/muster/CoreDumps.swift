internal import Foundation

/// Keeps keys out of core dumps.
enum CoreDumps {
  /// Disables core dumps for this process and its children. A system that pipes crashes to a
  /// program ignores the limit, so the filter of dump contents excludes everything too.
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
