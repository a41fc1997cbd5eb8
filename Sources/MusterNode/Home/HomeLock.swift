internal import Foundation

/// The exclusive right to use a home: its holder may open the database, create keys and replace the
/// socket.
///
/// The system releases the lock when the process ends for any reason. The remaining file has no
/// meaning by itself: only `flock` does. It is never deleted, or two processes could hold locks on
/// two files of the same name. It contains the holder's process id, for the error message of
/// another process.
///
/// The holder MUST keep the object in a property, or in `withExtendedLifetime`: an unused local may
/// be released early.
public final class HomeLock: Sendable {
  private let file: OpenFile

  /// Acquires the lock, or throws `HomeError.inUse` at once. Creates the home if it is missing.
  public init(_ home: NodeHome) throws(HomeError) {
    try home.create()
    let file = try OpenFile(home.runDirectory + "/lock", O_RDWR | O_CREAT, for: .lock)
    guard try file.lockExclusively() else {
      throw .inUse(home: home.path, pid: try Self.holder(file))
    }
    try file.empty()
    try file.overwrite(with: Array("\(getpid())\n".utf8), at: 0)
    // Set last: `deinit` runs once this is set, and MUST NOT unlock another process's lock.
    self.file = file
  }

  deinit {
    // The id of an ended process could mislead, but failing to remove it is harmless; if unlocking
    // fails, closing the file unlocks it.
    do { try file.empty() } catch {}
    do { try file.unlock() } catch {}
  }

  private static func holder(_ file: OpenFile) throws(HomeError) -> Int32? {
    let text = String(decoding: try file.bytes(at: 0, upTo: 16), as: UTF8.self)
    return text.split(separator: "\n").first.flatMap { Int32($0) }.flatMap { $0 > 0 ? $0 : nil }
  }
}
