internal import Foundation

/// The folder of a node's small secret files: mode 0700, files 0600.
///
/// A file is either complete and on disk, or absent, even after a power failure. A file that other
/// users could have read or written is rejected.
///
/// Names are plain file names chosen by the program, never by a peer. The bytes that `read` returns
/// are secret: the caller MUST wipe them. The folder does not interpret the bytes.
public struct KeyFolder: Hashable, Sendable {
  /// The folder, which may be missing before the first write.
  public let path: String

  /// Larger than any key file; a larger file is something else.
  public static let largestFileBytes = 1024 * 1024

  /// Creates a value for the keys in a folder.
  public init(path: String) { self.path = path }

  /// Whether anything with this name exists, usable or not.
  public func contains(_ name: String) -> Bool {
    var status = stat()
    return lstat(file(name), &status) == 0
  }

  /// Returns the contents of a file that only the owner can access.
  public func read(_ name: String) throws(HomeError) -> [UInt8] {
    let path = file(name)
    let file: OpenFile
    do {
      // Non-blocking, since opening a pipe would wait for its writer.
      file = try OpenFile(path, O_RDONLY | O_NONBLOCK, for: .read)
    } catch {
      if case .system(_, _, ENOENT) = error { throw .missing(path) }
      throw error
    }
    try Folder.check(self.path, .ownerOnly)
    let status = try file.status()
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path) }
    try Folder.checkOwner(status, of: path)
    guard status.st_mode & 0o077 == 0 else { throw .exposed(path, .privateFile) }
    guard status.st_size <= Self.largestFileBytes else { throw .oversized(path) }
    let bytes = try file.bytes(at: 0, upTo: Int(status.st_size) + 1)
    guard bytes.count <= Self.largestFileBytes else { throw .oversized(path) }
    return bytes
  }

  /// Writes a file that must not exist yet. When this returns, it survives a power failure.
  public func create(_ name: String, _ contents: [UInt8]) throws(HomeError) {
    try write(name, contents) { (temporary, path) throws(HomeError) in
      // Unlike a rename, a link never replaces another file.
      guard link(temporary, path) == 0 else {
        throw errno == EEXIST ? .occupied(path) : .system(.make, path: path, code: errno)
      }
      unlink(temporary)
    }
  }

  /// Writes a file, replacing an existing one: at every moment one of both exists completely.
  public func replace(_ name: String, _ contents: [UInt8]) throws(HomeError) {
    try write(name, contents) { (temporary, path) throws(HomeError) in
      guard rename(temporary, path) == 0 else {
        throw .system(.write, path: path, code: errno)
      }
    }
  }

  /// Removes a file. When this returns, it stays removed after a power failure.
  public func remove(_ name: String) throws(HomeError) {
    let path = file(name)
    guard unlink(path) == 0 || errno == ENOENT else {
      throw .system(.write, path: path, code: errno)
    }
    try Folder.sync(self.path)
  }

  private func write(
    _ name: String, _ contents: [UInt8],
    moving: (_ temporary: String, _ path: String) throws(HomeError) -> Void
  ) throws(HomeError) {
    let path = file(name)
    guard contents.count <= Self.largestFileBytes else { throw .oversized(path) }
    try Folder.prepare(self.path, .ownerOnly)
    let temporary = try OpenFile(uniqueNameBeginning: self.path + "/." + name + ".")
    do {
      try temporary.overwrite(with: contents, at: 0)
      try temporary.sync()
      try moving(temporary.path, path)
    } catch {
      unlink(temporary.path)
      throw error
    }
    try Folder.sync(self.path)
  }

  private func file(_ name: String) -> String {
    precondition(
      !name.isEmpty && !name.hasPrefix(".") && !name.contains("/") && !name.contains("\0"),
      "\(name) is not the name of a key file")
    return path + "/" + name
  }
}
