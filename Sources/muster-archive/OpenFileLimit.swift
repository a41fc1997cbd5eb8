internal import Foundation

/// The limit of open files of this process. Each uplink takes one, and many systems begin with
/// 1,024.
enum OpenFileLimit {
  /// Raises it to the most that the system allows this process.
  static func raise() {
    var limit = rlimit()
    #if os(Linux)
      let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let files = RLIMIT_NOFILE
    #endif
    // Without it fewer uplinks are accepted.
    guard getrlimit(files, &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = setrlimit(files, &limit)
  }
}
