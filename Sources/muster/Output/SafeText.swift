internal import MusterModel

/// Words of other people, fit for a terminal: what would move its cursor, change its colours or
/// reverse a line is shown as `�`.
enum SafeText {
  /// On one line; line breaks become spaces.
  static func line(_ text: String) -> String { replaced(text, keeping: []) }

  /// With its line breaks and tabs.
  static func paragraphs(_ text: String) -> String { replaced(text, keeping: ["\n", "\t"]) }

  private static func replaced(_ text: String, keeping kept: [Unicode.Scalar]) -> String {
    var safe = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if kept.contains(scalar) || TextRule.allowsOnTerminal(scalar) {
        safe.append(scalar)
      } else {
        safe.append(scalar == "\n" || scalar == "\t" ? " " : "\u{FFFD}")
      }
    }
    return String(safe)
  }
}

extension TextRule {
  /// The rule of a line without its length: asked of one character with a letter before it.
  fileprivate static func allowsOnTerminal(_ scalar: Unicode.Scalar) -> Bool {
    TextRule.line.accepts("a\(scalar)")
  }
}
