/// Writes JSON in a canonical form, so that files can be compared: sorted keys, two spaces per
/// level.
enum JSONWriter {
  /// Writes one line without spaces.
  static func compact(_ value: JSON) -> String {
    var text = ""
    write(value, to: &text, indent: nil)
    return text
  }

  /// Writes several lines; a list without nested lists or objects, such as a position, on one line.
  static func pretty(_ value: JSON) -> String {
    var text = ""
    write(value, to: &text, indent: 0)
    return text + "\n"
  }

  private static func write(_ value: JSON, to text: inout String, indent: Int?) {
    switch value {
    case .null: text += "null"
    case .bool(let flag): text += flag ? "true" : "false"
    case .number(let digits): text += digits
    // Rejected on import before anything is written; null is JSON's closest value.
    case .notNumber: text += "null"
    case .string(let string): write(string, to: &text)
    case .array(let elements):
      let inner = elements.contains(where: isNested) ? indent.map { $0 + 1 } : nil
      writeList(elements, "[", "]", to: &text, inner: inner, isSpaced: indent != nil) {
        write($0, to: &$1, indent: inner)
      }
    case .object(let members):
      let ordered = members.sorted { $0.key < $1.key }
      let inner = indent.map { $0 + 1 }
      writeList(ordered, "{", "}", to: &text, inner: inner, isSpaced: indent != nil) {
        write($0.key, to: &$1)
        $1 += indent == nil ? ":" : ": "
        write($0.value, to: &$1, indent: inner)
      }
    }
  }

  private static func writeList<Element>(
    _ elements: [Element], _ open: String, _ close: String, to text: inout String, inner: Int?,
    isSpaced: Bool, _ body: (Element, inout String) -> Void
  ) {
    text += open
    for (index, element) in elements.enumerated() {
      if index > 0 { text += inner == nil && isSpaced ? ", " : "," }
      if let inner { text += "\n" + String(repeating: "  ", count: inner) }
      body(element, &text)
    }
    if let inner, !elements.isEmpty { text += "\n" + String(repeating: "  ", count: inner - 1) }
    text += close
  }

  private static func isNested(_ value: JSON) -> Bool {
    switch value {
    case .array, .object: true
    default: false
    }
  }

  private static func write(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where mustEscape(scalar):
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }

  /// Whether a character is escaped: control characters, and others that `TextRule` rejects in a
  /// fence's properties.
  private static func mustEscape(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case ..<0x20, 0x7F...0x9F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
