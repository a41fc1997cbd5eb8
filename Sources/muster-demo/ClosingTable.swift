/// The summary, for a reader who does not know Muster.
struct ClosingTable {
  let outcome: Outcome
  let screen: Screen

  private static let labelWidth = 17
  private static let columnWidth = 15

  var text: String {
    ([heading] + rows + [""] + conflicts + ["", timing]).joined(separator: "\n")
  }

  private var heading: String {
    screen.paint(line("What each shows", outcome.views.map(\.callsign)), .strong)
  }

  private var rows: [String] {
    let hashes = outcome.views.map { String($0.status.stateHash.prefix(12)) }
    return [
      row("state hash", hashes, Set(hashes).count == 1 ? "equal: the laptops have converged" : ""),
      row("reports", outcome.views.map { "\($0.reports.count)" }),
      row("fences", outcome.views.map { "\($0.fences.count)" }),
      row("events", outcome.views.map { "\($0.events.count)" }, crossing),
      row("frames", outcome.views.map { "\($0.status.frames)" }, "signed and encrypted changes"),
    ] + outcome.views.map { person($0.callsign) } + [
      row(
        "muster verify", outcome.views.map { $0.verification.ok ? "ok" : "PROBLEMS" })
    ]
  }

  private var crossing: String {
    guard let event = outcome.views.first?.events.first else { return "" }
    return "\(event.callsign) \(event.type == "ENTER" ? "entered" : "left") \(event.fenceName)"
  }

  private func person(_ callsign: String) -> String {
    let seen = outcome.views.map { $0.user(callsign) }
    return row(
      "\(callsign) is", seen.map { Self.words($0?.safety) },
      Set(seen.map { $0?.reason }).count == 1 ? seen.first??.reason ?? "" : "for other reasons")
  }

  private static func words(_ safety: String?) -> String {
    switch safety {
    case "safe": "✔ safe"
    case "unsafe": "✖ not safe"
    case let other: "? \(other ?? "missing")"
    }
  }

  private func row(_ label: String, _ cells: [String], _ remark: String = "") -> String {
    let differ = Set(cells).count > 1
    return line(
      label, cells, differ ? screen.paint("✖ they differ", .bad) : screen.paint(remark, .faint))
  }

  private func line(_ label: String, _ cells: [String], _ remark: String = "") -> String {
    let columns = cells.map { $0.padded(to: Self.columnWidth) }
    let line = label.padded(to: Self.labelWidth) + columns.joined() + remark
    return String(line.reversed().drop { $0 == " " }.reversed())
  }

  // MARK: Concurrent changes

  private var conflicts: [String] {
    [screen.paint("Results of concurrent changes during the partition", .strong)]
      + [title, deletion, evacuation].flatMap(Self.paragraph)
  }

  private var title: (String, [String]) {
    let bridge = outcome.views.first?.report(outcome.reports.bridge)
    let values = bridge?.conflicts.first { $0.values.count > 1 }?.values ?? []
    return (
      "two titles",
      values.enumerated().map { index, value in
        "\(value.callsign) wrote \"\(value.value)\""
          + (index == 0 ? ": shown, because command outranks member" : ": kept as a conflict")
      }
    )
  }

  private var deletion: (String, [String]) {
    let tree = outcome.views.first?.report(outcome.reports.tree)
    return (
      "edit or delete",
      [
        "Anna deleted \"\(Script.tree)\", Cleo added \"\(Script.treeByOwner)\":",
        tree == nil ? "it is deleted" : "the edit and the report survive",
      ]
    )
  }

  private var evacuation: (String, [String]) {
    let houses = outcome.views.first?.report(outcome.reports.houses)
    return (
      "evacuate or not",
      [
        "Anna ordered it for \"\(Script.houses)\", Cleo cancelled it:",
        houses?.toEvacuate == true
          ? "it remains, because Cleo had not seen the order" : "it is cancelled",
      ]
    )
  }

  private static func paragraph(_ label: String, _ lines: [String]) -> [String] {
    lines.enumerated().map { ($0 == 0 ? label : "").padded(to: labelWidth) + $1 }
  }

  private var timing: String {
    "Partition of \(outcome.cutFor.inSeconds) (\(outcome.heldBack) datagrams dropped); "
      + "converged \(outcome.backInStepAfter.inSeconds) after the link was restored."
  }
}
