internal import GRDBSQLite

/// A SQLite file from an untrusted source, opened read-only.
///
/// It may be damaged or malicious. Its cost is bounded by the length of a value and by the steps of
/// a query; its views cannot call functions with side effects.
///
/// Not thread-safe: the owner serializes access.
final class MBTilesFile {
  /// The limit of one value; SQLite reports an error for a longer one.
  private static let valueBytes: Int32 = 4 * 1024 * 1024
  /// Steps of SQLite's virtual machine between two checks of the step count.
  private static let stepsAtOnce: Int32 = 10_000
  /// Checks until a query is interrupted: about one second.
  private static let mostLooks = 2_000

  private let handle: OpaquePointer
  /// The number of checks since the query began.
  private let looks: UnsafeMutablePointer<Int>

  /// An error of SQLite.
  struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  init(opening path: String) throws(Fault) {
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(path, &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let opened else {
      sqlite3_close_v2(opened)
      throw Fault(description: String(cString: sqlite3_errstr(code)))
    }
    handle = opened
    looks = .allocate(capacity: 1)
    looks.initialize(to: 0)
    sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, Self.valueBytes)
    sqlite3_limit(opened, SQLITE_LIMIT_ATTACHED, 0)
    sqlite3_busy_timeout(opened, 1000)
    sqlite3_progress_handler(
      opened, Self.stepsAtOnce,
      { context in
        guard let looks = context?.assumingMemoryBound(to: Int.self) else { return 1 }
        looks.pointee += 1
        return looks.pointee > MBTilesFile.mostLooks ? 1 : 0
      }, looks)
    try run("PRAGMA trusted_schema = OFF")
    try run("PRAGMA cell_size_check = ON")
  }

  deinit {
    sqlite3_close_v2(handle)
    looks.deallocate()
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
    looks.pointee = 0
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, query, -1, &statement, nil) == SQLITE_OK, let statement else {
      throw fault
    }
    defer { sqlite3_finalize(statement) }
    for (index, value) in values.enumerated() {
      guard sqlite3_bind_int64(statement, Int32(index + 1), value) == SQLITE_OK else { throw fault }
    }
    var rows: [[Column]] = []
    while rows.count < limit {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        rows.append(
          (0..<sqlite3_column_count(statement)).map { Self.column($0, of: statement) })
      case SQLITE_DONE: return rows
      default: throw fault
      }
    }
    return rows
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
