internal import SQLiteSeal

/// The rows in one page of a database file, read without SQLite: any part of the page may be
/// damaged. (`https://www.sqlite.org/fileformat2.html`, sections 1.6 and 2.1.)
enum LeafPage {
  private static let kind: UInt8 = 0x0D
  /// Page 1 begins with the header of the file.
  private static let fileHeaderBytes = 100
  /// The maximum size of a row without overflow pages; the rows of interest are smaller.
  private static let longestRow = PageSeal.textBytes - 35

  /// One row, with columns that are read in place.
  struct Row {
    let id: Int64
    let columns: [Column]
    /// The offset of the row in the page.
    let offset: Int
  }

  enum Column {
    case null
    case integer(Int64)
    case blob(UnsafeRawBufferPointer)
    /// Text and non-integer numbers.
    case other
  }

  /// Calls `body` with each row of a table leaf page; not called for other pages. Invalid rows are
  /// skipped.
  static func forEachRow(_ page: UnsafeRawBufferPointer, isFirst: Bool, _ body: (Row) -> Void) {
    let start = isFirst ? fileHeaderBytes : 0
    guard page.count > start + 8, page[start] == kind else { return }
    let count = Int(page[start + 3]) << 8 | Int(page[start + 4])
    for index in 0..<count {
      let pointer = start + 8 + 2 * index
      guard pointer + 2 <= page.count else { return }
      if let row = row(page, at: Int(page[pointer]) << 8 | Int(page[pointer + 1])) { body(row) }
    }
  }

  /// Returns the row at this offset; nil if there is no valid one.
  static func row(_ page: UnsafeRawBufferPointer, at offset: Int) -> Row? {
    var cursor = Cursor(bytes: page, index: offset)
    guard let length = cursor.varint(), let id = cursor.varint(), length > 0,
      length <= longestRow, cursor.index + Int(length) <= page.count
    else { return nil }
    let end = cursor.index + Int(length)
    let start = cursor.index
    guard let headerLength = cursor.varint(), headerLength > 0, headerLength <= length else {
      return nil
    }
    let headerEnd = start + Int(headerLength)
    var data = Cursor(bytes: page, index: headerEnd)
    var columns: [Column] = []
    while cursor.index < headerEnd {
      guard let type = cursor.varint(), let column = data.column(type, before: end) else {
        return nil
      }
      columns.append(column)
    }
    return cursor.index == headerEnd && data.index <= end
      ? Row(id: id, columns: columns, offset: offset) : nil
  }

  private struct Cursor {
    let bytes: UnsafeRawBufferPointer
    var index: Int

    mutating func varint() -> Int64? {
      var value: UInt64 = 0
      for count in 0..<9 {
        guard index < bytes.count else { return nil }
        let byte = bytes[index]
        index += 1
        if count == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
        value = value << 7 | UInt64(byte & 0x7F)
        if byte < 0x80 { return Int64(bitPattern: value) }
      }
      return nil
    }

    mutating func column(_ type: Int64, before end: Int) -> Column? {
      switch type {
      case 0: return .null
      case 8, 9: return .integer(type - 8)
      case 1...6: return integer(bytes: [1, 2, 3, 4, 6, 8][Int(type) - 1], before: end)
      case 7: return skip(8, before: end)
      case 12...: break
      default: return nil
      }
      let length = (type - 12) / 2
      guard length <= Int64(end) - Int64(index) else { return nil }
      guard type % 2 == 0 else { return skip(Int(length), before: end) }
      defer { index += Int(length) }
      return .blob(UnsafeRawBufferPointer(rebasing: bytes[index..<index + Int(length)]))
    }

    private mutating func integer(bytes count: Int, before end: Int) -> Column? {
      guard index + count <= end else { return nil }
      var value = Int64(Int8(bitPattern: bytes[index]))
      for byte in bytes[index + 1..<index + count] { value = value << 8 | Int64(byte) }
      index += count
      return .integer(value)
    }

    private mutating func skip(_ count: Int, before end: Int) -> Column? {
      guard index + count <= end else { return nil }
      index += count
      return .other
    }
  }
}
