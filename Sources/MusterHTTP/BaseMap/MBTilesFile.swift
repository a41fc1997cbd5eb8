internal import Foundation
internal import GRDBSQLite

/// A SQLite file from an untrusted source, opened read-only.
///
/// It may be damaged or malicious. Its cost is bounded by the length of a value and the time of a
/// query. Its views can only read and join its own tables: a function or a recursion can produce
/// gigabytes in a few steps. Virtual tables are rejected, since they parse what the file contains.
///
/// Nothing is written beside it, and it may be on read-only media: in WAL mode, the file is opened
/// as one that does not change.
///
/// Not thread-safe: the owner serializes access.
final class MBTilesFile {
  /// The first bytes of a SQLite file.
  static let magic = Array("SQLite format 3".utf8)
  /// The limit of one value; SQLite reports an error for a longer one.
  private static let valueBytes: Int32 = 4 * 1024 * 1024
  /// Steps of SQLite's virtual machine between two looks at the clock.
  private static let stepsAtOnce: Int32 = 1000
  /// The longest time of a query.
  private static let patience = Duration.seconds(3)
  /// The functions of the queries of this program.
  private static let functions: Set = ["min", "max"]

  private let handle: OpaquePointer
  /// When the running query is interrupted.
  private let deadline: UnsafeMutablePointer<ContinuousClock.Instant>

  /// An error of SQLite.
  struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  /// - Parameter skipsVirtual: whether virtual tables are permitted. The caller MUST NOT read them.
  init(opening path: String, skipsVirtual: Bool = false) throws(Fault) {
    var opened: OpaquePointer?
    let address = URL(filePath: path).absoluteString
    let code = sqlite3_open_v2(
      SQLiteJournal.isWAL(path) ? "\(address)?immutable=1" : address, &opened,
      SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, nil)
    guard code == SQLITE_OK, let opened else {
      sqlite3_close_v2(opened)
      throw Fault(description: String(cString: sqlite3_errstr(code)))
    }
    handle = opened
    deadline = .allocate(capacity: 1)
    deadline.initialize(to: .now)
    sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, Self.valueBytes)
    sqlite3_limit(opened, SQLITE_LIMIT_ATTACHED, 0)
    sqlite3_busy_timeout(opened, 1000)
    sqlite3_progress_handler(
      opened, Self.stepsAtOnce,
      { context in
        let deadline = context?.assumingMemoryBound(to: ContinuousClock.Instant.self)
        return ContinuousClock.now > deadline?.pointee ?? .now ? 1 : 0
      }, deadline)
    try run("PRAGMA trusted_schema = OFF")
    try run("PRAGMA cell_size_check = ON")
    if !skipsVirtual {
      let virtual = "SELECT 1 FROM sqlite_schema WHERE sql LIKE '%virtual%using%'"
      guard try rows(virtual, limit: 1).isEmpty else {
        throw Fault(description: "it contains a virtual table, which no map needs")
      }
    }
    sqlite3_set_authorizer(
      opened,
      { _, action, _, name, _, _ in
        switch action {
        case SQLITE_SELECT, SQLITE_READ: SQLITE_OK
        case SQLITE_FUNCTION:
          name.map { MBTilesFile.functions.contains(String(cString: $0).lowercased()) } == true
            ? SQLITE_OK : SQLITE_DENY
        default: SQLITE_DENY
        }
      }, nil)
  }

  deinit {
    sqlite3_close_v2(handle)
    deadline.deallocate()
  }

  /// One value of a row.
  enum Column {
    case none
    case integer(Int64)
    case text(String)
    case blob([UInt8])
  }

  /// Returns the first rows of a query, at most `limit`.
  func rows(_ query: String, _ values: [Int64] = [], limit: Int) throws(Fault) -> [[Column]] {
    var rows: [[Column]] = []
    try read(query, values) { _, row in
      rows.append(row)
      return rows.count < limit
    }
    return rows
  }

  /// Passes the rows of a query, one after another, with the names of the columns.
  ///
  /// - Parameter take: returns whether the next row is wanted.
  func read(
    _ query: String, _ values: [Int64] = [], _ take: (_ names: [String], [Column]) -> Bool
  ) throws(Fault) {
    deadline.pointee = .now + Self.patience
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, query, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw fault
    }
    defer { sqlite3_finalize(statement) }
    for (index, value) in values.enumerated() {
      guard sqlite3_bind_int64(statement, Int32(index + 1), value) == SQLITE_OK else { throw fault }
    }
    let columns = 0..<sqlite3_column_count(statement)
    let names = columns.map { sqlite3_column_name(statement, $0).map { String(cString: $0) } ?? "" }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        guard take(names, columns.map { Self.column($0, of: statement) }) else { return }
      case SQLITE_DONE: return
      default: throw fault
      }
    }
  }

  private func run(_ statement: String) throws(Fault) { _ = try rows(statement, limit: 1) }

  private var fault: Fault { Fault(description: String(cString: sqlite3_errmsg(handle))) }

  private static func column(_ index: Int32, of statement: OpaquePointer) -> Column {
    switch sqlite3_column_type(statement, index) {
    case SQLITE_NULL: return .none
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, index))
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(statement, index)
      let count = Int(sqlite3_column_bytes(statement, index))
      return .blob(Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)))
    default:
      guard let start = sqlite3_column_text(statement, index) else { return .none }
      return .text(String(cString: start))
    }
  }
}
