public import Foundation

/// A small file of the home that only this user can read.
public struct PrivateFile: Sendable {
  private let url: URL

  /// Where it is.
  public var path: String { url.path }

  /// - Parameter folder: a folder of the home.
  public init(in folder: String, name: String) { url = URL(filePath: folder).appending(path: name) }

  /// Returns the contents; nil without a file. Throws if another user owns or can change the file:
  /// they would decide who logs in.
  public func read() throws -> Data? {
    do {
      // Non-blocking, since opening a pipe would wait for its writer.
      let file = try OpenFile(path, O_RDONLY | O_NONBLOCK, for: .read)
      let status = try file.status()
      guard status.st_mode & S_IFMT == S_IFREG else { throw HomeError.notAFile(path) }
      try Folder.checkOwner(status, of: path)
      guard status.st_mode & 0o022 == 0 else { throw HomeError.exposed(path, .privateFile) }
      return Data(try file.bytes(at: 0, upTo: Int(status.st_size)))
    } catch HomeError.system(_, _, ENOENT) {
      return nil
    } catch let error as HomeError {
      throw PrivateFileFault("\(error)")
    }
  }

  /// Performs a change of the file while no other process performs one in this folder.
  public func withLock<Result>(_ change: () throws -> Result) throws -> Result {
    // First: as another user, this would make a lock that the node cannot open.
    do {
      try Folder.check(url.deletingLastPathComponent().path, .unwritableByOthers)
    } catch {
      throw PrivateFileFault("\(error)")
    }
    // Not the folder itself, which other users can open, and so lock.
    let path = url.deletingLastPathComponent().appending(path: "files.lock").path
    let lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw Self.failure(path, "opened") }
    defer { close(lock) }
    guard flock(lock, LOCK_EX) == 0 else { throw Self.failure(path, "locked") }
    return try change()
  }

  /// Written to a temporary file first, so that it is always complete. No other user can open the
  /// file at any moment. MUST NOT be called twice at once.
  public func write(_ data: Data) throws(PrivateFileFault) {
    let new = path + ".new"
    // What an interrupted write left.
    unlink(new)
    let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Self.failure(new, "created") }
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    do {
      try handle.write(contentsOf: data)
      try handle.synchronize()
      try handle.close()
    } catch {
      throw PrivateFileFault("\(new) cannot be written: \(error)")
    }
    guard rename(new, path) == 0 else { throw Self.failure(path, "replaced") }
    // Without it, a power loss can bring the file before back.
    do {
      try Folder.sync(url.deletingLastPathComponent().path)
    } catch {
      throw PrivateFileFault("\(error)")
    }
  }

  private static func failure(_ path: String, _ what: String) -> PrivateFileFault {
    PrivateFileFault("\(path) cannot be \(what): \(String(cString: strerror(errno)))")
  }
}

/// Why a file could not be read or changed, in one line.
public struct PrivateFileFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// One line for the user.
  public let description: String

  /// - Parameter description: one line for the user.
  public init(_ description: String) { self.description = description }
}
