internal import Foundation
internal import GRDB
internal import MusterModel
public import SQLiteSeal

/// The database of a node: the log, which is the source of truth; the view, which is derived from
/// it and can be rebuilt; and local data that is not replicated.
///
///     Batch ──▶ commit ──▶ one transaction ──▶ log:  logs, frames, waiting
///                                          └──▶ view: rows, crossings, records, positions
///     reads ◀── a snapshot between two commits, or beside later ones (`withSnapshot`)
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
  let memory: CommitMemory
  /// The ciphertext of blobs.
  let blobs: any BlobStorage
  /// The file of the write-ahead log; nil without one, or on another VFS.
  let logPath: String?
  /// The transaction that a snapshot reads; nil for a store that reads the newest commit.
  private let snapshot: SnapshotTransaction?

  /// Opens the database, or creates it with mode 0600.
  ///
  /// - Parameter seal: the seal of its pages, with the same key whenever it is opened.
  public static func open(path: String, seal: PageSeal) throws(StoreError) -> Store {
    do {
      if try seal.isUnsealed(path) { throw StoreError.unsealed }
      let pool = try DatabaseOpening.pool(at: path, seal: seal)
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
      return try Store(
        preparing: pool, blobs: BlobFolder(folder.appendingPathComponent("blobs")),
        logPath: path + "-wal")
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
      let pool = try DatabaseOpening.pool(
        named: name, vfs: vfs, checkpointPages: checkpointPages)
      return try Store(preparing: pool, blobs: blobs)
    } catch {
      throw StoreError(error)
    }
  }

  /// Creates a store in memory, for tests, simulations and rebuilds of the view.
  public static func inMemory() throws(StoreError) -> Store {
    do {
      return try Store(preparing: DatabaseOpening.queue())
    } catch {
      throw StoreError(error)
    }
  }

  private init(
    preparing writer: any DatabaseWriter, blobs: any BlobStorage = BlobMemory(),
    logPath: String? = nil
  ) throws {
    try DatabaseOpening.prepare(writer)
    self.writer = writer
    self.blobs = blobs
    self.logPath = logPath
    memory = CommitMemory()
    snapshot = nil
  }

  /// Creates a store that reads a transaction of another, and writes nothing.
  init(reading snapshot: SnapshotTransaction, of store: Store) {
    writer = store.writer
    blobs = store.blobs
    logPath = store.logPath
    memory = CommitMemory()
    self.snapshot = snapshot
  }

  /// Returns a copy in memory: the backup of a device, in simulations.
  public func copiedInMemory() throws(StoreError) -> Store {
    do {
      let copy = try DatabaseOpening.queue()
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
    try requireWritable()
    do { try DatabaseOpening.settleLog(of: writer) } catch { throw StoreError(error) }
  }

  /// Checkpoints the write-ahead log into the database, and closes the file. The store MUST NOT be
  /// used afterwards.
  public func close() throws(StoreError) {
    try requireWritable()
    do {
      try writer.barrierWriteWithoutTransaction { database in
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
      return try reading { database in
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

// MARK: - Transactions

extension Store {
  func write<T>(_ body: (Database) throws -> T) throws(StoreError) -> T {
    try requireWritable()
    do { return try writer.write(body) } catch { throw StoreError(error) }
  }

  func read<T>(_ body: (Database) throws -> T) throws(StoreError) -> T {
    do { return try reading(body) } catch { throw StoreError(error) }
  }

  func reading<T>(_ body: (Database) throws -> T) throws -> T {
    if let snapshot { return try body(snapshot.database) }
    return try writer.reading(body)
  }

  func requireWritable() throws(StoreError) {
    if snapshot != nil { throw .io("a snapshot is read-only") }
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
