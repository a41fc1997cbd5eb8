internal import Foundation
internal import GRDBSQLite

/// A SQLite VFS that seals every page when it is written to a database or its write-ahead log, and
/// opens it when it is read.
///
///     SQLite ──▶ SealedDisk ──▶ the system's own VFS
///                ├ database: `SealedFile.database`
///                └ write-ahead log: `SealedFile.log`
///
/// No statement can therefore return data that was not written, whichever table, index or free list
/// it reads, and no plaintext of what is read is ever on disk. A rollback journal passes through
/// unsealed: SQLite uses one only while it converts the empty file to a database, and no page with
/// data is in it. Other kinds of files are refused.
///
/// Each seal has a VFS of its own, registered with SQLite for the lifetime of the process.
package enum SealedDisk {
  /// Registers the VFS of this seal, and returns the URI that opens a file on it.
  package static func location(of path: String, seal: PageSeal) throws -> String {
    var plain = CharacterSet.alphanumerics
    plain.insert(charactersIn: "/._-")
    let escaped = path.addingPercentEncoding(withAllowedCharacters: plain) ?? path
    return "file:\(escaped)?vfs=\(try register(seal))"
  }

  /// Reserves space for nonce and tag in each page. MUST be called before the first write; an
  /// existing database keeps its format.
  package static func reserve(in connection: OpaquePointer?) {
    var bytes = CInt(PageSeal.reservedBytes)
    sqlite3_file_control(connection, nil, SQLITE_FCNTL_RESERVE_BYTES, &bytes)
  }

  /// The system's own VFS.
  ///
  /// `nonisolated(unsafe)`: owned by SQLite, constant and permanent.
  nonisolated(unsafe) private static let system = sqlite3_vfs_find(nil)

  private static func register(_ seal: PageSeal) throws -> String {
    // Unique, since no registered object is ever released.
    let address = UInt(bitPattern: Unmanaged.passUnretained(seal).toOpaque())
    let name = "muster-sealed-" + String(address, radix: 16)
    if sqlite3_vfs_find(name) != nil { return name }
    guard let system else { throw SealFault(reason: "SQLite has no disk") }
    let disk = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    // The other methods of the system's VFS ignore their VFS argument.
    disk.initialize(to: system.pointee)
    disk.pointee.pNext = nil
    disk.pointee.zName = UnsafePointer(strdup(name))
    disk.pointee.szOsFile = Int32(SealedFile.headerBytes) + system.pointee.szOsFile
    disk.pointee.pAppData = Unmanaged.passRetained(seal).toOpaque()
    disk.pointee.xOpen = { disk, path, file, flags, outFlags in
      SealedDisk.open(disk!, path, file!, flags, outFlags)
    }
    guard sqlite3_vfs_register(disk, 0) == SQLITE_OK else {
      throw SealFault(reason: "SQLite takes no other disk")
    }
    return name
  }

  private static func open(
    _ disk: UnsafeMutablePointer<sqlite3_vfs>, _ path: UnsafePointer<CChar>?,
    _ file: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    let system = system!
    let methods: UnsafePointer<sqlite3_io_methods>
    switch flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL) {
    case SQLITE_OPEN_MAIN_DB: methods = SealedFile.database
    case SQLITE_OPEN_WAL: methods = SealedFile.log
    case SQLITE_OPEN_MAIN_JOURNAL:
      return system.pointee.xOpen(system, path, file, flags, outFlags)
    default:
      file.pointee.pMethods = nil
      return SQLITE_CANTOPEN
    }
    let inner = SealedFile.inner(of: file)
    inner.pointee.pMethods = nil
    let code = system.pointee.xOpen(system, path, inner, flags, outFlags)
    // SQLite closes any file with methods, even if opening it failed.
    guard let path, inner.pointee.pMethods != nil else {
      file.pointee.pMethods = nil
      return code
    }
    if flags & SQLITE_OPEN_WAL != 0 {
      let database = SealedFile.handle(of: sqlite3_database_file_object(path))
      SealedFile.keep(SealedHandle(logOf: database), in: file)
    } else {
      let seal = Unmanaged<PageSeal>.fromOpaque(disk.pointee.pAppData!).takeUnretainedValue()
      SealedFile.keep(SealedHandle(seal: seal, path: String(cString: path)), in: file)
    }
    file.pointee.pMethods = methods
    return code
  }
}
