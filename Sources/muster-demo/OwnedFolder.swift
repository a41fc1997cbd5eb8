internal import Foundation

/// A folder that belongs to the demo, marked by a file in it: only such a folder is ever removed.
/// While a demo runs it holds a lock on the marker, so that a second one leaves the folder
/// unchanged.
final class OwnedFolder: Sendable {
  let url: URL
  private let lock: Int32

  static let marker = ".muster-demo"

  /// Creates the folder, empty, for this user only. One of an earlier demo is removed first.
  init(replacing url: URL) throws {
    let marker = url.appending(path: Self.marker).path
    if FileManager.default.fileExists(atPath: url.path) {
      guard FileManager.default.fileExists(atPath: marker) else {
        throw Failure("\(url.path) is not from an earlier demo: move it away, or name another")
      }
      // Locked while it is removed, so that two demos do not remove each other's.
      let lock = try Self.takeLock(marker)
      defer { close(lock) }
      try FileManager.default.removeItem(at: url)
    }
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    lock = try Self.takeLock(marker)
    self.url = url
  }

  deinit { close(lock) }

  private static func takeLock(_ path: String) throws -> Int32 {
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      throw Failure("cannot open \(path): \(String(cString: strerror(errno)))")
    }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      close(file)
      throw Failure("another demo is running in \((path as NSString).deletingLastPathComponent)")
    }
    return file
  }
}
