internal import MusterGeo
internal import MusterModel

/// Text output about reports.
enum ReportView {
  static func table(of reports: [ReportSummary], _ format: CoordinateFormat) -> Table {
    var table = Table(
      [
        "ID", "", "TITLE", "SEV", "STATUS", "DELIVERY", "PHOTOS", "BY", "CATEGORY", "CONFIRMED",
        "POSITION",
      ], optional: ["PHOTOS", "BY", "CATEGORY", "CONFIRMED", "POSITION"])
    for report in reports {
      table.add([
        .init(report.id.short), mark(report),
        .init(report.title, report.status == .open ? .strong : .faint),
        .init(report.severity.map { "\($0)" } ?? ""), .init(report.status.name),
        delivery(report.delivery), .init(report.photoCount == 0 ? "" : "\(report.photoCount)"),
        .init(report.ownerCallsign), .init(report.category.name),
        .init(report.confirmations.isEmpty ? "" : "\(report.confirmations.count)×"),
        .init(ValueText.place(report.position, as: format)),
      ])
    }
    return table
  }

  private static func delivery(_ delivery: Delivery) -> Table.Cell {
    .init(delivery.shortText, delivery.commandPost ? .good : .plain)
  }

  private static func mark(_ report: ReportSummary) -> Table.Cell {
    if report.toEvacuate, report.status == .open { return .init("▲ evacuate", .bad) }
    if !report.conflicts.isEmpty { return .init("≠ conflict", .doubtful) }
    return .init("")
  }

  static func page(
    of report: ReportSummary, _ times: LocalTime, _ format: CoordinateFormat, on screen: Screen
  ) -> String {
    var page = Page()
    page.add(report.title, .strong)
    if report.toEvacuate { page.add("▲ evacuate", .bad) }
    let severity = report.severity.map { ", severity \($0) of 5" } ?? ""
    page.add("\(report.category.name)\(severity), \(report.status.name)")
    if let position = report.position {
      page.add("at \(ValueText.place(position, as: format))")
    }
    page.add("by \(report.ownerCallsign) at \(times.text(report.createdAt))")
    if report.updatedAt != report.createdAt {
      page.add("last changed at \(times.text(report.updatedAt))")
    }
    if !report.confirmations.isEmpty {
      page.add("confirmed by " + report.confirmations.joined(separator: "; "))
    }
    let earlier = report.confirmedBy.ofEarlierContent
    if !earlier.isEmpty {
      page.add("confirmed before it changed by " + earlier.joined(separator: "; "), .doubtful)
    }
    page.add(report.delivery.text, report.delivery.commandPost ? .good : .plain)
    PhotoView.add(report.photos, to: &page, times)
    page.add("id \(report.id)")
    if !report.details.isEmpty {
      page.add("")
      page.add(paragraphs: report.details)
    }
    for conflict in report.conflicts { add(conflict, to: &page, times) }
    for comment in report.comments {
      page.add("")
      page.add("\(comment.callsign), \(times.text(comment.writtenAt)):", .faint)
      page.add(paragraphs: comment.text)
    }
    if report.moreComments > 0 {
      page.add("")
      page.add("and \(report.moreComments) more by authors of many comments", .faint)
    }
    return page.text(on: screen)
  }

  /// Adds the values of a conflict, the shown one first.
  static func add(_ conflict: FieldConflict, to page: inout Page, _ times: LocalTime) {
    page.add("")
    page.add("≠ conflict in \(conflict.field.name); the first value is shown:", .doubtful)
    for value in conflict.values {
      page.add(
        "\(value.text) (\(value.callsign), \(times.text(value.writtenAt)))", indent: 2)
    }
  }
}
