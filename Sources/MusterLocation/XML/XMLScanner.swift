/// Reads the elements and texts of an XML file that is not trusted, one after another.
///
/// Our own, since a strict parser rejects a whole file for one character: an undeclared prefix, a
/// bare `&`, a control character, an end tag that is missing. Each is read as most programs read
/// it, and the first that loses a part of the file is kept as `damage`. Nothing is fetched, and no
/// entity has a content that a file defines: a document type is rejected.
struct XMLScanner {
  /// A part of the file. Names are without prefixes: `trkpt` for `gpx:trkpt`.
  enum Event: Equatable {
    /// The attributes have their names as they are in the file.
    case start(String, [String: String])
    /// A text between two tags, or of one CDATA section.
    case text(String)
    case end(String)
  }

  /// GPX and KML nest ten deep; extensions and folders may add some.
  static let depth = 64
  private static let mostAttributes = 64
  private static let mostNameBytes = 200

  private let bytes: [UInt8]
  private var offset = 0
  /// Up to where the lines are counted.
  private var counted = 0
  /// The line of the event that was returned last, from 1.
  private(set) var line = 1
  /// The names of the open elements, the root first: that of a started element included, that of an
  /// ended one not.
  private(set) var path: [String] = []
  /// How many of the open elements end before the next tag is read.
  private var ending = 0
  private var hasRoot = false
  /// The first fault that lost a part of the file: its line, and what is wrong.
  private(set) var damage: (line: Int, what: String)?
  /// Whether the file ends within an element.
  private(set) var isCutOff = false

  init(_ text: [UInt8]) { bytes = text }

  /// Returns the next event; nil at the end. Throws for a document type, for a file that begins
  /// with no element, and for one that is nested too deeply.
  mutating func next() throws(GPXFault) -> Event? {
    while true {
      if ending > 0 {
        ending -= 1
        return .end(path.removeLast())
      }
      guard offset < bytes.count else { return try endOfFile() }
      if let event = try isTag(at: offset) ? markup() : text() { return event }
    }
  }

  private mutating func endOfFile() throws(GPXFault) -> Event? {
    countLines()
    guard hasRoot else { throw .malformed(line: line) }
    guard let last = path.last else { return nil }
    if !isCutOff { damaged("the file ends within <\(GPXFault.quote(last))>") }
    isCutOff = true
    ending = path.count
    return try next()
  }

  // MARK: Texts

  private mutating func text() throws(GPXFault) -> Event? {
    if path.isEmpty { skipSpace() }
    countLines()
    let start = offset
    while offset < bytes.count, !isTag(at: offset) { offset += 1 }
    if path.isEmpty, !hasRoot, start < offset { throw .malformed(line: line) }
    countLines()
    // A number of which the rest is missing is another number.
    guard offset < bytes.count, !path.isEmpty else { return nil }
    return .text(Self.decoded(bytes[start..<offset]))
  }

  /// Returns whether a tag, a comment or the like begins here, and not a text with a `<`.
  private func isTag(at place: Int) -> Bool {
    guard bytes[place] == UInt8(ascii: "<") else { return false }
    guard place + 1 < bytes.count else { return true }
    let next = bytes[place + 1]
    return Self.isNameStart(next) || "/!?".utf8.contains(next)
  }

  // MARK: Markup

  private mutating func markup() throws(GPXFault) -> Event? {
    countLines()
    guard offset + 1 < bytes.count else {
      offset = bytes.count
      return nil
    }
    switch bytes[offset + 1] {
    case UInt8(ascii: "/"): return endTag()
    case UInt8(ascii: "?"):
      _ = skip(past: "?>")
      return nil
    case UInt8(ascii: "!"):
      if begins("<!--") {
        offset += 4
        _ = skip(past: "-->")
        return nil
      }
      guard begins("<![CDATA[") else { throw .documentType }
      offset += 9
      guard let content = skip(past: "]]>"), !path.isEmpty else { return nil }
      return .text(String(decoding: content, as: UTF8.self))
    default: return try startTag()
    }
  }

  private mutating func endTag() -> Event? {
    offset += 2
    guard let content = skip(past: ">") else { return nil }
    let name = Self.localName(content.prefix { !Self.isSpace($0) })
    guard let place = path.lastIndex(of: name) else {
      damaged("</\(GPXFault.quote(name))> ends nothing")
      return nil
    }
    if place < path.count - 1 {
      let last = path[path.count - 1]
      damaged("<\(GPXFault.quote(last))> has no end")
    }
    ending = path.count - place
    return nil
  }

  private mutating func startTag() throws(GPXFault) -> Event? {
    offset += 1
    let start = offset
    while offset < bytes.count, !Self.isSpace(bytes[offset]), !"/>".utf8.contains(bytes[offset]) {
      offset += 1
    }
    let name = Self.localName(bytes[start..<offset])
    var attributes: [String: String] = [:]
    while true {
      skipSpace()
      guard offset < bytes.count else { return nil }
      switch bytes[offset] {
      case UInt8(ascii: ">"):
        offset += 1
        return try started(name, attributes)
      case UInt8(ascii: "/"):
        offset += 1
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ">") {
          offset += 1
          ending = 1
          return try started(name, attributes)
        }
      case UInt8(ascii: "<"):
        damaged("<\(GPXFault.quote(name)) has no >")
        return try started(name, attributes)
      default:
        guard let (key, value) = attribute() else { return nil }
        if attributes.count < Self.mostAttributes, attributes[key] == nil {
          attributes[key] = value
        }
      }
    }
  }

  private mutating func started(
    _ name: String, _ attributes: [String: String]
  ) throws(GPXFault) -> Event? {
    guard path.count < Self.depth else { throw .tooDeep }
    // A second root is a part of no file.
    if path.isEmpty, hasRoot {
      damaged("<\(GPXFault.quote(name))> is after the end")
      offset = bytes.count
      ending = 0
      return nil
    }
    hasRoot = true
    path.append(name)
    return .start(name, attributes)
  }

  /// Reads a name with its value, in quotes or up to a space; nil if the file ends before.
  private mutating func attribute() -> (String, String)? {
    let start = offset
    offset += 1
    while offset < bytes.count, !Self.isSpace(bytes[offset]), !"=/><".utf8.contains(bytes[offset]) {
      offset += 1
    }
    let name = String(decoding: bytes[start..<offset].prefix(Self.mostNameBytes), as: UTF8.self)
    skipSpace()
    guard offset < bytes.count else { return nil }
    guard bytes[offset] == UInt8(ascii: "=") else { return (name, "") }
    offset += 1
    skipSpace()
    guard offset < bytes.count else { return nil }
    let quote = bytes[offset]
    let isQuoted = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
    if isQuoted { offset += 1 }
    let first = offset
    while offset < bytes.count,
      isQuoted
        ? bytes[offset] != quote
        : !Self.isSpace(bytes[offset]) && !"/><".utf8.contains(bytes[offset])
    { offset += 1 }
    guard offset < bytes.count else { return nil }
    let value = Self.decoded(bytes[first..<offset])
    if isQuoted { offset += 1 }
    return (name, value)
  }

  // MARK: Bytes

  /// Returns what is before a mark, and continues after it; nil, at the end, if there is none.
  private mutating func skip(past mark: StaticString) -> ArraySlice<UInt8>? {
    let start = offset
    let last = mark.withUTF8Buffer { $0[$0.count - 1] }
    while offset < bytes.count {
      offset += 1
      let begin = offset - mark.utf8CodeUnitCount
      guard bytes[offset - 1] == last, begin >= start else { continue }
      if mark.withUTF8Buffer({ bytes[begin..<offset].elementsEqual($0) }) {
        return bytes[start..<begin]
      }
    }
    if path.isEmpty, hasRoot { damaged("the file ends within a comment") }
    return nil
  }

  private func begins(_ mark: StaticString) -> Bool {
    mark.withUTF8Buffer { bytes[offset...].starts(with: $0) }
  }

  private mutating func skipSpace() {
    while offset < bytes.count, Self.isSpace(bytes[offset]) { offset += 1 }
  }

  private mutating func countLines() {
    line += bytes[counted..<offset].count { $0 == 0x0A }
    counted = offset
  }

  private mutating func damaged(_ what: @autoclosure () -> String) {
    if damage == nil { damage = (line, what()) }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  private static func isNameStart(_ byte: UInt8) -> Bool {
    byte >= 0x80 || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
  }

  /// Returns `trkpt` for `gpx:trkpt`.
  private static func localName(_ name: ArraySlice<UInt8>) -> String {
    let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
    return String(decoding: local.prefix(mostNameBytes), as: UTF8.self)
  }

  /// Returns a text with the entities of XML (4.6) and references to characters (4.1) replaced. Any
  /// other `&` is itself.
  static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
    var text: [UInt8] = []
    var rest = bytes
    while let mark = rest.firstIndex(of: UInt8(ascii: "&")) {
      text += rest[..<mark]
      rest = rest[mark...]
      let name = rest.dropFirst().prefix(12).prefix { $0 != UInt8(ascii: ";") }
      if name.endIndex < rest.endIndex, rest[name.endIndex] == UInt8(ascii: ";"),
        let character = character(named: String(decoding: name, as: UTF8.self))
      {
        text += Array(String(character).utf8)
        rest = rest[(name.endIndex + 1)...]
      } else {
        text.append(UInt8(ascii: "&"))
        rest = rest.dropFirst()
      }
    }
    return String(decoding: text + rest, as: UTF8.self)
  }

  private static func character(named name: String) -> Unicode.Scalar? {
    switch name {
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    case "quot": return "\""
    case "apos": return "'"
    case "nbsp": return " "
    default:
      guard name.hasPrefix("#") else { return nil }
      let digits = name.dropFirst()
      let value =
        digits.first == "x" || digits.first == "X"
        ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
      return value.flatMap { $0 == 0 ? nil : Unicode.Scalar($0) }
    }
  }
}
