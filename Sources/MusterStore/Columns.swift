internal import Foundation
internal import GRDB
internal import MusterModel

// How values of the model become columns, and back. Reading checks everything: a damaged file must
// end in `StoreError.corrupt` and never in a trap.

// MARK: - To columns

extension Bytes16 {
  var blob: DatabaseValue {
    withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Data($0).databaseValue }
  }
}

extension Identifier {
  var blob: DatabaseValue { raw.blob }
}

extension Bytes32 {
  var blob: DatabaseValue { bytes.blob }
}

extension Digest32 {
  var blob: DatabaseValue { raw.blob }
}

extension [UInt8] {
  var blob: DatabaseValue { Data(self).databaseValue }
}

extension FixedWidthInteger {
  /// Integers above `Int64.max` keep their bits; whoever compares them does so in Swift.
  var column: DatabaseValue { Int64(truncatingIfNeeded: self).databaseValue }
}

extension Bool {
  var column: DatabaseValue { (self ? 1 : 0).databaseValue }
}

extension Timestamp {
  var column: DatabaseValue { milliseconds.databaseValue }
}

extension Optional {
  /// NULL for nil.
  func column(_ convert: (Wrapped) -> DatabaseValue) -> DatabaseValue {
    map(convert) ?? .null
  }
}

// MARK: - From columns

/// Reads the columns of one row from left to right.
struct ColumnReader {
  let row: Row
  /// The table, for the message about damage.
  let table: String
  private var index = 0

  init(_ row: Row, of table: String) {
    self.row = row
    self.table = table
  }

  var damage: StoreError { .corrupt("table \(table), column \(index)") }

  mutating func integer<T: FixedWidthInteger>(_ type: T.Type = T.self) throws -> T {
    guard let value = try optionalInteger(type) else { throw damage }
    return value
  }

  mutating func optionalInteger<T: FixedWidthInteger>(_ type: T.Type = T.self) throws -> T? {
    let value: DatabaseValue = row[index]
    index += 1
    switch value.storage {
    case .null: return nil
    case .int64(let number):
      guard let exact = T(exactly: number) else { throw damage }
      return exact
    default: throw damage
    }
  }

  /// The bits that `FixedWidthInteger.column` kept.
  mutating func wideInteger() throws -> UInt64 { UInt64(bitPattern: try integer(Int64.self)) }

  mutating func timestamp() throws -> Timestamp { Timestamp(milliseconds: try integer()) }

  mutating func code<T: RawRepresentable<UInt8>>(_ type: T.Type = T.self) throws -> T {
    guard let code = T(rawValue: try integer()) else { throw damage }
    return code
  }

  mutating func bytes() throws -> [UInt8] {
    guard let bytes = try optionalBytes() else { throw damage }
    return bytes
  }

  mutating func optionalBytes() throws -> [UInt8]? {
    defer { index += 1 }
    return try row.withUnsafeData(atIndex: index) { $0.map { [UInt8]($0) } }
  }

  mutating func bytes16() throws -> Bytes16 {
    guard let raw = try optionalBytes16() else { throw damage }
    return raw
  }

  mutating func optionalBytes16() throws -> Bytes16? {
    defer { index += 1 }
    return try row.withUnsafeData(atIndex: index) { data in
      guard let data else { return nil }
      guard let raw = data.withUnsafeBytes({ Bytes16($0) }) else { throw damage }
      return raw
    }
  }

  mutating func bytes32() throws -> Bytes32 {
    guard let raw = try optionalBytes32() else { throw damage }
    return raw
  }

  mutating func optionalBytes32() throws -> Bytes32? {
    guard let bytes = try optionalBytes() else { return nil }
    guard let raw = Bytes32(bytes) else { throw damage }
    return raw
  }

  mutating func identifier<T: Identifier>(_ type: T.Type = T.self) throws -> T {
    T(raw: try bytes16())
  }

  mutating func digest<T: Digest32>(_ type: T.Type = T.self) throws -> T {
    T(raw: try bytes32())
  }

  mutating func coordinate() throws -> Coordinate {
    let latitude = try integer(Int64.self)
    let longitude = try integer(Int64.self)
    guard let place = Coordinate(latitudeE7: latitude, longitudeE7: longitude) else { throw damage }
    return place
  }

  mutating func fix() throws -> Fix {
    let position = try coordinate()
    let accuracy = try optionalInteger(UInt32.self)
    return Fix(position: position, accuracyDecimetres: accuracy, sampleTime: try timestamp())
  }
}

extension Fix {
  /// The four columns that `ColumnReader.fix` reads.
  var columns: [DatabaseValue] {
    [
      position.latitudeE7.column, position.longitudeE7.column,
      accuracyDecimetres.column { $0.column }, sampleTime.column,
    ]
  }
}

// MARK: - Statements

extension Database {
  /// Runs a statement that answers nothing.
  func run(_ sql: String, _ values: [DatabaseValue] = []) throws {
    let statement = try prepared(sql, values)
    try statement.execute()
  }

  /// Calls `body` with each row until it answers false. `body` MUST NOT run the same statement.
  func eachWhile(
    _ sql: String, _ values: [DatabaseValue] = [], of table: String,
    _ body: (inout ColumnReader) throws -> Bool
  ) throws {
    let statement = try prepared(sql, values)
    let cursor = try Row.fetchCursor(statement)
    while let row = try cursor.next() {
      var reader = ColumnReader(row, of: table)
      guard try body(&reader) else { return }
    }
  }

  func each(
    _ sql: String, _ values: [DatabaseValue] = [], of table: String,
    _ body: (inout ColumnReader) throws -> Void
  ) throws {
    try eachWhile(sql, values, of: table) { columns in
      try body(&columns)
      return true
    }
  }

  func all<T>(
    _ sql: String, _ values: [DatabaseValue] = [], of table: String,
    _ decode: (inout ColumnReader) throws -> T
  ) throws -> [T] {
    var found: [T] = []
    try each(sql, values, of: table) { found.append(try decode(&$0)) }
    return found
  }

  func first<T>(
    _ sql: String, _ values: [DatabaseValue] = [], of table: String,
    _ decode: (inout ColumnReader) throws -> T
  ) throws -> T? {
    let statement = try prepared(sql, values)
    let cursor = try Row.fetchCursor(statement)
    guard let row = try cursor.next() else { return nil }
    var reader = ColumnReader(row, of: table)
    return try decode(&reader)
  }

  /// A statement, prepared once per connection, with its arguments.
  private func prepared(_ sql: String, _ values: [DatabaseValue]) throws -> Statement {
    let statement = try cachedStatement(sql: sql)
    // GRDB maps an array of one type by a key path, which costs more than the binding.
    let arguments: [(any DatabaseValueConvertible)?] = values
    statement.setUncheckedArguments(StatementArguments(arguments))
    return statement
  }
}
