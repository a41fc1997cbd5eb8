internal import Foundation
internal import GRDB
internal import MusterModel

/// The read transaction of a snapshot.
///
/// `@unchecked Sendable`: `Store.withSnapshot` passes it only to the function that runs on the
/// queue of its connection, and ends it when that function returns.
struct SnapshotTransaction: @unchecked Sendable {
  let database: Database
}

extension Store {
  /// The most snapshots that may be read at the same time. The caller MUST keep this bound: one
  /// more waits for a connection, and so does its caller.
  public static let mostSnapshots = 3

  /// The size of the write-ahead log, in bytes, from which a new snapshot waits for the others, so
  /// that the log can be checkpointed whole. While snapshots overlap without a pause, SQLite cannot
  /// restart it.
  private static let longestLogBytes: Int64 = 128 * 1024 * 1024

  /// Reads the state of this moment, on another thread, beside later commits.
  ///
  /// On return the snapshot is taken: no commit after this call is part of it. In memory, and on a
  /// failure, `body` runs before the return.
  ///
  /// - Parameter body: receives a store that reads the snapshot and writes nothing. It MUST NOT
  ///   keep that store, and MUST NOT wait for the queue that writes.
  public func withSnapshot(
    _ body: @escaping @Sendable (Result<Store, StoreError>) -> Void
  ) {
    if let queue = writer as? DatabaseQueue {
      do {
        try queue.unsafeRead { database in
          body(.success(Store(reading: SnapshotTransaction(database: database), of: self)))
        }
      } catch {
        body(.failure(StoreError(error)))
      }
      return
    }
    do {
      try shortenLog()
      try writer.writeWithoutTransaction { _ in
        writer.spawnConcurrentRead { result in
          switch result {
          case .success(let database):
            body(.success(Store(reading: SnapshotTransaction(database: database), of: self)))
          case .failure(let error): body(.failure(StoreError(error)))
          }
        }
      }
    } catch {
      body(.failure(StoreError(error)))
    }
  }

  /// Checkpoints a log that has grown beyond its bound, after the snapshots that are being read.
  func shortenLog(beyond bytes: Int64 = longestLogBytes) throws {
    var facts = stat()
    guard let logPath, stat(logPath, &facts) == 0, facts.st_size > bytes else { return }
    try writer.barrierWriteWithoutTransaction { database in
      _ = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
  }
}
