/// Writes text into XML.
enum XML {
  /// Escapes a text for an element or a quoted attribute. User texts contain no control characters
  /// except tabs and line breaks, which XML allows.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
