import MusterCRDT
import MusterModel
import MusterReplica
import MusterStore

/// Checks what insiders with valid keys cannot do to others: silence an alert at command, have a
/// report confirmed that no one saw like that, or keep out the calls and evacuations of others.
final class InsiderChecker: Checker {
  private enum Promise {
    static let silence = "a member's acknowledgement silences no alert at command"
    static let order = "command's acknowledgement comes first"
    static let confirmed = "a confirmation counts for what its author saw"
    static let room = "no author keeps out an alert about another"
    static let names = "a name that looks like another raises an alert"
  }

  /// What a confirmation is about.
  private struct Content: Hashable {
    let texts: [String]
    let category: ReportCategory
    let severity: UInt8?
    let position: Coordinate?
    let toEvacuate: Bool

    init(_ report: ReportSummary) {
      texts = [report.title, report.details]
      (category, severity) = (report.category, report.severity)
      (position, toEvacuate) = (report.position, report.toEvacuate)
    }
  }

  private struct Confirmation: Hashable {
    let report: RowID
    let user: UserID
  }

  /// What the user saw at each confirmation.
  private var seen: [Confirmation: Set<Content>] = [:]
  /// Users with a confirmation that was not acknowledged, and may be stored nevertheless.
  private var uncertain: Set<UserID> = []
  private let isActive: Bool
  /// Whether the dangers that insiders raise leave room for warnings.
  private let hasRoomForWarnings: Bool
  private var turn = 0
  private static let looksPerCheck = 5

  init(_ scenario: Scenario) {
    let insiders = scenario.namesOfInsiders.count
    isActive = insiders > 0
    hasRoomForWarnings = (insiders + 1) * Limits.alertsPerAuthor <= Limits.alerts
  }

  func wrote(_ act: Act, made: RowKey?, at node: SimulatedNode, in world: World) throws {
    guard isActive, case .confirm(let id) = act,
      let report = try node.replica?.queries.report(id)
    else { return }
    let confirmation = Confirmation(report: id, user: node.credentials.user)
    seen[confirmation, default: []].insert(Content(report))
  }

  func tried(_ act: Act, at node: SimulatedNode) {
    if case .confirm = act { uncertain.insert(node.credentials.user) }
  }

  func look(_ world: World) throws {
    guard isActive else { return }
    turn += 1
    guard turn % Self.looksPerCheck == 0 else { return }
    try checkAlerts(in: world)
  }

  func conclude(_ world: World) throws {
    guard isActive else { return }
    try checkAlerts(in: world)
    for node in world.nodes where world.isPromisedOthersWork(node) && node.reads {
      for report in try node.replica?.queries.reports() ?? [] {
        for confirmation in report.confirmedBy where confirmation.standing == .counts {
          check(confirmation, of: report, at: node, in: world)
        }
      }
    }
  }

  // MARK: Confirmations

  private func check(
    _ confirmation: ReportConfirmation, of report: ReportSummary, at node: SimulatedNode,
    in world: World
  ) {
    guard let user = confirmation.user, !uncertain.contains(user) else { return }
    let contents = seen[Confirmation(report: report.id, user: user)] ?? []
    guard user != report.owner, contents.contains(Content(report)) else {
      world.report(
        Promise.confirmed,
        "\(node.name) counts \(confirmation.authorship.text) for report \(report.id.short)")
      return
    }
  }

  // MARK: Alerts

  private func checkAlerts(in world: World) throws {
    for node in world.nodes
    where node.plan.role == .command && world.isPromisedOthersWork(node) {
      let clock = node.clock.reading(at: world.now)
      let alerts = try node.change { try $0.alerts(now: clock) } ?? []
      for alert in alerts where !alert.id.kind.isGroup {
        try checkAcknowledgements(of: alert, at: node, in: world)
      }
      let people = try node.change { try $0.statuses(now: clock).users() } ?? []
      try checkRoom(for: people, among: alerts, at: node, in: world)
      checkNames(of: people, among: alerts, at: node, in: world)
    }
  }

  private func checkAcknowledgements(
    of alert: Alert, at node: SimulatedNode, in world: World
  ) throws {
    let roles = alert.acknowledgements.map(\.role)
    if roles.drop(while: { $0 == .command }).contains(.command) {
      world.report(Promise.order, "\(node.name) shows a member first for \(alert.id)")
    }
    guard alert.acknowledgement != nil else { return }
    let row = RowKey(
      kind: .alertAcknowledgement,
      id: RowID(operation: node.credentials.operation, alert: alert.id))
    let values = try node.store.row(row)?.values(of: .alertAcknowledgements) ?? []
    if !values.contains(where: { $0.role == .command }) {
      world.report(Promise.silence, "\(node.name) does not sound for \(alert.id)")
    }
  }

  /// Calls of people, and reports with an evacuation as far as each author has a share.
  private func checkRoom(
    for people: [UserSummary], among alerts: [Alert], at node: SimulatedNode, in world: World
  ) throws {
    let own = node.credentials.user
    let raised = Set(alerts.map(\.id) + alerts.flatMap(\.members))
    for person in people
    where person.id != own && !person.isTracker && !person.isUnknown && person.has(.mayday) {
      let call = AlertID(kind: .help, row: RowID(raw: person.id.raw))
      if !raised.contains(call) {
        world.report(Promise.room, "\(node.name) raises no alert for \(person.callsign)'s call")
      }
    }
    let evacuations = try node.replica?.queries.reports().filter {
      $0.toEvacuate && $0.status == .open && $0.position == nil && $0.owner != own
    }
    let share = Limits.alerts / (2 * world.nodes.count)
    for (_, reports) in Dictionary(grouping: evacuations ?? [], by: \.owner)
    where reports.count <= share {
      for report in reports.sorted(by: { $0.id < $1.id })
      where !raised.contains(AlertID(kind: .hazard, row: report.id)) {
        world.report(
          Promise.room, "\(node.name) raises no alert for the evacuation \(report.id.short)")
      }
    }
  }

  /// Compares names without the invisible character that insiders use.
  private func checkNames(
    of people: [UserSummary], among alerts: [Alert], at node: SimulatedNode, in world: World
  ) {
    guard hasRoomForWarnings else { return }
    let revoked = Set(world.nodes.filter(world.isRevoked).map(\.credentials.user))
    let present = people.filter {
      !$0.isTracker && !$0.isUnknown && !$0.has(.signedOff) && !revoked.contains($0.id)
    }
    let names = present.map { $0.callsign.filter { $0 != "\u{200B}" && $0 != "\u{FFFD}" } }
    let hasAlert = alerts.contains { $0.id.kind == .sameCallsign }
    if Set(names).count < names.count, !hasAlert {
      world.report(Promise.names, "\(node.name) raises no alert for a name that two people have")
    }
  }
}
