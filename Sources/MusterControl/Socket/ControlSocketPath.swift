internal import Foundation

/// Where a node's Unix socket is, short enough for the system's socket addresses.
public struct ControlSocketPath: Hashable, Sendable, CustomStringConvertible {
  /// The whole path.
  public let description: String

  /// Refuses what is no absolute path, and what would not fit `sun_path`: 107 bytes on Linux
  /// (unix(7)), 103 on macOS.
  public init(_ path: String) throws(ControlFault) {
    let length = path.utf8.count
    let limit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
    guard length <= limit else {
      throw .socket(
        path: path,
        reason: "this path is \(length) bytes long and a socket's may be \(limit):"
          + " choose a --home with a shorter path")
    }
    guard path.hasPrefix("/"), !path.hasSuffix("/"), !path.utf8.contains(0) else {
      throw .socket(path: path, reason: "is not the absolute path of a file")
    }
    description = path
  }

  /// Makes the folder for this user alone, or checks that it is, and takes away the socket that a
  /// node left when it died. MUST be called under the home's lock, which says that nobody else
  /// listens there.
  public func prepare() throws(ControlFault) {
    let folder = String(description[..<(description.lastIndex(of: "/") ?? description.startIndex)])
    if mkdir(folder, 0o700) != 0, errno != EEXIST { throw Self.failure(folder) }
    guard let folderMode = try mode(of: folder), folderMode & S_IFMT == S_IFDIR else {
      throw .socket(path: folder, reason: "is no folder")
    }
    guard folderMode & 0o077 == 0 else {
      throw .socket(path: folder, reason: "others can get at this folder: chmod 700 it")
    }
    guard let found = try mode(of: description) else { return }
    guard found & S_IFMT == S_IFSOCK else {
      throw .socket(path: description, reason: "is in the way and is no socket: move it away")
    }
    try remove()
  }

  /// Lets this user alone connect. The folder is closed to others already.
  public func restrict() throws(ControlFault) {
    if chmod(description, 0o600) != 0 { throw Self.failure(description) }
  }

  /// Takes the socket away; that it is gone already is fine.
  public func remove() throws(ControlFault) {
    if unlink(description) != 0, errno != ENOENT { throw Self.failure(description) }
  }

  /// Nil where there is nothing; a symbolic link is itself.
  private func mode(of path: String) throws(ControlFault) -> mode_t? {
    var facts = stat()
    if lstat(path, &facts) == 0 { return facts.st_mode }
    if errno == ENOENT { return nil }
    throw Self.failure(path)
  }

  private static func failure(_ path: String) -> ControlFault {
    .socket(path: path, reason: String(cString: strerror(errno)))
  }
}
