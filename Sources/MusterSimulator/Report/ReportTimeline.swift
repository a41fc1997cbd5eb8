internal import Foundation
internal import MusterModel

/// A strip for each laptop: whether it was on, and how much it lacked of what others held.
struct ReportTimeline {
  let html: String

  private static let rowHeight = 20.0
  private static let mostRows = 40

  init(_ recording: Recording, names: [String]) {
    let moments = recording.moments
    let shown = min(names.count, Self.mostRows)
    let height = Double(shown) * Self.rowHeight + 44
    let chart = Chart(moments, height: height, highest: 1)
    let worst = moments.flatMap { $0.nodes.map(\.missing) }.max() ?? 0
    var drawing = chart.bands(recording.events) + chart.timeAxis
    for index in 0..<shown {
      let top = 12 + Double(index) * Self.rowHeight
      drawing += """
        <text class="name" x="\(Chart.left - 8)" y="\(ReportText.number(top + 12))" \
        text-anchor="end">\(Markup.escaped(names[index]))</text>
        """
      drawing += Self.strip(of: index, moments, chart, top: top, worst: worst)
    }
    for (number, event) in recording.events.prefix(Self.mostMarks).enumerated() {
      let place = ReportText.number(chart.x(event.milliseconds))
      drawing += """
        <line class="mark" x1="\(place)" x2="\(place)" y1="4" y2="\(height - 24)">\
        <title>\(number + 1). \(Markup.escaped(event.text))</title></line>
        """
    }
    let more = names.count > shown ? "<p>… and \(names.count - shown) more laptops.</p>" : ""
    html =
      chart.svg(drawing, label: "Power and missing frames of each laptop over time")
      + Self.legend + more + Self.list(recording.events)
  }

  private static let mostMarks = 60

  /// Neighbouring moments that look alike are one rectangle.
  private static func strip(
    of node: Int, _ moments: [Recording.MeshSample], _ chart: Chart, top: Double, worst: Int
  ) -> String {
    var strip = ""
    var start = moments[0].milliseconds
    for (index, moment) in moments.enumerated() {
      let style = style(moment.nodes[node], worst: worst)
      let isLast = index + 1 == moments.count
      if !isLast, Self.style(moments[index + 1].nodes[node], worst: worst) == style { continue }
      let end = isLast ? moment.milliseconds : moments[index + 1].milliseconds
      let (left, right) = (chart.x(start), chart.x(end))
      strip += """
        <rect class="\(style)" x="\(ReportText.number(left))" y="\(ReportText.number(top))" \
        width="\(ReportText.number(max(0.5, right - left + 0.3)))" height="15"/>
        """
      start = end
    }
    return strip
  }

  /// Each step of colour is four times as much.
  private static func style(_ look: Recording.NodeSample, worst: Int) -> String {
    switch look.power {
    case .absent: return "absent"
    case .off: return "off"
    case .asleep: return "asleep"
    case .on:
      guard look.missing > 0 else { return "whole" }
      let steps = Int((log2(Double(look.missing)) / 2).rounded(.down))
      return "lacks\(min(4, steps))"
    }
  }

  private static let legend = """
    <p class="legend"><i class="whole"></i>holds all <i class="lacks0"></i>lacks 1–3 frames \
    <i class="lacks1"></i>4–15 <i class="lacks2"></i>16–63 <i class="lacks3"></i>64–255 \
    <i class="lacks4"></i>more <i class="asleep"></i>asleep <i class="off"></i>off \
    <i class="cutkey"></i>links cut</p>
    """

  private static func list(_ events: [Recording.Event]) -> String {
    guard !events.isEmpty else { return "" }
    let items = events.prefix(mostMarks).map {
      "<li><time>\(ReportText.time($0.milliseconds))</time> \(Markup.escaped($0.text))</li>"
    }
    let more = events.count > mostMarks ? "<li>… and \(events.count - mostMarks) more</li>" : ""
    return "<ol class=\"events\">\(items.joined())\(more)</ol>"
  }
}
