internal import Foundation

/// What changes when a file is replaced: by it a reader sees that another process wrote the file.
struct FileVersion: Hashable, Sendable {
  private let inode: UInt64
  private let size: Int64
  private let seconds: Int
  private let nanoseconds: Int

  /// Returns nil without a file.
  init?(of path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    #if os(Linux)
      let changed = facts.st_mtim
    #else
      let changed = facts.st_mtimespec
    #endif
    (inode, size) = (UInt64(facts.st_ino), Int64(facts.st_size))
    (seconds, nanoseconds) = (Int(changed.tv_sec), Int(changed.tv_nsec))
  }
}
