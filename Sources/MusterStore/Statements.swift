internal import GRDB
internal import GRDBSQLite
internal import MusterModel

// Cached statements, prepared once per connection. They are bound and stepped by SQLite's own
// calls: a catch-up executes hundreds of thousands, and wrapping each value and row would cost more
// than SQLite's work.

extension Database {
  /// Runs a statement without results.
  func run(_ sql: String, _ values: [ColumnValue] = []) throws {
    try run(cachedStatement(sql: sql), values)
  }

  /// Runs a statement without results that `cachedStatement` returned: with many rows, finding it
  /// by its text each time costs as much as SQLite's work.
  func run(_ prepared: Statement, _ values: [ColumnValue]) throws {
    try withStatement(prepared, values) { statement in
      while try step(statement) {}
    }
  }

  /// Calls `body` with each row until it returns false. `body` MUST NOT run the same statement.
  func eachWhile(
    _ sql: String, _ values: [ColumnValue] = [], of table: String,
    _ body: (inout ColumnReader) throws -> Bool
  ) throws {
    try withStatement(cachedStatement(sql: sql), values) { statement in
      while try step(statement) {
        var reader = ColumnReader(statement, of: table)
        guard try body(&reader) else { return }
      }
    }
  }

  func each(
    _ sql: String, _ values: [ColumnValue] = [], of table: String,
    _ body: (inout ColumnReader) throws -> Void
  ) throws {
    try eachWhile(sql, values, of: table) { columns in
      try body(&columns)
      return true
    }
  }

  func all<T>(
    _ sql: String, _ values: [ColumnValue] = [], of table: String,
    _ decode: (inout ColumnReader) throws -> T
  ) throws -> [T] {
    var found: [T] = []
    try each(sql, values, of: table) { found.append(try decode(&$0)) }
    return found
  }

  func first<T>(
    _ sql: String, _ values: [ColumnValue] = [], of table: String,
    _ decode: (inout ColumnReader) throws -> T
  ) throws -> T? {
    try withStatement(cachedStatement(sql: sql), values) { statement in
      guard try step(statement) else { return nil }
      var reader = ColumnReader(statement, of: table)
      return try decode(&reader)
    }
  }

  private func withStatement<T>(
    _ prepared: Statement, _ values: [ColumnValue], _ body: (OpaquePointer) throws -> T
  ) throws -> T {
    let statement = prepared.sqliteStatement
    defer { sqlite3_reset(statement) }
    // An unbound parameter would keep its previous value.
    precondition(
      Int(sqlite3_bind_parameter_count(statement)) == values.count,
      "\(values.count) values for: \(prepared.sql)")
    for (index, value) in values.enumerated() {
      guard value.bind(to: statement, at: CInt(index + 1)) == SQLITE_OK else { throw failure }
    }
    return try withExtendedLifetime(prepared) { try body(statement) }
  }

  /// Returns whether there is another row.
  private func step(_ statement: OpaquePointer) throws -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw failure
    }
  }

  private var failure: DatabaseError {
    DatabaseError(
      resultCode: ResultCode(rawValue: sqlite3_extended_errcode(sqliteConnection)),
      message: String(cString: sqlite3_errmsg(sqliteConnection)))
  }
}

extension ColumnValue {
  /// SQLite copies the bytes.
  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  fileprivate func bind(to statement: OpaquePointer, at index: CInt) -> CInt {
    switch self {
    case .null: sqlite3_bind_null(statement, index)
    case .integer(let number): sqlite3_bind_int64(statement, index, number)
    case .text(let text): sqlite3_bind_text(statement, index, text, -1, Self.copied)
    case .bytes(let bytes): bytes.withUnsafeBytes { Self.bind($0, to: statement, at: index) }
    case .bytes16(let raw):
      withUnsafeBytes(of: (raw.high.bigEndian, raw.low.bigEndian)) {
        Self.bind($0, to: statement, at: index)
      }
    case .bytes32(let raw):
      withUnsafeBytes(
        of: (
          raw.prefix.high.bigEndian, raw.prefix.low.bigEndian, raw.suffix.high.bigEndian,
          raw.suffix.low.bigEndian
        )
      ) { Self.bind($0, to: statement, at: index) }
    }
  }

  private static func bind(
    _ bytes: UnsafeRawBufferPointer, to statement: OpaquePointer, at index: CInt
  ) -> CInt {
    // A null pointer would bind NULL.
    guard let start = bytes.baseAddress, !bytes.isEmpty else {
      return sqlite3_bind_zeroblob(statement, index, 0)
    }
    return sqlite3_bind_blob(statement, index, start, CInt(bytes.count), copied)
  }
}
