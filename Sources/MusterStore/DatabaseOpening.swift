internal import Foundation
internal import GRDB
internal import MusterModel
internal import SQLiteSeal

/// How databases are opened: their settings, the mode of their files, and what is done before the
/// first transaction.
enum DatabaseOpening {
  private static let writerCacheKibibytes = 64 * 1024
  private static let readerCacheKibibytes = 8 * 1024
  private static let walBytesKept = 64 * 1024 * 1024
  /// The size of the write-ahead log that triggers a checkpoint, in pages: 32 MiB. A catch-up
  /// writes most pages many times in it, and once to the database.
  private static let checkpointPages = 8192

  /// Opens a sealed database, or creates it with mode 0600.
  static func pool(at path: String, seal: PageSeal) throws -> DatabasePool {
    try makePrivate(path)
    var configuration = configuration
    configuration.prepareDatabase { SealedDisk.reserve(in: $0.sqliteConnection) }
    return try DatabasePool(
      path: SealedDisk.location(of: path, seal: seal), configuration: configuration)
  }

  /// Opens or creates a database on a VFS.
  static func pool(named name: String, vfs: String, checkpointPages: Int) throws -> DatabasePool {
    var configuration = configuration
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA wal_autocheckpoint=\(checkpointPages)")
    }
    return try DatabasePool(path: "file:\(name)?vfs=\(vfs)", configuration: configuration)
  }

  /// Creates a database in memory.
  static func queue() throws -> DatabaseQueue { try DatabaseQueue(configuration: configuration) }

  /// Makes each commit durable, and migrates the database.
  static func prepare(_ writer: any DatabaseWriter) throws {
    // GRDB sets NORMAL while it opens, and SQLite ignores the setting inside a transaction.
    try writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous=FULL") }
    #if Canary
      if Canary.skipSync.isPlanted {
        try writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous=OFF") }
      }
    #endif
    // What it wrote before that, and what an earlier start left, may not be synced.
    try settleLog(of: writer)
    let migrations = Migrations.all
    if try writer.read(migrations.hasBeenSuperseded) { throw StoreError.newerVersion }
    try migrations.migrate(writer)
  }

  /// Checkpoints the whole write-ahead log into the database, synced, and restarts the log, after
  /// the snapshots that are being read.
  static func settleLog(of writer: any DatabaseWriter) throws {
    try writer.barrierWriteWithoutTransaction { database in
      let row = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(RESTART)")
      if row?[0] != 0 { throw StoreError.locked }
    }
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.label = "muster.store"
    configuration.busyMode = .immediateError
    // Others are for the caller's own reads, and for a snapshot that is just ending: the caller
    // never waits for a snapshot.
    configuration.maximumReaderCount = Store.mostSnapshots + 2
    configuration.prepareDatabase { database in
      let isReader = database.configuration.readonly
      let cache = isReader ? readerCacheKibibytes : writerCacheKibibytes
      try database.execute(
        sql: """
          PRAGMA cache_size=-\(cache);
          PRAGMA secure_delete=OFF;
          PRAGMA temp_store=MEMORY;
          PRAGMA fullfsync=ON;
          PRAGMA checkpoint_fullfsync=ON;
          """)
      guard !isReader else { return }
      try database.execute(
        sql: """
          PRAGMA journal_size_limit=\(walBytesKept);
          PRAGMA wal_autocheckpoint=\(checkpointPages);
          """)
    }
    return configuration
  }

  /// SQLite gives its other files the mode of the database file.
  private static func makePrivate(_ path: String) throws {
    let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
    let files = FileManager.default
    if files.fileExists(atPath: path) {
      do { try files.setAttributes(mode, ofItemAtPath: path) } catch {
        throw StoreError.io("cannot set the mode of \(path)")
      }
    } else if !files.createFile(atPath: path, contents: nil, attributes: mode) {
      throw StoreError.io("cannot make the file \(path)")
    }
  }
}

extension DatabaseWriter {
  /// The `read` of a queue forbids writes by a setting. After each change of it, SQLite prepares
  /// every statement again, which costs more than the reads. Nothing else uses the connection in
  /// the meantime.
  func reading<T>(_ body: (Database) throws -> T) throws -> T {
    if let queue = self as? DatabaseQueue { return try queue.unsafeRead(body) }
    return try read(body)
  }
}
