internal import MusterGeo
internal import MusterModel

/// Text output about zones.
enum FenceView {
  static func table(of fences: [FenceSummary], _ format: CoordinateFormat) -> Table {
    var table = Table(["NAME", "KIND", "STATE", "INSIDE", "ID", "SHAPE"], optional: ["SHAPE"])
    for fence in fences {
      table.add([
        .init(fence.name, fence.isActive ? .strong : .faint), kind(fence.kind),
        fence.isActive ? .init("✔ active", .good) : .init("– inactive", .faint),
        .init(fence.inside.joined(separator: ", ")), .init(fence.id.short),
        .init(ValueText.shape(fence.geometry, as: format)),
      ])
    }
    return table
  }

  private static func kind(_ kind: FenceKind) -> Table.Cell {
    switch kind {
    case .muster: .init("✚ \(kind.word)", .good)
    case .hazard: .init("▲ hazard", .bad)
    case .info: .init("· info")
    }
  }

  static func page(
    of fence: FenceSummary, _ times: LocalTime, _ format: CoordinateFormat, on screen: Screen
  ) -> String {
    var page = Page()
    page.add(fence.name, .strong)
    page.add("\(fence.kind.word) zone, \(fence.isActive ? "active" : "inactive")")
    page.add(ValueText.shape(fence.geometry, as: format))
    page.add(
      fence.inside.isEmpty
        ? "no one is inside" : "inside: " + fence.inside.joined(separator: ", "))
    if let review = fence.reviewAt { page.add("review due \(times.text(review))") }
    for (index, rule) in fence.rules.enumerated() {
      page.add("rule \(index + 1): \(rule.rule.words)")
    }
    page.add(fence.alertsEntry ? "entries raise alerts" : "entries raise no alerts")
    page.add("created \(times.text(fence.createdAt)), changed \(times.text(fence.updatedAt))")
    page.add("id \(fence.id)")
    if !fence.properties.isEmpty {
      page.add("")
      page.add(paragraphs: fence.properties)
    }
    for conflict in fence.conflicts { ReportView.add(conflict, to: &page, times) }
    return page.text(on: screen)
  }
}

extension FenceKind {
  /// `assembly` for what JSON calls `muster`.
  var word: String { self == .muster ? "assembly" : name }
}
