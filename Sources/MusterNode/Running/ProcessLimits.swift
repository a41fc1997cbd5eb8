internal import Foundation

/// Limits of this process and its children.
public enum ProcessLimits {
  /// Disables core dumps, which contain keys. A system that pipes crashes to a program ignores the
  /// limit, so the filter of dump contents excludes everything too.
  public static func forbidCoreDumps() {
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

  /// Gives new files a mode for this user alone, whatever the shell or the service permits to
  /// others.
  public static func makeNewFilesPrivate() { umask(0o077) }

  /// Permits as many open files as the administrator allows. A usual start permits 1,024: a
  /// listener with more connections then has none for its databases either.
  ///
  /// - Returns: how many are permitted now.
  @discardableResult
  public static func permitOpenFiles() -> Int {
    #if os(Linux)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return 0 }
    let before = limit.rlim_cur
    limit.rlim_cur = min(limit.rlim_max, 1 << 20)
    return Int(clamping: setrlimit(resource, &limit) == 0 ? limit.rlim_cur : before)
  }
}
