/// What a text field may contain. Control characters are rejected, not stripped, so that the signed
/// text is the typed text.
public enum TextRule: Sendable {
  /// A title or a name: not empty, one line, at most `Limits.lineBytes`.
  case line
  /// A longer text: line feeds and tabs allowed, at most `Limits.paragraphBytes`.
  case paragraphs

  /// The note of a safety claim.
  public static let note = TextRule.paragraphs

  /// Whether a text is allowed. Checked before signing, and before applying a received text.
  public func accepts(_ text: String) -> Bool { fault(in: text) == nil }

  /// Returns why a text is rejected, for the user who typed it; nil if it is allowed.
  public func fault(in text: String) -> String? {
    let limit = self == .line ? Limits.lineBytes : Limits.paragraphBytes
    let length = text.utf8.count
    if length > limit { return "is \(length) bytes long; at most \(limit) are allowed" }
    if self == .line, text.unicodeScalars.allSatisfy(Self.isBlank) { return "is empty" }
    for scalar in text.unicodeScalars where !allows(scalar) {
      return "contains the control character U+\(String(scalar.value, radix: 16, uppercase: true))"
    }
    return nil
  }

  /// Returns the text with a line feed for each CR LF, by which Windows and HTML forms end lines.
  public static func withLineFeeds(_ text: String) -> String {
    // By code points: CR and LF together are one character.
    guard text.utf8.contains(0x0D) else { return text }
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar == "\n", kept.last == "\r" { kept.removeLast() }
      kept.append(scalar)
    }
    return String(kept)
  }

  /// Returns the text without what is not allowed, cut to the length: line separators become line
  /// feeds, and other forbidden characters are left out.
  public func fitting(_ text: String) -> String {
    let limit = self == .line ? Limits.lineBytes : Limits.paragraphBytes
    var kept = String.UnicodeScalarView()
    for scalar in Self.withLineFeeds(text).unicodeScalars {
      if allows(scalar) {
        kept.append(scalar)
      } else if Self.breaks.contains(scalar) {
        kept.append(self == .paragraphs ? "\n" : " ")
      }
    }
    var fitting = String(kept)
    guard fitting.utf8.count > limit else { return fitting }
    var length = 0
    let end = fitting.indices.first { index in
      length += fitting[index].utf8.count
      return length > limit
    }
    if let end { fitting.removeSubrange(end...) }
    return fitting
  }

  private static let breaks: Set<Unicode.Scalar> = [
    "\n", "\r", "\t", "\u{85}", "\u{2028}", "\u{2029}",
  ]

  /// Whether a character is white space or invisible. The table is fixed here, because all nodes
  /// must decide alike, whatever Unicode version their libraries implement.
  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20, 0xA0, 0xAD, 0x034F, 0x061C, 0x115F...0x1160, 0x1680, 0x17B4...0x17B5,
      0x180B...0x180F, 0x2000...0x200F, 0x202F, 0x205F...0x2065, 0x206A...0x206F, 0x2800, 0x3000,
      0x3164, 0xFE00...0xFE0F, 0xFEFF, 0xFFA0, 0xE0000...0xE0FFF:
      true
    default: false
    }
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
