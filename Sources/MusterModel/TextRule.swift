/// What people may write into a text field. Control characters are refused rather than
/// stripped, so that what is signed is what was typed.
public enum TextRule: Sendable {
  /// A title or a name: not empty, one line, at most `Limits.lineBytes`.
  case line
  /// Longer words: line feeds and tabs allowed, at most `Limits.paragraphBytes`.
  case paragraphs

  /// What goes with a safety claim.
  public static let note = TextRule.paragraphs

  /// Asked on both sides: before a text is signed, and before a received one is applied.
  public func accepts(_ text: String) -> Bool { fault(in: text) == nil }

  /// Why a text is refused, for the person who typed it; nil when it is fine.
  public func fault(in text: String) -> String? {
    let limit = self == .line ? Limits.lineBytes : Limits.paragraphBytes
    let length = text.utf8.count
    if length > limit { return "is \(length) bytes long; at most \(limit) are allowed" }
    if self == .line, !text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) {
      return "is empty"
    }
    for scalar in text.unicodeScalars where !allows(scalar) {
      return "contains the control character U+\(String(scalar.value, radix: 16, uppercase: true))"
    }
    return nil
  }

  private func allows(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: self == .paragraphs
    case 0x00...0x1F, 0x7F...0x9F: false
    // Line and paragraph separators, and the bidirectional controls that can disguise text.
    case 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: false
    default: true
    }
  }
}
