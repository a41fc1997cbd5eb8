internal import Foundation
internal import MusterModel

/// Parses JSON (RFC 8259) from untrusted files. Our own parser, because the result must not depend
/// on the platform, a fault must state its position, and depth and size must be bounded.
struct JSONReader {
  /// Far deeper than any outline, in which a position is at the eighth level.
  static let mostDepth = 64
  static let mostBytes = 8 * 1024 * 1024
  /// The most values of a document; an object counts as several, by the memory that it needs.
  static let mostValues = 2_000_000
  private static let valuesOfObject = 5

  private let bytes: [UInt8]
  private var offset = 0
  private var values = 0
  /// Whether the list that was entered is read.
  private var isAtEnd = false

  /// Parses a whole document.
  static func value(of data: Data) throws(GeoJSONFault) -> JSON {
    guard data.count <= mostBytes else { throw GeoJSONFault(.tooLarge(data.count)) }
    var reader = JSONReader(try inUTF8([UInt8](data)))
    return try reader.document()
  }

  /// Returns a text in UTF-8, without a byte order mark.
  static func inUTF8(_ bytes: [UInt8]) throws(GeoJSONFault) -> [UInt8] {
    do throws(MarkedText.Fault) {
      return try MarkedText.unmarked(bytes)
    } catch {
      throw GeoJSONFault(.malformed("it is not valid UTF-16: save it as UTF-8"))
    }
  }

  /// - Parameter bytes: UTF-8, without a byte order mark.
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  private mutating func document() throws(GeoJSONFault) -> JSON {
    let value = try value(depth: 0)
    skipSpace()
    guard offset == bytes.count else { throw fault("there is more text after the end") }
    return value
  }

  private mutating func value(depth: Int) throws(GeoJSONFault) -> JSON {
    skipSpace()
    guard let byte = peek else { throw fault("the file ends too early") }
    values += byte == UInt8(ascii: "{") ? Self.valuesOfObject : 1
    guard values <= Self.mostValues else {
      throw GeoJSONFault(.malformed("it has over \(Self.mostValues) values: split it"))
    }
    switch byte {
    case UInt8(ascii: "{"): return try object(depth: depth + 1)
    case UInt8(ascii: "["): return try array(depth: depth + 1)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: return try word()
    }
  }

  private mutating func object(depth: Int) throws(GeoJSONFault) -> JSON {
    try checkDepth(depth)
    offset += 1
    var members: [String: JSON] = [:]
    skipSpace()
    if skip("}") { return .object(members) }
    while true {
      skipSpace()
      guard peek == UInt8(ascii: "\"") else { throw fault("a key in quotes is expected") }
      let key = try string()
      skipSpace()
      guard skip(":") else { throw fault("a colon is expected") }
      let value = try value(depth: depth)
      guard members.updateValue(value, forKey: key) == nil else {
        throw fault("the key \"\(key.prefix(40))\" occurs twice in one object")
      }
      skipSpace()
      if skip("}") { return .object(members) }
      guard skip(",") else { throw fault("a comma or } is expected") }
    }
  }

  private mutating func array(depth: Int) throws(GeoJSONFault) -> JSON {
    try checkDepth(depth)
    offset += 1
    var elements: [JSON] = []
    skipSpace()
    if skip("]") { return .array(elements) }
    while true {
      elements.append(try value(depth: depth))
      skipSpace()
      if skip("]") { return .array(elements) }
      guard skip(",") else { throw fault("a comma or ] is expected") }
    }
  }

  private func checkDepth(_ depth: Int) throws(GeoJSONFault) {
    if depth > Self.mostDepth { throw GeoJSONFault(.tooDeep) }
  }

  // MARK: Literals and numbers

  private mutating func word() throws(GeoJSONFault) -> JSON {
    let start = offset
    while let byte = peek, Self.isLetter(byte) { offset += 1 }
    switch String(decoding: bytes[start..<offset], as: UTF8.self) {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "NaN": return .notNumber("NaN")
    case "Infinity": return .notNumber("Infinity")
    default:
      offset = start
      throw fault("a value is expected")
    }
  }

  private mutating func number() throws(GeoJSONFault) -> JSON {
    let start = offset
    if skip("-"), peek == UInt8(ascii: "I") {
      guard case .notNumber(let text) = try word() else { throw fault("a number is expected") }
      return .notNumber("-" + text)
    }
    if !skip("0") { try digits() }
    if skip(".") { try digits() }
    if skip("e") || skip("E") {
      if !skip("-") { _ = skip("+") }
      try digits()
    }
    return .number(String(decoding: bytes[start..<offset], as: UTF8.self))
  }

  private mutating func digits() throws(GeoJSONFault) {
    let start = offset
    while let byte = peek, Self.isDigit(byte) { offset += 1 }
    if offset == start { throw fault("a digit is expected") }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  // MARK: Texts

  private mutating func string() throws(GeoJSONFault) -> String {
    offset += 1
    var text = ""
    var start = offset
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\""):
        text += try validated(start..<offset)
        offset += 1
        return text
      case UInt8(ascii: "\\"):
        text += try validated(start..<offset)
        offset += 1
        text.unicodeScalars.append(try escaped())
        start = offset
      case ..<0x20:
        throw fault("a text may not contain a line break or another control character")
      default:
        offset += 1
      }
    }
    throw fault("a text has no closing quote")
  }

  private func validated(_ range: Range<Int>) throws(GeoJSONFault) -> String {
    guard let text = String(validating: bytes[range], as: UTF8.self) else {
      throw fault("the text is not UTF-8: save the file as UTF-8")
    }
    return text
  }

  private mutating func escaped() throws(GeoJSONFault) -> Unicode.Scalar {
    guard let byte = peek else { throw fault("a text has no closing quote") }
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try escapedScalar()
    default: throw fault("an unknown escape in a text")
    }
  }

  /// Parses the digits after `\u`; characters beyond U+FFFF are two escapes.
  private mutating func escapedScalar() throws(GeoJSONFault) -> Unicode.Scalar {
    let first = try hexadecimal()
    var value = first
    if (0xD800...0xDBFF).contains(first), skip("\\"), skip("u") {
      let second = try hexadecimal()
      if (0xDC00...0xDFFF).contains(second) {
        value = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
      }
    }
    guard let scalar = Unicode.Scalar(value) else { throw fault("half of an escaped pair") }
    return scalar
  }

  private mutating func hexadecimal() throws(GeoJSONFault) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw fault("four hexadecimal digits are expected")
      }
      value = value << 4 | UInt32(digit)
      offset += 1
    }
    return value
  }

  // MARK: Bytes

  private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard let byte = peek, UInt32(byte) == character.value else { return false }
    offset += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      offset += 1
    }
  }

  // MARK: Lists of any length

  /// Enters an object up to the first element of one of its lists. Returns the members before it;
  /// nil, at the start, if the document is no object with such a list.
  mutating func enter(list wanted: String) throws(GeoJSONFault) -> [String: JSON]? {
    let start = offset
    skipSpace()
    guard skip("{") else { return nil }
    var members: [String: JSON] = [:]
    while true {
      skipSpace()
      guard peek == UInt8(ascii: "\"") else { break }
      let key = try string()
      skipSpace()
      guard skip(":") else { break }
      skipSpace()
      if key == wanted, skip("[") {
        skipSpace()
        return members
      }
      let value = try value(depth: 1)
      skipSpace()
      guard members.updateValue(value, forKey: key) == nil, skip(",") else { break }
    }
    offset = start
    values = 0
    return nil
  }

  /// Returns the next element of the list, and continues after it, also if it is no JSON; nil at
  /// the end of the list. A file that ends within the list, or goes on after the object, is a fault
  /// too.
  mutating func element() -> Result<JSON, GeoJSONFault>? {
    guard !isAtEnd else { return nil }
    skipSpace()
    let start = offset
    values = 0
    do throws(GeoJSONFault) {
      if skip("]") {
        isAtEnd = true
        try endObject()
        return nil
      }
      let element = try value(depth: 2)
      skipSpace()
      guard skip(",") || peek == nil || peek == UInt8(ascii: "]") else {
        throw fault("a comma or ] is expected")
      }
      return .success(element)
    } catch {
      if !isAtEnd {
        offset = start
        skipElement()
        isAtEnd = offset == bytes.count
      }
      return .failure(error)
    }
  }

  /// Reads the members after the list, and the end of the file.
  private mutating func endObject() throws(GeoJSONFault) {
    skipSpace()
    while skip(",") {
      skipSpace()
      guard peek == UInt8(ascii: "\"") else { throw fault("a key in quotes is expected") }
      _ = try string()
      skipSpace()
      guard skip(":") else { throw fault("a colon is expected") }
      _ = try value(depth: 1)
      skipSpace()
    }
    guard skip("}") else { throw fault("a comma or } is expected") }
    skipSpace()
    guard offset == bytes.count else { throw fault("there is more text after the end") }
  }

  /// Skips to the comma after an element, or to the end of the list.
  private mutating func skipElement() {
    var depth = 0
    var isText = false
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\\") where isText: offset += 1
      case UInt8(ascii: "\""): isText.toggle()
      case _ where isText: break
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "]") where depth == 0: return
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: ",") where depth <= 0:
        offset += 1
        return
      default: break
      }
      offset += 1
    }
    offset = min(offset, bytes.count)
  }

  /// The line of the next value, from 1. Counts on from a place before.
  mutating func line(after before: (offset: Int, line: Int)) -> (offset: Int, line: Int) {
    skipSpace()
    return (offset, before.line + bytes[before.offset..<offset].count { $0 == 0x0A })
  }

  private func fault(_ what: String) -> GeoJSONFault {
    let before = bytes[..<min(offset, bytes.count)]
    let line = before.reduce(1) { $1 == 0x0A ? $0 + 1 : $0 }
    let column = before.count - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
    return GeoJSONFault(.notJSON(line: line, column: column, what: what))
  }
}
