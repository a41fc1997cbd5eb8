internal import Foundation

/// Creates and checks the private folders of a node.
enum Folder {
  /// The access that other users may have to a folder.
  enum Openness {
    /// None: the contents are secret, or are briefly readable by all while they are created.
    case ownerOnly
    /// Other users may read, but not create or remove files.
    case unwritableByOthers
  }

  /// Creates a folder and its parents with mode 0700, or checks an existing folder. A folder that
  /// other users own or can access is rejected and not changed, since it may be a shared one such
  /// as `/tmp`.
  static func prepare(_ path: String, _ openness: Openness) throws(HomeError) {
    try make(path)
    try check(path, openness)
    guard access(path, R_OK | W_OK | X_OK) == 0 else {
      throw .system(.use, path: path, code: errno)
    }
  }

  static func check(_ path: String, _ openness: Openness) throws(HomeError) {
    let status = try existing(path)
    try checkOwner(status, of: path)
    switch openness {
    case .ownerOnly:
      if status.st_mode & 0o077 != 0 { throw .exposed(path, .privateFolder) }
    case .unwritableByOthers:
      // Also in a sticky folder, another user can create what the node then reads.
      if status.st_mode & 0o022 != 0 { throw .exposed(path, .unwritableByOthers) }
    }
  }

  /// Throws if a folder or a file belongs to another user than this one and root.
  static func checkOwner(
    _ status: stat, of path: String, for user: uid_t = geteuid()
  ) throws(HomeError) {
    guard [user, 0].contains(status.st_uid) else {
      throw .foreign(path, owner: status.st_uid)
    }
  }

  /// Returns the size of the file at this path, without following a link; nil if nothing exists.
  static func size(of path: String) throws(HomeError) -> Int? {
    var status = stat()
    if lstat(path, &status) == 0 { return Int(status.st_size) }
    guard errno == ENOENT else { throw .system(.read, path: path, code: errno) }
    return nil
  }

  /// When this returns, the names in the folder survive a power failure.
  static func sync(_ path: String) throws(HomeError) {
    do {
      try OpenFile(path + "/.", O_RDONLY | O_DIRECTORY, for: .write).sync()
    } catch {
      // Some file systems sync names by themselves and do not support this call for folders.
      if case .system(_, _, let code) = error, code == EINVAL || code == ENOTSUP { return }
      throw error
    }
  }

  private static func make(_ path: String) throws(HomeError) {
    if mkdir(path, 0o700) == 0 { return try sync(parent(of: path)) }
    switch errno {
    case EEXIST:
      _ = try existing(path)
    case ENOENT where parent(of: path) != path, ENOTDIR where parent(of: path) != path:
      try make(parent(of: path))
      // Another process may have created it in the meantime.
      guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
        throw .system(.make, path: path, code: errno)
      }
      try sync(parent(of: path))
    case let code:
      throw .system(.make, path: path, code: code)
    }
  }

  /// Returns the status of an existing folder.
  private static func existing(_ path: String) throws(HomeError) -> stat {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .system(.use, path: path, code: errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .notAFolder(path) }
    return status
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
