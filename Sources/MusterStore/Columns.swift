internal import GRDBSQLite
internal import MusterModel

// Conversion of model values to columns and back. Reading validates everything: a damaged file must
// result in `StoreError.corrupt` and never in a trap.

// MARK: - To columns

/// A value to bind to a statement.
enum ColumnValue {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])
  case bytes16(Bytes16)
  case bytes32(Bytes32)
}

extension Bytes16 {
  var blob: ColumnValue { .bytes16(self) }
}

extension Identifier {
  var blob: ColumnValue { raw.blob }
}

extension Bytes32 {
  var blob: ColumnValue { .bytes32(self) }
}

extension Digest32 {
  var blob: ColumnValue { raw.blob }
}

extension [UInt8] {
  var blob: ColumnValue { .bytes(self) }
}

extension FixedWidthInteger {
  /// Integers above `Int64.max` keep their bits and are compared in Swift only.
  var column: ColumnValue { .integer(Int64(truncatingIfNeeded: self)) }
}

extension Bool {
  var column: ColumnValue { .integer(self ? 1 : 0) }
}

extension Timestamp {
  var column: ColumnValue { milliseconds.column }
}

extension Optional {
  /// NULL for nil.
  func column(_ convert: (Wrapped) -> ColumnValue) -> ColumnValue {
    map(convert) ?? .null
  }
}

// MARK: - From columns

/// Reads the columns of one row from left to right.
struct ColumnReader {
  /// A statement positioned at a row.
  private let statement: OpaquePointer
  /// The table, for the error message.
  private let table: String
  private var index: CInt = 0

  init(_ statement: OpaquePointer, of table: String) {
    self.statement = statement
    self.table = table
  }

  var damage: StoreError { .corrupt("table \(table), column \(index)") }

  mutating func integer<T: FixedWidthInteger>(_ type: T.Type = T.self) throws -> T {
    guard let value = try optionalInteger(type) else { throw damage }
    return value
  }

  mutating func optionalInteger<T: FixedWidthInteger>(_ type: T.Type = T.self) throws -> T? {
    let column = index
    index += 1
    switch sqlite3_column_type(statement, column) {
    case SQLITE_NULL: return nil
    case SQLITE_INTEGER:
      guard let exact = T(exactly: sqlite3_column_int64(statement, column)) else { throw damage }
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
    try withBlob { [UInt8]($0) }
  }

  mutating func bytes16() throws -> Bytes16 {
    guard let raw = try optionalBytes16() else { throw damage }
    return raw
  }

  mutating func optionalBytes16() throws -> Bytes16? {
    let raw = try withBlob { $0.count == 16 ? Bytes16($0, at: 0) : nil }
    guard let raw else { return nil }
    guard let raw else { throw damage }
    return raw
  }

  mutating func bytes32() throws -> Bytes32 {
    guard let raw = try optionalBytes32() else { throw damage }
    return raw
  }

  mutating func optionalBytes32() throws -> Bytes32? {
    let raw = try withBlob {
      $0.count == 32 ? Bytes32(prefix: Bytes16($0, at: 0), suffix: Bytes16($0, at: 16)) : nil
    }
    guard let raw else { return nil }
    guard let raw else { throw damage }
    return raw
  }

  /// Passes the bytes, which are valid only during `body`. Returns nil for NULL.
  private mutating func withBlob<T>(_ body: (UnsafeRawBufferPointer) -> T) throws -> T? {
    let column = index
    index += 1
    switch sqlite3_column_type(statement, column) {
    case SQLITE_NULL: return nil
    case SQLITE_BLOB:
      let start = sqlite3_column_blob(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      return body(UnsafeRawBufferPointer(start: start, count: count))
    default: throw damage
    }
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

extension ColumnReader {
  /// The list of blobs of a frame; empty for NULL.
  mutating func blobList() throws -> [BlobListing] {
    guard let bytes = try optionalBytes() else { return [] }
    do throws(DecodingFault) {
      return try BlobListing.decode(bytes)
    } catch {
      throw damage
    }
  }

  mutating func earlierFixes() throws -> [EarlierFix] {
    let bytes = try bytes()
    do throws(DecodingFault) {
      return try EarlierFix.decode(bytes)
    } catch {
      throw damage
    }
  }
}

extension Fix {
  /// The four columns that `ColumnReader.fix` reads.
  var columns: [ColumnValue] {
    [
      position.latitudeE7.column, position.longitudeE7.column,
      accuracyDecimetres.column { $0.column }, sampleTime.column,
    ]
  }
}

extension Bytes16 {
  /// Reads sixteen bytes at `offset`, which MUST be in range.
  fileprivate init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    self.init(
      high: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)),
      low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)))
  }
}
