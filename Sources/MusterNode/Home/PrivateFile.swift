public import Foundation

/// A small file of the home that only this user can read.
public struct PrivateFile: Sendable {
  private let url: URL

  /// Where it is.
  public var path: String { url.path }

  /// - Parameter folder: a folder of the home.
  public init(in folder: String, name: String) { url = URL(filePath: folder).appending(path: name) }

  /// Returns the contents; nil without a file.
  public func read() throws -> Data? {
    guard FileManager.default.fileExists(atPath: url.path) else { return nil }
    return try Data(contentsOf: url)
  }

  /// Performs a change of the file while no other process performs one in this folder.
  public func withLock<Result>(_ change: () throws -> Result) throws -> Result {
    let folder = url.deletingLastPathComponent().path
    let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard lock >= 0 else { throw Self.failure(folder, "opened") }
    defer { close(lock) }
    guard flock(lock, LOCK_EX) == 0 else { throw Self.failure(folder, "locked") }
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
