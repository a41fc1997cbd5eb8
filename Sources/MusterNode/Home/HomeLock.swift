internal import Foundation

/// The right to use a home, alone: whoever holds it may open the database, make keys and replace
/// the socket.
///
/// The system ends the lock with the process however that ends, so the file may be left behind and
/// means nothing by itself: only `flock` does. It is never deleted, or two processes could hold
/// locks on two files of one name. The holder's process id is in it, for the one who is refused.
///
/// The holder MUST keep the object in a property, or in `withExtendedLifetime`: a local that is
/// not used again may be let go of early.
public final class HomeLock: Sendable {
  private let file: OpenFile

  /// Takes the lock, or refuses at once with `HomeError.inUse`. Makes the home where it is missing.
  public init(_ home: NodeHome) throws(HomeError) {
    try home.create()
    let file = try OpenFile(home.runDirectory + "/lock", O_RDWR | O_CREAT, for: .lock)
    guard try file.lockExclusively() else {
      throw .inUse(home: home.path, pid: try Self.holder(file))
    }
    try file.empty()
    try file.overwrite(with: Array("\(getpid())\n".utf8), at: 0)
    // Last: `deinit` runs once this is set, and MUST NOT touch a lock that is another's.
    self.file = file
  }

  deinit {
    // The id of a process that is gone could mislead, but a failure to remove it harms nobody; a
    // failure to unlock is made up for by closing the file.
    do { try file.empty() } catch {}
    do { try file.unlock() } catch {}
  }

  private static func holder(_ file: OpenFile) throws(HomeError) -> Int32? {
    let text = String(decoding: try file.bytes(at: 0, upTo: 16), as: UTF8.self)
    return text.split(separator: "\n").first.flatMap { Int32($0) }.flatMap { $0 > 0 ? $0 : nil }
  }
}
