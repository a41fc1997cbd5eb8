/// Rows in the binary format of `COPY` (PostgreSQL manual, "COPY", binary format).
struct CopyData: Sendable {
  private(set) var rows = 0
  private var content: [UInt8] =
    Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)

  /// The number of bytes so far.
  var size: Int { content.count }

  /// Begins a row of so many columns, which MUST be appended next.
  mutating func beginRow(columns: Int16) {
    rows += 1
    append(columns)
  }

  mutating func append(column bytes: [UInt8]?) {
    guard let bytes else { return append(Int32(-1)) }
    append(Int32(bytes.count))
    content.append(contentsOf: bytes)
  }

  mutating func append(column integer: Int64) {
    append(Int32(8))
    append(integer)
  }

  /// Returns everything with the end mark.
  func finished() -> [UInt8] { content + [0xFF, 0xFF] }

  private mutating func append(_ integer: some FixedWidthInteger) {
    withUnsafeBytes(of: integer.bigEndian) { content.append(contentsOf: $0) }
  }
}
