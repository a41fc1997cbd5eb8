/// Rows with aligned columns under a line of headings.
struct Table {
  struct Cell {
    let text: String
    let paint: Paint

    init(_ text: String, _ paint: Paint = .plain) {
      self.text = SafeText.line(text)
      self.paint = paint
    }
  }

  private let headings: [Cell]
  private var rows: [[Cell]] = []

  init(_ headings: [String]) { self.headings = headings.map { Cell($0, .strong) } }

  mutating func add(_ cells: [Cell]) {
    precondition(cells.count == headings.count, "\(cells.count) cells, \(headings.count) columns")
    rows.append(cells)
  }

  /// Two spaces between columns, none at the end of a line.
  func text(on screen: Screen) -> String {
    let lines = [headings] + rows
    let widths = headings.indices.map { column in
      lines.map { DisplayWidth.of($0[column].text) }.max() ?? 0
    }
    return lines.map { line in
      let last = line.lastIndex { !$0.text.isEmpty } ?? 0
      return line[...last].enumerated().map { column, cell in
        let gap = column == last ? 0 : widths[column] - DisplayWidth.of(cell.text) + 2
        return cell.paint.apply(cell.text, on: screen) + String(repeating: " ", count: gap)
      }.joined()
    }.joined(separator: "\n")
  }
}

/// How many columns of a terminal a text takes.
enum DisplayWidth {
  static func of(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

  /// Wide are East Asian characters and pictures (Unicode Standard Annex 11, the ranges in use).
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
