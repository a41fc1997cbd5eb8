/// Text inside XML and HTML.
public enum Markup {
  /// Escapes a text for an element or a quoted attribute, so that it cannot become markup. Control
  /// characters and U+FFFE and U+FFFF, which XML does not allow, are replaced: they would make the
  /// document unreadable.
  public static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case "\n", "\r", "\t": escaped.unicodeScalars.append(character)
      case "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      case let control where control.properties.generalCategory == .control: escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
