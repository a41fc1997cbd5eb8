internal import MusterModel

/// Fences as people read them.
enum FenceView {
  static func table(of fences: [FenceSummary]) -> Table {
    var table = Table(["ID", "NAME", "KIND", "USE", "SHAPE", "INSIDE"])
    for fence in fences {
      table.add([
        .init(fence.id.short), .init(fence.name, fence.isActive ? .strong : .faint),
        kind(fence.kind), fence.isActive ? .init("✔ active", .good) : .init("– inactive", .faint),
        .init(Words.shape(fence.geometry)), .init(fence.inside.joined(separator: ", ")),
      ])
    }
    return table
  }

  private static func kind(_ kind: FenceKind) -> Table.Cell {
    switch kind {
    case .muster: .init("✚ muster", .good)
    case .hazard: .init("▲ hazard", .bad)
    case .info: .init("· info")
    }
  }

  static func page(of fence: FenceSummary, on screen: Screen) -> String {
    var lines = [
      Paint.strong.apply(SafeText.line(fence.name), on: screen),
      "\(fence.kind.name), \(fence.isActive ? "active" : "inactive")",
      Words.shape(fence.geometry),
      fence.inside.isEmpty
        ? "nobody is inside"
        : "inside: " + fence.inside.map(SafeText.line).joined(separator: ", "),
      fence.reviewAt.map { "review due \($0)" } ?? "no review is due",
      fence.alertsEntry ? "entries raise alerts" : "entries raise no alerts",
      "since \(fence.createdAt), last changed at \(fence.updatedAt)",
      "id \(fence.id)",
    ]
    if !fence.properties.isEmpty { lines += ["", SafeText.paragraphs(fence.properties)] }
    lines += fence.conflicts.flatMap { ReportView.conflict(in: $0, on: screen) }
    return lines.joined(separator: "\n")
  }
}
