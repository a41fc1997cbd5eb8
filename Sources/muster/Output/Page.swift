internal import MusterModel

/// Text about one thing, line by line. On a terminal, lines wrap to its width.
struct Page {
  private struct Line {
    let text: String
    let paint: Paint
    let indent: String
  }

  private var lines: [Line] = []

  /// Adds a line.
  mutating func add(_ text: String, _ paint: Paint = .plain, indent: Int = 0) {
    let spaces = String(repeating: " ", count: indent)
    lines.append(Line(text: SafeText.line(text), paint: paint, indent: spaces))
  }

  /// Adds text that has line breaks of its own.
  mutating func add(paragraphs text: String) {
    for line in SafeText.paragraphs(text).split(separator: "\n", omittingEmptySubsequences: false) {
      add(String(line).replacing("\t", with: "  "))
    }
  }

  func text(on screen: Screen) -> String {
    lines.map { line in
      let whole = [line.indent + line.text]
      let width = screen.columns.map { max(1, $0 - line.indent.count) }
      let wrapped =
        if let width, DisplayWidth.of(line.text) > width {
          WrappedText(line.text, width: width).lines.map { line.indent + $0 }
        } else {
          whole
        }
      return wrapped.map { line.paint.apply($0, on: screen) }.joined(separator: "\n")
    }.joined(separator: "\n")
  }
}
