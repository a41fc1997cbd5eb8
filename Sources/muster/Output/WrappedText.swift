/// Text broken into lines of a width, between words where that is possible.
struct WrappedText {
  /// At least one, which may be empty.
  let lines: [String]

  /// - Parameters:
  ///   - width: the columns of a line, at least 1.
  ///   - indent: what the second line and all further ones begin with.
  init(_ text: String, width: Int, indent: String = "") {
    self.init(words: text.split(separator: " ").map(String.init), width: width, indent: indent)
  }

  /// The same of words, which may have spaces in them.
  init(words: [String], width: Int, indent: String = "") {
    var lines: [String] = []
    var line = ""
    var isEmpty = true
    func end() {
      lines.append(line)
      (line, isEmpty) = (indent, true)
    }
    for word in words {
      let needed = DisplayWidth.of(word) + (isEmpty ? 0 : 1)
      if !isEmpty, DisplayWidth.of(line) + needed > width { end() }
      if !isEmpty { line += " " }
      for character in word {
        if !isEmpty, DisplayWidth.of(line) + DisplayWidth.of(String(character)) > width { end() }
        line.append(character)
        isEmpty = false
      }
    }
    if !isEmpty || lines.isEmpty { lines.append(line) }
    self.lines = lines
  }
}

/// The number of terminal columns that text takes.
enum DisplayWidth {
  static func of(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

  /// Returns the text, or what fits of it and an ellipsis.
  static func cut(_ text: String, to width: Int) -> String {
    guard of(text) > width else { return text }
    var (cut, taken) = ("", 1)
    for character in text {
      taken += self.width(character)
      guard taken <= width else { break }
      cut.append(character)
    }
    return width > 0 ? cut + "…" : ""
  }

  /// Returns 2 for East Asian characters and pictures (Unicode Standard Annex 11, the ranges in
  /// use), else 1.
  private static func width(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    if scalar.properties.isEmojiPresentation { return 2 }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
