internal import Foundation
internal import GRDB
internal import MusterModel
public import SQLiteSeal

/// The database of a node: the log, which is the source of truth; the view, which is derived from
/// it and can be rebuilt; and local data that is not replicated.
///
///     Batch ──▶ commit ──▶ one transaction ──▶ log:  logs, frames, waiting
///                                          └──▶ view: rows, crossings, records, positions
///     reads ◀── a snapshot between two commits
///
/// - Every method is one transaction and keeps one invariant. When `commit` returns, the batch is
///   on disk (`synchronous=FULL`); when it throws, nothing of it is, and the next may succeed.
/// - Exactly one connection writes and checkpoints: SQLite before 3.51.3 can damage a database with
///   two.
/// - A log's frames are stored without gaps, and a frame is applied once.
/// - A failed write never prevents reading.
///
/// It verifies no signature, evaluates no authority and reads no clock: callers do, before. Callers
/// never see SQL. The methods block, so a node calls them from a queue of its own.
public struct Store: Sendable {
  let writer: any DatabaseWriter
  let memory = CommitMemory()
  /// The ciphertext of blobs.
  let blobs: any BlobStorage

  /// Opens the database, or creates it with mode 0600.
  ///
  /// - Parameter seal: the seal of its pages, with the same key whenever it is opened.
  public static func open(path: String, seal: PageSeal) throws(StoreError) -> Store {
    do {
      if try seal.isUnsealed(path) { throw StoreError.unsealed }
      try makePrivate(path)
      var configuration = configuration
      configuration.prepareDatabase { SealedDisk.reserve(in: $0.sqliteConnection) }
      let pool = try DatabasePool(
        path: SealedDisk.location(of: path, seal: seal), configuration: configuration)
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
      return try Store(
        preparing: pool, blobs: BlobFolder(folder.appendingPathComponent("blobs")))
    } catch {
      throw StoreError(error)
    }
  }

  /// Opens or creates a database on another VFS than the operating system's: simulations register
  /// one and cut its power.
  ///
  /// - Parameters:
  ///   - name: the file name on it; letters, digits, dots and slashes.
  ///   - vfs: the name of the VFS.
  ///   - checkpointPages: how many pages of the write-ahead log trigger a checkpoint.
  ///   - blobs: the ciphertext of blobs, which survives the power cut.
  public static func open(
    name: String, vfs: String, checkpointPages: Int, blobs: any BlobStorage = BlobMemory()
  ) throws(StoreError) -> Store {
    do {
      var configuration = configuration
      configuration.prepareDatabase { database in
        try database.execute(sql: "PRAGMA wal_autocheckpoint=\(checkpointPages)")
      }
      let pool = try DatabasePool(path: "file:\(name)?vfs=\(vfs)", configuration: configuration)
      return try Store(preparing: pool, blobs: blobs)
    } catch {
      throw StoreError(error)
    }
  }

  /// Creates a store in memory, for tests, simulations and rebuilds of the view.
  public static func inMemory() throws(StoreError) -> Store {
    do {
      return try Store(preparing: DatabaseQueue(configuration: configuration))
    } catch {
      throw StoreError(error)
    }
  }

  private init(
    preparing writer: any DatabaseWriter, blobs: any BlobStorage = BlobMemory()
  ) throws {
    // GRDB sets NORMAL while it opens, and SQLite ignores the setting inside a transaction.
    try writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous=FULL") }
    #if Canary
      if Canary.skipSync.isPlanted {
        try writer.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous=OFF") }
      }
    #endif
    // What it wrote before that, and what an earlier start left, may not be synced.
    try Self.settleLog(of: writer)
    let migrations = Migrations.all
    if try writer.read(migrations.hasBeenSuperseded) { throw StoreError.newerVersion }
    try migrations.migrate(writer)
    self.writer = writer
    self.blobs = blobs
  }

  /// Returns a copy in memory: the backup of a device, in simulations.
  public func copiedInMemory() throws(StoreError) -> Store {
    do {
      let copy = try DatabaseQueue(configuration: Self.configuration)
      try writer.backup(to: copy)
      return try Store(preparing: copy, blobs: (blobs as? BlobMemory)?.copied() ?? BlobMemory())
    } catch {
      throw StoreError(error)
    }
  }

  /// Checkpoints the whole write-ahead log into the database, synced, and restarts the log.
  ///
  /// After a failed sync it is unknown what of the log is on disk, although it reads correctly and
  /// later syncs succeed: nothing after it in the log is durable until this has been done.
  public func settleLog() throws(StoreError) {
    do { try Self.settleLog(of: writer) } catch { throw StoreError(error) }
  }

  private static func settleLog(of writer: any DatabaseWriter) throws {
    try writer.writeWithoutTransaction { database in
      let row = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(RESTART)")
      if row?[0] != 0 { throw StoreError.locked }
    }
  }

  /// Checkpoints the write-ahead log into the database, and closes the file. The store MUST NOT be
  /// used afterwards.
  public func close() throws(StoreError) {
    do {
      try writer.writeWithoutTransaction { database in
        _ = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      }
    } catch {
      // Without room in the database the pages stay in the log, for the next start.
    }
    do { try writer.close() } catch { throw StoreError(error) }
  }

  /// Reads a whole database that is not open, and returns its damage; nil if there is none. Its
  /// write-ahead log is checkpointed.
  public static func problem(
    ofDatabaseAt path: String, seal: PageSeal
  ) throws(StoreError) -> String? {
    guard let problem = try damage(ofDatabaseAt: path, seal: seal) else { return nil }
    let isForeign = try StoreError.converting { () throws(SealFault) in try seal.isForeign(path) }
    if isForeign { throw .foreign }
    return problem
  }

  private static func damage(
    ofDatabaseAt path: String, seal: PageSeal
  ) throws(StoreError) -> String? {
    let isLogDamaged = try StoreError.converting { () throws(SealFault) in
      try WriteAheadLog.read(path + "-wal", seal: seal) { _ in }
    }
    if isLogDamaged { return "the database's log is damaged" }
    do {
      try open(path: path, seal: seal).close()
      // Not while it is open: the system would release its locks.
      let problems = try StoreError.converting { () throws(SealFault) in
        try seal.problems(ofFile: path)
      }
      return problems.first
    } catch .corrupt(let detail) {
      return detail
    }
  }

  /// Returns the damage found by SQLite and by a count of each log's frames; empty if there is
  /// none. Takes seconds for a large database.
  public func integrityProblems() throws(StoreError) -> [String] {
    do {
      return try writer.read { database in
        let problems = try String.fetchAll(database, sql: "PRAGMA quick_check")
          .filter { $0 != "ok" }
        return try problems
          + FrameTable.brokenLogs(database).map {
            "log \($0) is missing frames, or its newest is not its head"
          }
      }
    } catch {
      let fault = StoreError(error)
      if case .corrupt(let detail) = fault { return [detail] }
      throw fault
    }
  }
}

// MARK: - Connections

extension Store {
  private static let writerCacheKibibytes = 64 * 1024
  private static let readerCacheKibibytes = 8 * 1024
  private static let walBytesKept = 64 * 1024 * 1024
  /// The size of the write-ahead log that triggers a checkpoint, in pages: 32 MiB. A catch-up
  /// writes most pages many times in it, and once to the database.
  private static let checkpointPages = 8192

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.label = "muster.store"
    configuration.busyMode = .immediateError
    configuration.maximumReaderCount = 2
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

// MARK: - Transactions

extension Store {
  func write<T>(_ body: (Database) throws -> T) throws(StoreError) -> T {
    do { return try writer.write(body) } catch { throw StoreError(error) }
  }

  func read<T>(_ body: (Database) throws -> T) throws(StoreError) -> T {
    do { return try writer.reading(body) } catch { throw StoreError(error) }
  }

  /// Runs SQL on the writing connection and returns the first column: for tests, which read
  /// settings, set limits and cause damage.
  @discardableResult
  func execute(unchecked sql: String) throws(StoreError) -> [String] {
    do {
      return try writer.writeWithoutTransaction { database in
        memory.forget()
        return try String.fetchAll(database, sql: sql)
      }
    } catch {
      throw StoreError(error)
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
