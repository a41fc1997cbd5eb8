internal import MusterModel

/// Reports as people read them.
enum ReportView {
  static func table(of reports: [ReportSummary]) -> Table {
    var table = Table([
      "ID", "", "TITLE", "CATEGORY", "SEVERITY", "PLACE", "STATUS", "BY", "SEEN", "DELIVERY",
    ])
    for report in reports {
      table.add([
        .init(report.id.short), mark(report),
        .init(report.title, report.status == .open ? .strong : .faint),
        .init(report.category.name), .init(report.severity.map { "\($0)" } ?? ""),
        .init(Words.place(report.position)), .init(report.status.name),
        .init(report.ownerCallsign),
        .init(report.confirmations.isEmpty ? "" : "\(report.confirmations.count)×"),
        held(report.delivery),
      ])
    }
    return table
  }

  private static func held(_ delivery: Delivery) -> Table.Cell {
    delivery.commandPost ? .init(delivery.text, .good) : .init(delivery.text)
  }

  private static func mark(_ report: ReportSummary) -> Table.Cell {
    if report.toEvacuate, report.status == .open { return .init("▲ evacuate", .bad) }
    if !report.conflicts.isEmpty { return .init("≠ disputed", .doubtful) }
    return .init("")
  }

  static func page(of report: ReportSummary, on screen: Screen) -> String {
    var lines = [Paint.strong.apply(SafeText.line(report.title), on: screen)]
    if report.toEvacuate { lines.append(Paint.bad.apply("▲ evacuate", on: screen)) }
    let severity = report.severity.map { ", severity \($0) of 5" } ?? ""
    lines.append("\(report.category.name)\(severity), \(report.status.name)")
    if report.position != nil { lines.append("at \(Words.place(report.position))") }
    lines.append("by \(SafeText.line(report.ownerCallsign)) at \(report.createdAt)")
    if report.updatedAt != report.createdAt { lines.append("last changed at \(report.updatedAt)") }
    if !report.confirmations.isEmpty {
      lines.append(
        "seen too by " + report.confirmations.map(SafeText.line).joined(separator: ", "))
    }
    let delivery = report.delivery
    lines.append(
      delivery.commandPost ? Paint.good.apply(delivery.text, on: screen) : delivery.text)
    lines.append("id \(report.id)")
    if !report.details.isEmpty { lines += ["", SafeText.paragraphs(report.details)] }
    lines += report.conflicts.flatMap { conflict(in: $0, on: screen) }
    for comment in report.comments {
      lines += [
        "",
        Paint.faint.apply("\(SafeText.line(comment.callsign)), \(comment.writtenAt):", on: screen),
        SafeText.paragraphs(comment.text),
      ]
    }
    return lines.joined(separator: "\n")
  }

  /// The lines that tell of a disagreement, the shown value first.
  static func conflict(in conflict: FieldConflict, on screen: Screen) -> [String] {
    let heading = "≠ people disagree on the \(conflict.field.name); the first is shown:"
    return ["", Paint.doubtful.apply(heading, on: screen)]
      + conflict.values.map {
        "  \(SafeText.line($0.text)) (\(SafeText.line($0.callsign)), \($0.writtenAt))"
      }
  }
}
