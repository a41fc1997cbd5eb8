import GRDBSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A SQLite file from an untrusted source.
///
/// Its cost is bounded by the length of a value and the processor time of a query. Its views can
/// only read and join its own tables: a function or a recursion can produce gigabytes in a few
/// steps.
final class Database {
  /// The limit of one value; SQLite reports an error for a longer one.
  private static let valueBytes: Int32 = 4 * 1024 * 1024
  /// What SQLite may use of the memory of the process, for an error in place of its end.
  private static let memoryBytes: Int64 = 128 << 20
  /// Steps of SQLite's virtual machine between two looks at the clock.
  private static let stepsAtOnce: Int32 = 1000
  /// The longest time of a query, of a processor.
  private static let patienceMicroseconds = 3_000_000
  /// The functions of the queries of a node.
  private static let functions: Set = ["min", "max", "like"]
  private static let likeBytes: Int32 = 100
  /// Where the header states how changes are written, and the number for a database without a log
  /// of them: with one, SQLite would search it beside the file (file format 1.3.3).
  private static let (modeOffsets, withoutLog) = (18...19, UInt8(1))

  private let handle: OpaquePointer
  /// When the running query is interrupted.
  private let deadline: UnsafeMutablePointer<Int>

  /// Starts SQLite, before the process gives up the right to read files.
  static func warmUp() -> Bool { sqlite3_initialize() == SQLITE_OK }

  init(_ file: MappedFile) throws(Failure) {
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(
      ":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let opened else {
      throw Failure(String(cString: sqlite3_errstr(code)))
    }
    handle = opened
    deadline = .allocate(capacity: 1)
    deadline.initialize(to: 0)
    for offset in Self.modeOffsets { file.replace(offset, by: Self.withoutLog) }
    let bytes = file.start.assumingMemoryBound(to: UInt8.self)
    let count = sqlite3_int64(file.count)
    try check(
      sqlite3_deserialize(
        opened, "main", bytes, count, count, UInt32(SQLITE_DESERIALIZE_READONLY)))
    sqlite3_hard_heap_limit64(Self.memoryBytes)
    sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, Self.valueBytes)
    sqlite3_limit(opened, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, Self.likeBytes)
    sqlite3_limit(opened, SQLITE_LIMIT_ATTACHED, 0)
    sqlite3_progress_handler(
      opened, Self.stepsAtOnce,
      { context in
        let deadline = context?.assumingMemoryBound(to: Int.self)
        return clock() > deadline?.pointee ?? 0 ? 1 : 0
      }, deadline)
    for setting in ["trusted_schema = OFF", "cell_size_check = ON", "temp_store = MEMORY"] {
      deadline.pointee = clock() + Self.patienceMicroseconds
      try check(sqlite3_exec(opened, "PRAGMA \(setting)", nil, nil, nil))
    }
    sqlite3_set_authorizer(
      opened,
      { _, action, _, name, _, _ in
        switch action {
        case SQLITE_SELECT, SQLITE_READ: SQLITE_OK
        case SQLITE_FUNCTION:
          name.map { Database.functions.contains(String(cString: $0).lowercased()) } == true
            ? SQLITE_OK : SQLITE_DENY
        default: SQLITE_DENY
        }
      }, nil)
  }

  deinit {
    sqlite3_close_v2(handle)
    deadline.deallocate()
  }

  /// Adds the names of the columns and the rows.
  func answer(_ query: Request.Query, into answer: inout Answer) throws(Failure) {
    deadline.pointee = clock() + Self.patienceMicroseconds
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(handle, query.text, -1, &statement, nil))
    guard let statement else { throw Failure("the query is empty") }
    defer { sqlite3_finalize(statement) }
    for (index, number) in query.numbers.enumerated() {
      try check(sqlite3_bind_int64(statement, Int32(index + 1), number))
    }
    let columns = 0..<sqlite3_column_count(statement)
    var row: [UInt8] = []
    for column in columns {
      let name = sqlite3_column_name(statement, column)
      Self.append(2, name, name.map { strlen($0) } ?? 0, to: &row)
    }
    try answer.add(.row, row)
    for _ in 0..<query.mostRows {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { return try check(code) }
      row.removeAll(keepingCapacity: true)
      for column in columns where row.count <= Answer.mostBytes {
        Self.append(column, of: statement, to: &row)
      }
      try answer.add(.row, row)
    }
  }

  private func check(_ code: Int32) throws(Failure) {
    guard code != SQLITE_OK else { return }
    throw Failure(String(cString: sqlite3_errmsg(handle)))
  }

  private static func append(
    _ column: Int32, of statement: OpaquePointer, to row: inout [UInt8]
  ) {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_NULL: row.append(0)
    case SQLITE_INTEGER:
      row.append(1)
      Bytes.append(sqlite3_column_int64(statement, column), to: &row)
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(statement, column)
      append(3, start, Int(sqlite3_column_bytes(statement, column)), to: &row)
    default:
      let start = sqlite3_column_text(statement, column)
      append(2, start, Int(sqlite3_column_bytes(statement, column)), to: &row)
    }
  }

  private static func append(
    _ kind: UInt8, _ start: UnsafeRawPointer?, _ count: Int, to row: inout [UInt8]
  ) {
    let bytes = UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    row.append(kind)
    Bytes.append(UInt32(bytes.count), to: &row)
    row += bytes
  }
}
