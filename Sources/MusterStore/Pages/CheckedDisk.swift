internal import Foundation
internal import GRDBSQLite

/// The operating system's disk as SQLite is to see it: every page of a database file is given a
/// checksum when it is written, and tried against it when it is read.
///
///     SQLite ──▶ CheckedDisk ──▶ the system's own VFS
///                 └ database files: `CheckedFile`; all others pass through
///
/// So no statement can answer what is not what was written, whichever table, index or list of free
/// pages it reads. The write-ahead log has checksums of SQLite's own, checked when it is opened.
enum CheckedDisk {
  static let name = "muster-checked"

  /// Registers the disk with SQLite, once a process.
  static func register() throws {
    guard isRegistered else { throw StoreError.io("SQLite takes no other disk") }
  }

  /// The system's own.
  ///
  /// `nonisolated(unsafe)`: SQLite's, which never changes nor ends.
  nonisolated(unsafe) private static let system = sqlite3_vfs_find(nil)

  private static let isRegistered: Bool = {
    guard let system else { return false }
    let disk = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    // The other calls of the system's disk do not look at which one they are given.
    disk.initialize(to: system.pointee)
    disk.pointee.pNext = nil
    disk.pointee.zName = UnsafePointer(strdup(name))
    disk.pointee.szOsFile = Int32(CheckedFile.headerBytes) + system.pointee.szOsFile
    disk.pointee.xOpen = { _, path, file, flags, outFlags in
      guard let file, flags & SQLITE_OPEN_MAIN_DB != 0 else {
        return CheckedDisk.system!.pointee.xOpen(CheckedDisk.system, path, file, flags, outFlags)
      }
      let inner = CheckedFile.inner(of: file)
      inner.pointee.pMethods = nil
      let code = CheckedDisk.system!.pointee.xOpen(
        CheckedDisk.system, path, inner, flags, outFlags)
      // SQLite closes whatever has methods, even where opening it failed.
      file.pointee.pMethods = inner.pointee.pMethods == nil ? nil : CheckedFile.methods
      return code
    }
    return sqlite3_vfs_register(disk, 0) == SQLITE_OK
  }()

  /// How SQLite is told to open a file on this disk.
  static func location(of path: String) -> String {
    var plain = CharacterSet.alphanumerics
    plain.insert(charactersIn: "/._-")
    let escaped = path.addingPercentEncoding(withAllowedCharacters: plain) ?? path
    return "file:\(escaped)?vfs=\(name)"
  }

  /// Makes room for the checksum in each page. MUST be called before anything is in the database;
  /// one that has pages keeps its form.
  static func reserve(in connection: OpaquePointer?) {
    var bytes = CInt(PageChecksum.reservedBytes)
    sqlite3_file_control(connection, nil, SQLITE_FCNTL_RESERVE_BYTES, &bytes)
  }
}
