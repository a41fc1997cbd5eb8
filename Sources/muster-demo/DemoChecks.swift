/// The promises of the demo, each checked against what the laptops show at the end.
struct DemoChecks {
  let outcome: Outcome

  /// Returns the violated promises; empty if there are none.
  func broken() -> [String] {
    let checks: [(View) -> [String]] = [
      verified, crossing, people, kept, conflict, survived, evacuation,
    ]
    var broken = inStep()
    for view in outcome.views {
      for check in checks { broken += check(view).map { "\(view.callsign): \($0)" } }
    }
    return broken
  }

  private func inStep() -> [String] {
    var broken: [String] = []
    if Set(outcome.views.map(\.status.stateHash)).count != 1 {
      broken.append("the state hashes differ")
    }
    if Set(outcome.views.map(\.status.frames)).count != 1 {
      broken.append("the laptops hold different numbers of frames")
    }
    if outcome.heldBack == 0 { broken.append("no datagram was dropped in the partition") }
    return broken
  }

  private func verified(_ view: View) -> [String] {
    let verification = view.verification
    if !verification.ok {
      return ["muster verify found: \(verification.problems.joined(separator: "; "))"]
    }
    guard verification.stateHash == view.status.stateHash, verification.frames == view.status.frames
    else { return ["muster verify checked other data than status shows"] }
    return []
  }

  private func crossing(_ view: View) -> [String] {
    var broken: [String] = []
    if view.fences.map(\.name) != [Script.camp] || view.fences.first?.active != true {
      broken.append("does not show the one active zone \(Script.camp)")
    }
    let entries = view.events.filter {
      $0.type == "ENTER" && $0.callsign == "Ben" && $0.fenceName == Script.camp && !$0.baseline
    }
    if entries.count != 1 {
      broken.append("shows \(entries.count) entries of Ben into \(Script.camp), instead of one")
    }
    if view.events.count != entries.count {
      broken.append("shows \(view.events.count) events, although only Ben entered a zone")
    }
    return broken
  }

  /// The expected safety status of each person in the end.
  static let safety = ["Anna": "safe", "Ben": "safe", "Cleo": "unsafe"]

  private func people(_ view: View) -> [String] {
    Self.safety.sorted { $0.key < $1.key }.compactMap { callsign, safety in
      let seen = view.user(callsign)?.safety ?? "unknown"
      return seen == safety ? nil : "\(callsign) is \(seen), not \(safety)"
    }
  }

  private func kept(_ view: View) -> [String] {
    let added = [
      (outcome.reports.landing, Script.landing), (outcome.reports.roof, Script.roof),
      (outcome.reports.gas, Script.gas),
    ]
    var broken = added.compactMap { id, title in
      view.report(id)?.title == title ? nil : "the report \"\(title)\" is lost"
    }
    if view.reports.count != outcome.reports.count {
      broken.append("shows \(view.reports.count) reports, not \(outcome.reports.count)")
    }
    let comments = view.report(outcome.reports.bridge)?.comments.map(\.text) ?? []
    if comments != [Script.comment] { broken.append("Ben's comment is lost or duplicated") }
    return broken
  }

  private func conflict(_ view: View) -> [String] {
    guard let bridge = view.report(outcome.reports.bridge) else {
      return ["the report on the bridge is lost"]
    }
    var broken: [String] = []
    if bridge.title != Script.bridgeByCommand {
      broken.append("the bridge's title is \"\(bridge.title)\", although command outranks member")
    }
    let values = bridge.conflicts.first { $0.field.lowercased().hasSuffix("title") }?.values ?? []
    let expected: Set<ReportAnswer.ConflictingValue> = [
      .init(value: Script.bridgeByCommand, callsign: "Anna"),
      .init(value: Script.bridgeByOwner, callsign: "Cleo"),
    ]
    if values.count != expected.count || Set(values) != expected {
      broken.append("one of the bridge's titles is missing")
    }
    return broken
  }

  private func survived(_ view: View) -> [String] {
    guard let tree = view.report(outcome.reports.tree) else {
      return ["the tree was deleted, although Cleo edited it concurrently"]
    }
    guard tree.title == Script.tree, tree.description == Script.treeByOwner,
      tree.severity == Script.treeSeverity
    else { return ["Cleo's edit of the tree is lost"] }
    return []
  }

  private func evacuation(_ view: View) -> [String] {
    guard let houses = view.report(outcome.reports.houses) else {
      return ["the report on the houses is lost"]
    }
    return houses.toEvacuate ? [] : ["the evacuation of the houses is lost"]
  }
}
