/// Divergence and bytes over the story's time.
struct ReportCurves {
  let divergence: String
  let bytes: String

  init(_ recording: Recording, nodes: Int) {
    let moments = recording.moments
    divergence = Self.missing(recording) + Self.states(recording)
    var rates: [(Int64, Double)] = []
    for (before, after) in zip(moments, moments.dropFirst()) {
      let seconds = Double(after.milliseconds - before.milliseconds) / 1000
      guard seconds > 0 else { continue }
      let rate = Double(after.bytes - before.bytes) / seconds / Double(max(1, nodes))
      rates += [(before.milliseconds, rate), (after.milliseconds, rate)]
    }
    let chart = Chart(moments, height: 190, highest: rates.map(\.1).max() ?? 0)
    bytes =
      chart.svg(
        chart.bands(recording.events) + chart.timeAxis
          + chart.valueAxis { "\(ReportText.grouped(Int($0))) B/s" }
          + chart.area(rates, style: "bytes fill") + chart.line(rates, style: "bytes"),
        label: "Bytes a second per laptop over time")
      + "<p class=\"legend\"><i class=\"bytes\"></i>"
      + "bytes a second by each laptop, headers included</p>"
  }

  private static func missing(_ recording: Recording) -> String {
    let moments = recording.moments
    func points(_ value: ([Int]) -> Double) -> [(Int64, Double)] {
      moments.map { moment in
        let present = moment.nodes.filter { $0.power != .absent }.map(\.missing)
        return (moment.milliseconds, value(present))
      }
    }
    let worst = points { Double($0.max() ?? 0) }
    let average = points { $0.isEmpty ? 0 : Double($0.reduce(0, +)) / Double($0.count) }
    let chart = Chart(moments, height: 190, highest: worst.map(\.1).max() ?? 0)
    return chart.svg(
      chart.bands(recording.events) + chart.timeAxis
        + chart.valueAxis { ReportText.grouped(Int($0)) }
        + chart.area(average, style: "average fill") + chart.line(average, style: "average")
        + chart.line(worst, style: "worst"),
      label: "Frames that laptops lack, over time")
        + """
        <p class="legend"><i class="worst"></i>frames that the laptop furthest behind lacks \
        <i class="average"></i>on average</p>
        """
  }

  private static func states(_ recording: Recording) -> String {
    let moments = recording.moments
    var steps: [(Int64, Double)] = []
    for moment in moments {
      if let last = steps.last { steps.append((moment.milliseconds, last.1)) }
      steps.append((moment.milliseconds, Double(moment.states)))
    }
    let chart = Chart(moments, height: 130, highest: steps.map(\.1).max() ?? 0)
    return chart.svg(
      chart.bands(recording.events) + chart.timeAxis
        + chart.valueAxis { ReportText.grouped(Int($0)) } + chart.line(steps, style: "states"),
      label: "Different states shown, over time")
        + """
        <p class="legend"><i class="states"></i>different states shown: one means that all who are \
        on show the same</p>
        """
  }
}
