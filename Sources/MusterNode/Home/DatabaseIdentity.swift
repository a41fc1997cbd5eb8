internal import Foundation

/// Which file on this computer the database is: a copy, even under the same name, is another one.
///
/// The system may give a removed file's number to a new one, and a disk another number after a
/// restart: the first is why the sentinel holds sequences too, the second costs an incarnation.
public struct DatabaseIdentity: Hashable, Sendable {
  /// The file system that the file is on (`st_dev`).
  public let fileSystem: UInt64
  /// The number of the file in its file system (`st_ino`).
  public let fileNumber: UInt64

  /// The identity that was read from a sentinel or is told by the system.
  public init(fileSystem: UInt64, fileNumber: UInt64) {
    self.fileSystem = fileSystem
    self.fileNumber = fileNumber
  }

  /// The identity of a database that is there.
  public static func of(path: String) throws(HomeError) -> DatabaseIdentity {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .system(.read, path: path, code: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path) }
    return DatabaseIdentity(
      fileSystem: UInt64(truncatingIfNeeded: status.st_dev),
      fileNumber: UInt64(truncatingIfNeeded: status.st_ino))
  }
}
