internal import MusterModel

/// A SQLite file of a stranger, which `muster-file` opens: only its own tables and views can be
/// read. It may be damaged or malicious: the length of a value, the time of a query and the bytes
/// of an answer are bounded, and what is answered may be anything.
///
/// Nothing is written beside it, and it may be on read-only media. It is read as it is: what SQLite
/// keeps in files beside it is not.
///
/// Not thread-safe: the owner serializes access. Its functions block.
public final class ForeignDatabase {
  private let helper: FileHelper

  /// Reads nothing yet.
  ///
  /// - Parameters:
  ///   - program: the path of `muster-file`; nil for the one beside this program.
  ///   - patience: the longest time of a query.
  public init(
    _ file: ForeignFile, program: String? = nil,
    patience: Duration = .seconds(30)
  ) {
    helper = FileHelper(file, program: program, patience: patience)
  }

  /// One value of a row.
  public enum Column: Hashable, Sendable {
    case none
    case integer(Int64)
    case text(String)
    case blob([UInt8])
  }

  /// Returns the first rows of a query, at most `limit`.
  public func rows(
    _ query: String, _ numbers: [Int64] = [], limit: Int
  ) throws(ForeignFileFault) -> [[Column]] {
    var rows: [[Column]] = []
    try read(query, numbers, limit: limit) { _, row in
      rows.append(row)
      return true
    }
    return rows
  }

  /// Passes the rows of a query, one after another, with the names of the columns.
  ///
  /// - Parameter take: returns whether the next row is wanted.
  public func read(
    _ query: String, _ numbers: [Int64] = [], limit: Int = .max,
    _ take: (_ names: [String], [Column]) -> Bool
  ) throws(ForeignFileFault) {
    var request = ByteWriter()
    request.append(UInt8(1))
    request.append(UInt32(clamping: limit))
    request.append(UInt8(clamping: numbers.count))
    for number in numbers { request.append(number) }
    request.append(fixed: Array(query.utf8))
    var names: [String]?
    var count = 0
    try helper.ask(request) { piece in
      guard case .row(var reader) = piece else { throw DecodingFault.invalid("piece") }
      var columns: [Column] = []
      while reader.remaining > 0 { columns.append(try Self.column(&reader)) }
      guard let known = names else {
        names = columns.map { if case .text(let name) = $0 { name } else { "" } }
        return true
      }
      count += 1
      guard columns.count == known.count, count <= limit else {
        throw DecodingFault.invalid("row")
      }
      return take(known, columns)
    }
  }

  /// Ends the helper until the next query.
  public func rest() { helper.rest() }

  private static func column(_ reader: inout ByteReader) throws(DecodingFault) -> Column {
    switch try reader.integer(UInt8.self) {
    case 0: .none
    case 1: .integer(try reader.integer(Int64.self))
    case 2:
      .text(String(decoding: try reader.lengthPrefixed().prefix { $0 != 0 }, as: UTF8.self))
    case 3: .blob(try reader.lengthPrefixed())
    default: throw .invalid("column")
    }
  }
}
