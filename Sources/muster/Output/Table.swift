internal import MusterModel

/// Rows with aligned columns under a line of headings, each on one line, but for whole cells.
///
/// Where the width is limited, as on a terminal, first the columns that may be left out are left
/// out, the last one first, and then the widest columns are cut. Without a limit, as in a file,
/// each row has every column, and no value is cut.
struct Table {
  struct Cell {
    let text: String
    let paint: Paint
    /// Continues on further lines rather than be cut: text that people's safety depends on.
    let isWhole: Bool

    init(_ text: String, _ paint: Paint = .plain, isWhole: Bool = false) {
      self.text = SafeText.line(text)
      self.paint = paint
      self.isWhole = isWhole
    }
  }

  private let headings: [Cell]
  private let optional: Set<String>
  private var rows: [[Cell]] = []

  /// - Parameter optional: the headings of columns that a narrow terminal leaves out.
  init(_ headings: [String], optional: Set<String> = []) {
    self.headings = headings.map { Cell($0, .strong) }
    self.optional = optional
  }

  mutating func add(_ cells: [Cell]) {
    precondition(cells.count == headings.count, "\(cells.count) cells, \(headings.count) columns")
    rows.append(cells)
  }

  /// Two spaces between columns, none at the end of a line.
  func text(on screen: Screen) -> String {
    let (columns, widths) = layout(within: screen.columns)
    return ([headings] + rows).map { row in
      lines(of: columns.map { row[$0] }, widths: widths, on: screen)
    }.joined(separator: "\n")
  }

  /// A row, on as many lines as its longest whole cell needs.
  private func lines(of row: [Cell], widths: [Int], on screen: Screen) -> String {
    let cells = zip(row, widths).map { cell, width in
      cell.isWhole
        ? WrappedText(cell.text, width: width).lines : [DisplayWidth.cut(cell.text, to: width)]
    }
    return (0..<(cells.map(\.count).max() ?? 1)).map { index in
      let texts = cells.map { index < $0.count ? $0[index] : "" }
      let last = texts.lastIndex { !$0.isEmpty } ?? 0
      return texts[...last].enumerated().map { column, text in
        let gap = column == last ? 0 : widths[column] - DisplayWidth.of(text) + Self.gap
        return row[column].paint.apply(text, on: screen) + String(repeating: " ", count: gap)
      }.joined()
    }.joined(separator: "\n")
  }

  // MARK: Layout

  private static let gap = 2
  /// The widths that a column of text keeps, from comfortable to narrow. Columns are left out
  /// before the first is given up.
  private static let readable = [30, 24, 18, 12]

  /// The columns to show and the width of each.
  private func layout(within limit: Int?) -> (columns: [Int], widths: [Int]) {
    let lines = [headings] + rows
    let natural = headings.indices.map { column in
      lines.map { DisplayWidth.of($0[column].text) }.max() ?? 0
    }
    var columns = Array(headings.indices)
    guard let limit else { return (columns, natural) }
    columns.removeAll { column in rows.allSatisfy { $0[column].text.isEmpty } }
    func fits(_ widths: [Int]) -> Bool {
      widths.reduce(0, +) + Self.gap * max(0, widths.count - 1) <= limit
    }
    func floors(_ readable: Int) -> [Int] { columns.map { min(natural[$0], readable) } }
    while !fits(floors(Self.readable[0])),
      let last = columns.last(where: { optional.contains(headings[$0].text) })
    {
      columns.removeAll { $0 == last }
    }
    let natures = columns.map { natural[$0] }
    if fits(natures) { return (columns, natures) }
    var least = Self.readable.lazy.map(floors).first(where: fits) ?? floors(1)
    // Too narrow for that: the widest columns give way.
    while !fits(least), let widest = least.max(), widest > 1 {
      least = least.map { min($0, widest - 1) }
    }
    return (columns, Self.widened(least, to: natures, while: fits))
  }

  /// Gives the columns that need more the same width, as much as there is room for.
  private static func widened(
    _ floors: [Int], to natures: [Int], while fits: ([Int]) -> Bool
  ) -> [Int] {
    func widths(_ level: Int) -> [Int] {
      zip(floors, natures).map { max($0, min($1, level)) }
    }
    var level = 0
    while level < (natures.max() ?? 0), fits(widths(level + 1)) { level += 1 }
    var widths = widths(level)
    for column in widths.indices where widths[column] < natures[column] {
      widths[column] += 1
      if !fits(widths) { widths[column] -= 1 }
    }
    return widths
  }
}
