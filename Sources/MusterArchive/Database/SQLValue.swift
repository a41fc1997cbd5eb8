internal import MusterModel

/// A parameter of a statement. Its type follows from the statement.
enum SQLValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])
  /// An array of `bytea`.
  case list([[UInt8]])

  static func unsigned(_ value: UInt64) -> SQLValue { .integer(Int64(clamping: value)) }
  static func optional(_ bytes: [UInt8]?) -> SQLValue { bytes.map(SQLValue.bytes) ?? .null }

  /// PostgreSQL has no year 0, which a client or a wrong clock may state.
  static func optional(_ time: Timestamp?) -> SQLValue {
    time.map { .text(max($0, ProjectedTable.firstMoment).description) } ?? .null
  }

  static func integers(_ values: [UInt64]) -> SQLValue {
    .text("{" + values.map(String.init).joined(separator: ",") + "}")
  }

  static func booleans(_ values: [Bool]) -> SQLValue {
    .text("{" + values.map { $0 ? "t" : "f" }.joined(separator: ",") + "}")
  }

  /// The bytes to send; nil for NULL.
  var content: [UInt8]? {
    switch self {
    case .null: nil
    case .integer(let value): Array(String(value).utf8)
    // PostgreSQL's text has no zero bytes.
    case .text(let value): value.utf8.filter { $0 != 0 }
    case .bytes(let bytes): bytes
    case .list(let items):
      Array(("{" + items.map { #""\\x\#(Hex.encode($0))""# }.joined(separator: ",") + "}").utf8)
    }
  }

  var isBinary: Bool { if case .bytes = self { true } else { false } }
}

/// A row of a result, whose columns are in binary format.
struct SQLRow: Sendable {
  let columns: [[UInt8]?]

  /// Returns a `bytea` or a text; empty for NULL.
  func bytes(_ column: Int) -> [UInt8] { columns[column] ?? [] }

  func text(_ column: Int) -> String { String(decoding: bytes(column), as: UTF8.self) }

  /// Returns an integer of two, four or eight bytes, or a Boolean; 0 for NULL.
  func integer(_ column: Int) -> Int64 {
    let bytes = bytes(column)
    let start: Int64 = (bytes.first ?? 0) >= 0x80 ? -1 : 0
    return bytes.reduce(start) { $0 << 8 | Int64($1) }
  }

  func unsigned(_ column: Int) -> UInt64 { UInt64(clamping: integer(column)) }
}
