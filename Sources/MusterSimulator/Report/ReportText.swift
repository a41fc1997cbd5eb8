internal import Foundation

/// Numbers and durations as the report shows them.
enum ReportText {
  /// With one decimal, for coordinates of a drawing.
  static func number(_ value: Double) -> String { String(format: "%.1f", value) }

  /// 1234567 as 1,234,567.
  static func grouped(_ value: Int) -> String {
    var text = ""
    for (index, digit) in String(value.magnitude).reversed().enumerated() {
      if index > 0, index % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return (value < 0 ? "−" : "") + String(text.reversed())
  }

  /// Of a story, to be read at a glance: 75 s, 12 min, 5 h, 3 d.
  static func time(_ milliseconds: Int64) -> String {
    let seconds = Double(milliseconds) / 1000
    if milliseconds != 0, abs(milliseconds) < 1000 { return "\(milliseconds) ms" }
    for (unit, length) in [("d", 86_400.0), ("h", 3600), ("min", 60)] where seconds >= length * 2 {
      let count = seconds / length
      return (number(count).hasSuffix(".0") ? "\(Int(count.rounded()))" : number(count))
        + " \(unit)"
    }
    return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(number(seconds)) s"
  }
}
