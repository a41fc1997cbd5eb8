internal import Foundation

/// The folder of a node's small secret files: mode 0700, files 0600.
///
/// A file is either there whole and on disk, or not at all, whenever the power goes. What others
/// could have read or put there is refused rather than used.
///
/// Names are plain file names given by the program, never by a peer. What `read` returns is secret:
/// its caller MUST wipe it. The folder knows nothing of what the bytes mean.
public struct KeyFolder: Hashable, Sendable {
  /// The folder, which need not be there before the first write.
  public let path: String

  /// More than any key file needs; a larger one is something else.
  public static let largestFileBytes = 1024 * 1024

  /// The keys in a folder.
  public init(path: String) { self.path = path }

  /// Whether anything of this name is there, usable or not.
  public func contains(_ name: String) -> Bool {
    var status = stat()
    return lstat(file(name), &status) == 0
  }

  /// The contents of a file that is the owner's alone.
  public func read(_ name: String) throws(HomeError) -> [UInt8] {
    let path = file(name)
    let file: OpenFile
    do {
      // Non-blocking, since opening a pipe would wait for whoever writes into it.
      file = try OpenFile(path, O_RDONLY | O_NONBLOCK, for: .read)
    } catch {
      if case .system(_, _, ENOENT) = error { throw .missing(path) }
      throw error
    }
    try Folder.check(self.path, .ownerOnly)
    let status = try file.status()
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path) }
    guard status.st_mode & 0o077 == 0 else { throw .exposed(path, .privateFile) }
    guard status.st_size <= Self.largestFileBytes else { throw .oversized(path) }
    let bytes = try file.bytes(at: 0, upTo: Int(status.st_size) + 1)
    guard bytes.count <= Self.largestFileBytes else { throw .oversized(path) }
    return bytes
  }

  /// Writes a file that must not be there yet; when this returns, it outlives a loss of power.
  public func create(_ name: String, _ contents: [UInt8]) throws(HomeError) {
    try write(name, contents) { (temporary, path) throws(HomeError) in
      // Unlike a rename, a link never takes another file's place.
      guard link(temporary, path) == 0 else {
        throw errno == EEXIST ? .occupied(path) : .system(.make, path: path, code: errno)
      }
      unlink(temporary)
    }
  }

  /// Writes a file in the place of the one before, if any: at every moment one of both is there
  /// whole.
  public func replace(_ name: String, _ contents: [UInt8]) throws(HomeError) {
    try write(name, contents) { (temporary, path) throws(HomeError) in
      guard rename(temporary, path) == 0 else {
        throw .system(.write, path: path, code: errno)
      }
    }
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
