internal import Foundation
internal import GRDBSQLite

/// The operating system's disk as SQLite is to see it: every page is sealed when it is written into
/// a database or its write-ahead log, and opened when it is read.
///
///     SQLite ──▶ SealedDisk ──▶ the system's own VFS
///                 ├ database: `SealedFile.database`
///                 └ write-ahead log: `SealedFile.log`
///
/// So no statement can answer what is not what was written, whichever table, index or list of free
/// pages it reads, and nothing that is read is ever on the disk in the clear. A rollback journal
/// passes through: SQLite has one only while it makes the empty file a database, and no page of
/// text gets there. Files of another kind are refused.
///
/// Each seal has a disk of its own, which SQLite knows for as long as the process lives.
enum SealedDisk {
  /// Registers the disk of this seal with SQLite, and answers how to tell SQLite to open a file on
  /// it.
  static func location(of path: String, seal: PageSeal) throws -> String {
    var plain = CharacterSet.alphanumerics
    plain.insert(charactersIn: "/._-")
    let escaped = path.addingPercentEncoding(withAllowedCharacters: plain) ?? path
    return "file:\(escaped)?vfs=\(try register(seal))"
  }

  /// Makes room for nonce and tag in each page. MUST be called before anything is in the database;
  /// one that has pages keeps its form.
  static func reserve(in connection: OpaquePointer?) {
    var bytes = CInt(PageSeal.reservedBytes)
    sqlite3_file_control(connection, nil, SQLITE_FCNTL_RESERVE_BYTES, &bytes)
  }

  /// The system's own.
  ///
  /// `nonisolated(unsafe)`: SQLite's, which never changes nor ends.
  nonisolated(unsafe) private static let system = sqlite3_vfs_find(nil)

  private static func register(_ seal: PageSeal) throws -> String {
    // No other object that SQLite knows has this address, since none of them ends.
    let address = UInt(bitPattern: Unmanaged.passUnretained(seal).toOpaque())
    let name = "muster-sealed-" + String(address, radix: 16)
    if sqlite3_vfs_find(name) != nil { return name }
    guard let system else { throw StoreError.io("SQLite has no disk") }
    let disk = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    // The other calls of the system's disk do not look at which one they are given.
    disk.initialize(to: system.pointee)
    disk.pointee.pNext = nil
    disk.pointee.zName = UnsafePointer(strdup(name))
    disk.pointee.szOsFile = Int32(SealedFile.headerBytes) + system.pointee.szOsFile
    disk.pointee.pAppData = Unmanaged.passRetained(seal).toOpaque()
    disk.pointee.xOpen = { disk, path, file, flags, outFlags in
      SealedDisk.open(disk!, path, file!, flags, outFlags)
    }
    guard sqlite3_vfs_register(disk, 0) == SQLITE_OK else {
      throw StoreError.io("SQLite takes no other disk")
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
    // SQLite closes whatever has methods, even where opening it failed.
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
