internal import Foundation
internal import GRDBSQLite

/// What SQLite keeps beside a database: the log of its latest changes in WAL mode, or after a crash
/// the journal of what an unfinished change replaced. Without it, the database is not complete.
enum SQLiteJournal {
  /// The endings of SQLite's own files.
  static let suffixes = ["-wal", "-shm", "-journal"]

  private static let walHeaderBytes = 32
  private static let journalMagic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
  /// Where the header of a database states its mode, and the number of WAL (file format 1.3.3).
  private static let (modeOffset, walMode) = (18, UInt8(2))

  /// Whether a database is in WAL mode.
  static func isWAL(_ database: String) -> Bool {
    beginning(of: database, modeOffset + 1).last == walMode
  }

  /// Returns the ending of the file beside a database without which it is not complete; nil if it
  /// is complete.
  static func suffix(beside database: String) -> String? {
    guard beginning(of: database, MBTilesFile.magic.count) == MBTilesFile.magic else { return nil }
    if isWAL(database) {
      let log = beginning(of: database + "-wal", walHeaderBytes + 1)
      return log.count > walHeaderBytes ? "-wal" : nil
    }
    let journal = beginning(of: database + "-journal", journalMagic.count)
    return journal == journalMagic ? "-journal" : nil
  }

  /// Completes a database by the file beside it, which is then gone. Both MUST be copies.
  static func complete(_ database: String) throws(BaseMap.Fault) {
    var opened: OpaquePointer?
    defer { sqlite3_close_v2(opened) }
    let isDone =
      sqlite3_open_v2(database, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
      == SQLITE_OK
      && sqlite3_exec(opened, "PRAGMA trusted_schema = OFF", nil, nil, nil) == SQLITE_OK
      && sqlite3_exec(opened, "PRAGMA journal_mode = DELETE", nil, nil, nil) == SQLITE_OK
    guard isDone else {
      throw BaseMap.Fault(
        "its latest changes cannot be read: \(String(cString: sqlite3_errmsg(opened)))")
    }
  }

  /// Returns the first bytes of a file; fewer if it is shorter, none if it cannot be read.
  private static func beginning(of path: String, _ count: Int) -> [UInt8] {
    guard let file = FileHandle(forReadingAtPath: path) else { return [] }
    do {
      return Array(try file.read(upToCount: count) ?? Data())
    } catch {
      return []
    }
  }
}
