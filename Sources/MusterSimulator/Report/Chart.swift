internal import MusterModel

/// Where a value belongs in a drawing whose abscissa is the story's time.
struct Chart {
  static let width = 960.0
  static let left = 92.0
  static let right = 16.0

  let start: Int64
  let end: Int64
  let height: Double
  let highest: Double

  private static let top = 10.0
  private static let bottom = 24.0

  init(_ moments: [Recording.MeshSample], height: Double, highest: Double) {
    start = min(0, moments.first?.milliseconds ?? 0)
    end = max(start + 1, moments.last?.milliseconds ?? 1)
    self.height = height
    self.highest = max(1, highest)
  }

  func x(_ milliseconds: Int64) -> Double {
    let part = Double(max(start, min(end, milliseconds)) - start) / Double(end - start)
    return Self.left + part * (Self.width - Self.left - Self.right)
  }

  func y(_ value: Double) -> Double {
    let room = height - Self.top - Self.bottom
    return Self.top + room * (1 - value / highest)
  }

  /// The story's time below, with lines through the drawing.
  var timeAxis: String {
    let bottom = height - Self.bottom
    let step = Self.step(end - start)
    return stride(from: (start + step - 1) / step * step, through: end, by: Int(step)).map { time in
      let place = ReportText.number(x(time))
      return """
        <line class="grid" x1="\(place)" x2="\(place)" y1="\(Self.top)" y2="\(bottom)"/>\
        <text class="tick" x="\(place)" y="\(bottom + 16)" text-anchor="middle">\
        \(ReportText.time(time))</text>
        """
    }.joined()
  }

  /// Lines for nothing, half and the highest, with their values.
  func valueAxis(_ words: (Double) -> String) -> String {
    (highest < 2 ? [0, highest] : [0, highest / 2, highest]).map { value in
      let place = ReportText.number(y(value))
      return """
        <line class="grid" x1="\(Self.left)" x2="\(Self.width - Self.right)" y1="\(place)" \
        y2="\(place)"/><text class="tick" x="\(Self.left - 8)" y="\(place)" dy="4" \
        text-anchor="end">\(Markup.escaped(words(value)))</text>
        """
    }.joined()
  }

  func line(_ points: [(Int64, Double)], style: String) -> String {
    let places = points.map { "\(ReportText.number(x($0.0))),\(ReportText.number(y($0.1)))" }
    return "<polyline class=\"\(style)\" points=\"\(places.joined(separator: " "))\"/>"
  }

  /// The same, filled down to nothing.
  func area(_ points: [(Int64, Double)], style: String) -> String {
    guard let first = points.first, let last = points.last else { return "" }
    let ends = [(first.0, 0.0)] + points + [(last.0, 0.0)]
    let places = ends.map { "\(ReportText.number(x($0.0))),\(ReportText.number(y($0.1)))" }
    return "<polygon class=\"\(style)\" points=\"\(places.joined(separator: " "))\"/>"
  }

  /// Between two cuts and heals, behind everything else.
  func bands(_ events: [Recording.Event]) -> String {
    var bands: [(Int64, Int64)] = []
    var since: Int64?
    for event in events {
      if event.cuts == true, since == nil { since = event.milliseconds }
      if event.cuts == false, let from = since {
        bands.append((from, event.milliseconds))
        since = nil
      }
    }
    if let since { bands.append((since, end)) }
    return bands.map { from, to in
      """
      <rect class="cut" x="\(ReportText.number(x(from)))" y="0" \
      width="\(ReportText.number(max(1, x(to) - x(from))))" height="\(height - Self.bottom)"/>
      """
    }.joined()
  }

  func svg(_ content: String, label: String) -> String {
    """
    <svg viewBox="0 0 \(Int(Self.width)) \(Int(height))" role="img" \
    aria-label="\(Markup.escaped(label))">\(content)</svg>
    """
  }

  private static let steps: [Int64] = [
    1000, 2000, 5000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000,
    7_200_000, 14_400_000, 43_200_000, 86_400_000, 172_800_000, 432_000_000,
  ]

  private static func step(_ length: Int64) -> Int64 {
    steps.first { length / $0 <= 10 } ?? max(1, length / 8)
  }
}
