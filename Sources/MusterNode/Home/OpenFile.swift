internal import Foundation

/// An open file, closed on release and not inherited by child processes: a lock that a child
/// inherits would outlive this process.
final class OpenFile: Sendable {
  let path: String
  private let descriptor: Int32

  /// - Parameter flags: those of `open(2)`; links are not followed.
  init(_ path: String, _ flags: Int32, for attempt: HomeError.Attempt) throws(HomeError) {
    let flags = flags | O_CLOEXEC | O_NOFOLLOW
    var opened = open(path, flags, 0o600)
    while opened < 0, errno == EINTR { opened = open(path, flags, 0o600) }
    guard opened >= 0 else {
      throw errno == ELOOP ? .notAFile(path) : .system(attempt, path: path, code: errno)
    }
    self.path = path
    descriptor = opened
  }

  /// Creates a file of mode 0600 with a unique name that begins with `prefix`.
  init(uniqueNameBeginning prefix: String) throws(HomeError) {
    var template = Array((prefix + "XXXXXX").utf8CString)
    let opened = mkstemp(&template)
    guard opened >= 0 else { throw .system(.make, path: prefix, code: errno) }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    descriptor = opened
    if fcntl(opened, F_SETFD, FD_CLOEXEC) != 0 { throw .system(.make, path: path, code: errno) }
  }

  deinit { close(descriptor) }

  func status() throws(HomeError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(.read, path: path, code: errno) }
    return status
  }

  /// Reads up to `limit` bytes; fewer if the file ends before.
  func bytes(at offset: Int, upTo limit: Int) throws(HomeError) -> [UInt8] {
    var failure: Int32?
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      while count < limit, failure == nil {
        let read = pread(
          descriptor, buffer.baseAddress! + count, limit - count, off_t(offset + count))
        if read > 0 {
          count += read
        } else if read == 0 {
          return
        } else if errno != EINTR {
          failure = errno
        }
      }
    }
    if let failure { throw .system(.read, path: path, code: failure) }
    return bytes
  }

  func overwrite(with bytes: [UInt8], at offset: Int) throws(HomeError) {
    var failure: Int32?
    bytes.withUnsafeBytes { buffer in
      var done = 0
      while done < buffer.count, failure == nil {
        let written = pwrite(
          descriptor, buffer.baseAddress! + done, buffer.count - done, off_t(offset + done))
        if written > 0 {
          done += written
        } else if written == 0 {
          failure = EIO
        } else if errno != EINTR {
          failure = errno
        }
      }
    }
    if let failure { throw .system(.write, path: path, code: failure) }
  }

  func empty() throws(HomeError) {
    guard ftruncate(descriptor, 0) == 0 else { throw .system(.write, path: path, code: errno) }
  }

  /// When this returns, the file's contents survive a power failure.
  func sync() throws(HomeError) {
    #if canImport(Darwin)
      // On this platform, fsync leaves the bytes in the drive's cache.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(descriptor) == 0 else { throw .system(.write, path: path, code: errno) }
  }

  /// Releases the lock even if a child process, before its exec, still has a copy of the
  /// descriptor; closing alone would not.
  func unlock() throws(HomeError) {
    guard flock(descriptor, LOCK_UN) == 0 else { throw .system(.lock, path: path, code: errno) }
  }

  /// Acquires the lock; returns false if another open file has it. It ends with `unlock`, or with
  /// the process.
  func lockExclusively() throws(HomeError) -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      switch errno {
      case EINTR: continue
      case EWOULDBLOCK: return false
      default: throw .system(.lock, path: path, code: errno)
      }
    }
    return true
  }
}
