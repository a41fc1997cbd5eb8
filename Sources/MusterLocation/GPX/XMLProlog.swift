internal import Foundation

/// Checks before the XML parser reads a file, since the parser is not built for hostile input:
/// Foundation's traps on bytes that are not UTF-8, and it expands document types, whose entities
/// can grow without bound.
enum XMLProlog {
  /// Accepts a UTF-8 file that starts with an element after at most a byte order mark, an XML
  /// declaration, comments and processing instructions. The parser finds any other error.
  ///
  /// Returns the offset of the root element.
  @discardableResult
  static func check(_ data: Data) throws(GPXFault) -> Int {
    guard !data.contains(0), String(validating: data, as: UTF8.self) != nil else {
      throw .notUTF8(declared: nil)
    }
    var rest = data[...]
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    if rest.starts(with: Data("<?xml".utf8)) {
      guard let end = rest.range(of: Data("?>".utf8)) else { throw .malformed(line: 1) }
      try checkEncoding(String(decoding: rest[..<end.lowerBound], as: UTF8.self))
    }
    while true {
      rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
      if rest.starts(with: Data("<?".utf8)) {
        guard let end = rest.range(of: Data("?>".utf8)) else { return data.count }
        rest = rest[end.upperBound...]
      } else if rest.starts(with: Data("<!--".utf8)) {
        guard let end = rest.dropFirst(4).range(of: Data("-->".utf8)) else { return data.count }
        rest = rest[end.upperBound...]
      } else if rest.starts(with: Data("<!".utf8)) {
        throw .documentType
      } else if rest.first == UInt8(ascii: "<") || rest.isEmpty {
        return rest.startIndex - data.startIndex
      } else {
        throw .malformed(line: 1 + data[..<rest.startIndex].count { $0 == 0x0A })
      }
    }
  }

  private static func checkEncoding(_ declaration: String) throws(GPXFault) {
    guard let match = declaration.firstMatch(of: /encoding\s*=\s*["']([^"']*)["']/) else { return }
    guard ["UTF-8", "UTF8", "US-ASCII", "ASCII"].contains(match.1.uppercased()) else {
      throw .notUTF8(declared: String(match.1))
    }
  }
}
