internal import Foundation

/// Identifies the database file on this computer: a copy, even with the same name, is another file.
///
/// The system may reuse a removed file's number, and a disk may get another number after a restart.
/// Because of the first, the sentinel also holds sequences; the second costs an incarnation.
public struct DatabaseIdentity: Hashable, Sendable {
  /// The file system of the file (`st_dev`).
  public let fileSystem: UInt64
  /// The number of the file in its file system (`st_ino`).
  public let fileNumber: UInt64

  /// Creates an identity that was read from a sentinel or from the system.
  public init(fileSystem: UInt64, fileNumber: UInt64) {
    self.fileSystem = fileSystem
    self.fileNumber = fileNumber
  }

  /// Returns the identity of an existing database.
  public static func of(path: String) throws(HomeError) -> DatabaseIdentity {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .system(.read, path: path, code: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path) }
    return DatabaseIdentity(
      fileSystem: UInt64(truncatingIfNeeded: status.st_dev),
      fileNumber: UInt64(truncatingIfNeeded: status.st_ino))
  }
}
