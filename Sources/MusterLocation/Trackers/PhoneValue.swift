internal import Foundation
internal import MusterModel

/// A value of a phone's message: of JSON, or the text of a form.
///
/// Reading is lenient: a number may be a text and a text a number. A value that cannot be read as
/// what is asked for is nil, and affects no other.
enum PhoneValue: Hashable, Sendable {
  case text(String)
  case number(Double)
  case flag(Bool)
  case list([PhoneValue])
  case object([String: PhoneValue])
  case null
  /// A JSON value that is none of these, such as a number out of range.
  case unreadable

  /// A finite number. A text may have blanks around it, and a comma for the decimal point.
  var decimal: Double? {
    switch self {
    case .number(let number): return number
    case .text(let text):
      let trimmed = Self.trimmed(text)
      if let number = DecimalText.number(trimmed) { return number }
      let parts = trimmed.split(separator: ",", omittingEmptySubsequences: false)
      guard parts.count == 2, !trimmed.contains(".") else { return nil }
      return DecimalText.number(parts.joined(separator: "."))
    default: return nil
    }
  }

  /// A text; a number as its shortest digits.
  var word: String? {
    switch self {
    case .text(let text): return text
    case .number(let number):
      return Int64(exactly: number).map(String.init) ?? String(number)
    default: return nil
    }
  }

  /// A truth value.
  var truth: Bool? {
    switch self {
    case .flag(let flag): return flag
    case .number(let number): return number == 1 ? true : number == 0 ? false : nil
    case .text(let text):
      switch Self.trimmed(text).lowercased() {
      case "true", "1", "yes": return true
      case "false", "0", "no": return false
      default: return nil
      }
    default: return nil
    }
  }

  /// Whether it states nothing.
  var isEmpty: Bool {
    switch self {
    case .null: true
    case .text(let text): Self.trimmed(text).isEmpty
    default: false
    }
  }

  /// The members of an object.
  var members: [String: PhoneValue]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// The objects of a list, or the object itself: each is a message of its own.
  var messages: [PhoneValue] {
    if case .list(let elements) = self { elements } else { [self] }
  }

  static func trimmed(_ text: some StringProtocol) -> String {
    text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

// MARK: - JSON

extension PhoneValue {
  /// Parses JSON, which apps write with faults at times: bytes that are no UTF-8, `NaN` for a
  /// missing number, numbers out of range, control characters and broken escapes in texts. Returns
  /// nil if it is none.
  static func json(_ bytes: [UInt8]) -> PhoneValue? { parsed(bytes) ?? parsed(repaired(bytes)) }

  private static func parsed(_ bytes: [UInt8]) -> PhoneValue? {
    do {
      return PhoneValue(
        try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed))
    } catch {
      return nil
    }
  }

  /// - Parameter object: of `JSONSerialization`.
  private init(_ object: Any) {
    switch object {
    case let members as [String: Any]: self = .object(members.mapValues { PhoneValue($0) })
    case let elements as [Any]: self = .list(elements.map { PhoneValue($0) })
    case let text as String: self = .text(text)
    case is NSNull: self = .null
    case let number as NSNumber:
      // A truth value is a number of the C type `char`.
      let isFlag = number.objCType.pointee == CChar(UInt8(ascii: "c"))
      self = isFlag ? .flag(number.boolValue) : .number(number.doubleValue)
    default: self = .unreadable
    }
  }

  /// Outside of texts, `NaN` and its like become `null`, and numbers become texts.
  static func repaired(_ bytes: [UInt8]) -> [UInt8] {
    let text = Array(String(decoding: bytes, as: UTF8.self).utf8)
    var repaired: [UInt8] = []
    repaired.reserveCapacity(text.count)
    var isInText = false
    var index = text.startIndex
    while index < text.endIndex {
      let byte = text[index]
      if isInText, byte == UInt8(ascii: "\\") {
        let found = escape(at: index, in: text)
        repaired += found.bytes
        index += found.length
      } else if isInText {
        isInText = byte != UInt8(ascii: "\"")
        repaired.append(byte < 0x20 ? 0x20 : byte)
        index += 1
      } else if let word = noNumbers.first(where: { text[index...].starts(with: $0) }) {
        repaired += Array("null".utf8)
        index += word.count
      } else if byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte) {
        let number = text[index...].prefix { numberBytes.contains($0) }
        repaired += [UInt8(ascii: "\"")] + number + [UInt8(ascii: "\"")]
        index = number.endIndex
      } else {
        isInText = byte == UInt8(ascii: "\"")
        repaired.append(byte)
        index += 1
      }
    }
    return repaired
  }

  /// Returns the escape at a backslash as JSON allows it, and the length of the original. Half of a
  /// pair of surrogates, which apps write for a cut emoji, becomes U+FFFD; the backslash of an
  /// unknown escape is left out.
  private static func escape(at index: Int, in text: [UInt8]) -> (bytes: [UInt8], length: Int) {
    guard index + 1 < text.count else { return ([], 1) }
    guard let unit = codeUnit(at: index, in: text) else {
      let isKnown = escapes.contains(text[index + 1])
      return isKnown ? (Array(text[index...(index + 1)]), 2) : ([], 1)
    }
    if !UTF16.isLeadSurrogate(unit), !UTF16.isTrailSurrogate(unit) {
      return (Array(text[index..<(index + 6)]), 6)
    }
    if UTF16.isLeadSurrogate(unit), let next = codeUnit(at: index + 6, in: text),
      UTF16.isTrailSurrogate(next)
    {
      return (Array(text[index..<(index + 12)]), 12)
    }
    return (Array("\u{FFFD}".utf8), 6)
  }

  /// Returns the UTF-16 code unit of a `\u` escape; nil if there is none.
  private static func codeUnit(at index: Int, in text: [UInt8]) -> UInt16? {
    guard index + 6 <= text.count, text[index] == UInt8(ascii: "\\"),
      text[index + 1] == UInt8(ascii: "u")
    else { return nil }
    var unit: UInt16 = 0
    for byte in text[(index + 2)..<(index + 6)] {
      guard let digit = Hex.value(of: byte) else { return nil }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }

  private static let escapes = Set("\"\\/bfnrt".utf8)

  /// The longest first.
  private static let noNumbers: [[UInt8]] = ["-Infinity", "Infinity", "-NaN", "NaN", "nan"].map {
    Array($0.utf8)
  }
  private static let numberBytes = Set("0123456789+-.eE".utf8)
}

// MARK: - Forms

extension PhoneValue {
  /// Parses a form (`application/x-www-form-urlencoded`) into an object. The values of a repeated
  /// name become a list. Broken percent signs stay as they are, and texts that are no UTF-8 are
  /// read as Latin-1: nothing makes another parameter unreadable.
  static func form(_ text: some StringProtocol) -> PhoneValue {
    var members: [String: [PhoneValue]] = [:]
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = PhoneValue.trimmed(decoded(parts[0]))
      let value = PhoneValue.text(parts.count == 2 ? decoded(parts[1]) : "")
      members[name, default: []].append(value)
    }
    return .object(members.mapValues { $0.count == 1 ? $0[0] : .list($0) })
  }

  private static func decoded(_ text: some StringProtocol) -> String {
    let bytes = PercentEncoding.decoded(
      text.utf8.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 })
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }
}
