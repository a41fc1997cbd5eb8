internal import MusterModel

/// Rows in the binary format of `COPY` (PostgreSQL manual, "COPY", binary format).
struct CopyData: Sendable {
  private var content: [UInt8] =
    Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)

  /// The number of bytes that `take` would return.
  var size: Int { content.count }

  /// Begins a row of so many columns, which MUST be appended next.
  mutating func beginRow(columns: Int16) { append(columns) }

  mutating func append(column bytes: [UInt8]?) {
    guard let bytes else { return append(Int32(-1)) }
    append(Int32(bytes.count))
    content.append(contentsOf: bytes)
  }

  mutating func append(column integer: Int64) {
    append(Int32(8))
    append(integer)
  }

  mutating func append(column raw: Bytes16) {
    append(Int32(16))
    append(raw)
  }

  mutating func append(column raw: Bytes32) {
    append(Int32(32))
    append(raw.prefix)
    append(raw.suffix)
  }

  /// Appends the end mark, which MUST be last.
  mutating func end() { append(Int16(-1)) }

  /// Returns what was appended since the last call, and keeps the memory.
  mutating func take<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    defer { content.removeAll(keepingCapacity: true) }
    return content.withUnsafeBytes(body)
  }

  private mutating func append(_ raw: Bytes16) {
    append(raw.high)
    append(raw.low)
  }

  private mutating func append(_ integer: some FixedWidthInteger) {
    withUnsafeBytes(of: integer.bigEndian) { content.append(contentsOf: $0) }
  }
}
