internal import Foundation

/// The path of a node's Unix socket, short enough for a socket address.
public struct ControlSocketPath: Hashable, Sendable, CustomStringConvertible {
  /// The absolute path.
  public let description: String

  /// Rejects a relative path, and one that does not fit `sun_path`: 107 bytes on Linux (unix(7)),
  /// 103 on macOS.
  public init(_ path: String) throws(ControlFault) {
    let length = path.utf8.count
    let limit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
    guard length <= limit else {
      throw .socket(
        path: path,
        reason: "the path of the socket is \(length) bytes long; at most \(limit) are allowed:"
          + " choose a --home with a shorter path")
    }
    guard path.hasPrefix("/"), !path.hasSuffix("/"), !path.utf8.contains(0) else {
      throw .socket(path: path, reason: "is not an absolute path of a file")
    }
    description = path
  }

  /// Creates the folder for this user only, or checks its permissions, and removes the socket of a
  /// node that died. MUST be called with the home's lock held, which proves that no other node
  /// listens.
  public func prepare() throws(ControlFault) {
    let folder = String(description[..<(description.lastIndex(of: "/") ?? description.startIndex)])
    if mkdir(folder, 0o700) != 0, errno != EEXIST { throw Self.failure(folder) }
    guard let folderMode = try mode(of: folder), folderMode & S_IFMT == S_IFDIR else {
      throw .socket(path: folder, reason: "is not a folder")
    }
    guard folderMode & 0o077 == 0 else {
      throw .socket(path: folder, reason: "other users can access this folder: run chmod 700 on it")
    }
    guard let found = try mode(of: description) else { return }
    guard found & S_IFMT == S_IFSOCK else {
      throw .socket(path: description, reason: "exists and is not a socket: move it away")
    }
    try remove()
  }

  /// Allows only this user to connect. The folder already excludes other users.
  public func restrict() throws(ControlFault) {
    if chmod(description, 0o600) != 0 { throw Self.failure(description) }
  }

  /// Removes the socket; a missing socket is not an error.
  public func remove() throws(ControlFault) {
    if unlink(description) != 0, errno != ENOENT { throw Self.failure(description) }
  }

  /// Returns nil if nothing exists there; does not follow a symbolic link.
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
