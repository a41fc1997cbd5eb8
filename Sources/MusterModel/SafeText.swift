/// Text of other users, safe for a terminal: characters that move its cursor, change its colours or
/// reverse a line are shown as `�`.
public enum SafeText {
  /// On one line; line breaks become spaces.
  public static func line(_ text: String) -> String { replaced(text, keeping: []) }

  /// With its line breaks and tabs.
  public static func paragraphs(_ text: String) -> String { replaced(text, keeping: ["\n", "\t"]) }

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
  /// The rule of a line without its length: applied to one character after a letter.
  fileprivate static func allowsOnTerminal(_ scalar: Unicode.Scalar) -> Bool {
    TextRule.line.accepts("a\(scalar)")
  }
}
