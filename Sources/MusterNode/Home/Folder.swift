internal import Foundation

/// Makes and checks the folders that a node keeps to itself.
enum Folder {
  /// Who else may use a folder.
  enum Openness {
    /// Nobody: what is in it is secret, or is open to all for a moment while it is made.
    case ownerOnly
    /// Others may look, but not put in or take away.
    case unwritableByOthers
  }

  /// Makes a folder and those above it with mode 0700, and checks one that was there. One that is
  /// open to others is refused and not changed, since it may be somebody's `/tmp`.
  static func prepare(_ path: String, _ openness: Openness) throws(HomeError) {
    try make(path)
    try check(path, openness)
    guard access(path, R_OK | W_OK | X_OK) == 0 else {
      throw .system(.use, path: path, code: errno)
    }
  }

  static func check(_ path: String, _ openness: Openness) throws(HomeError) {
    let mode = try existing(path)
    switch openness {
    case .ownerOnly:
      if mode & 0o077 != 0 { throw .exposed(path, .privateFolder) }
    case .unwritableByOthers:
      // In a sticky folder nobody takes away what is another's.
      let sticky = mode & mode_t(S_ISVTX) != 0
      if mode & 0o022 != 0, !sticky { throw .exposed(path, .unwritableByOthers) }
    }
  }

  /// Of what is in a folder under this path, without following a link; nil where nothing is.
  static func size(of path: String) throws(HomeError) -> Int? {
    var status = stat()
    if lstat(path, &status) == 0 { return Int(status.st_size) }
    guard errno == ENOENT else { throw .system(.read, path: path, code: errno) }
    return nil
  }

  /// When this returns, the names in the folder outlive a loss of power.
  static func sync(_ path: String) throws(HomeError) {
    do {
      try OpenFile(path + "/.", O_RDONLY | O_DIRECTORY, for: .write).sync()
    } catch {
      // Some file systems sync names by themselves and know no such call for folders.
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
      // Another process may have made it meanwhile.
      guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
        throw .system(.make, path: path, code: errno)
      }
      try sync(parent(of: path))
    case let code:
      throw .system(.make, path: path, code: code)
    }
  }

  /// The mode of a folder that is there.
  private static func existing(_ path: String) throws(HomeError) -> mode_t {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .system(.use, path: path, code: errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .notAFolder(path) }
    return status.st_mode
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
