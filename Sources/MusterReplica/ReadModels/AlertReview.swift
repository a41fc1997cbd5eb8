internal import MusterModel
internal import MusterStore
internal import MusterSync

/// A review of the alerts of this device at one time: the stored ones, beside what raises alerts
/// now.
struct AlertReview {
  private let reader: AlertReader
  private let stored: AlertTracker
  private let storedShelved: ShelvedAlerts
  private let findings: [AlertTracker.Finding]
  /// The alerts after the review, and which of them are shelved.
  private let alerts: AlertTracker
  private let shelved: ShelvedAlerts
  /// Everyone with a laptop, whose names may be alike.
  private let people: [UserSummary]
  /// When each check-in is due.
  private let dues: [RowID: Int64]
  private let now: Timestamp
  /// The calls of a shared alert that one act acknowledges.
  private static let mostCalls = 64

  /// The alerts after the review.
  struct Update {
    let alerts: AlertTracker
    let shelved: ShelvedAlerts
    let changes: [AlertChange]
    /// Whether the stored alerts are others.
    let isNew: Bool
    /// What else is stored with them, by key.
    var others: [String: [UInt8]] = [:]

    /// The alerts in the order of every list.
    var standing: [Alert] { shelved.marking(alerts.alerts) }

    /// What to store, by key.
    var stored: [String: [UInt8]] {
      [AlertTracker.key: alerts.encoded(), ShelvedAlerts.key: shelved.encoded()]
        .merging(others) { _, other in other }
    }
  }

  /// What an acknowledgement does.
  enum Acknowledgement {
    case nothing
    /// All nodes can know the alert's cause: the next review reports it, here as on every node. By
    /// row.
    case shared([[Write]])
    /// It concerns only this device.
    case local(Update)
  }

  /// - Parameters:
  ///   - statuses: at the time of the review.
  ///   - memory: what came and went since the start.
  init(
    of statuses: StatusQueries, _ queries: Queries, home: HomeCondition,
    readmissions: ReadmissionLog, memory: inout AlertMemory
  ) throws {
    let (context, ages, zones) = (statuses.context, statuses.ages, statuses.zones)
    reader = AlertReader(context: context)
    now = ages.now.wall
    stored = try reader.stored()
    storedShelved = try reader.shelved()
    let people = try statuses.people()
    self.people = people.map(\.summary).filter { !$0.isTracker && !$0.isUnknown }
    var entered = memory.enteredRules
    let zoneRules = try ZoneRuleReader(context: context, ages: ages, zones: zones).findings(
      people.map(\.summary), entered: &entered)
    memory.keep(enteredRules: entered)
    let devices = queries.deviceReader
    let found = try reader.findings(
      people: people, directives: statuses.directiveList.directives(among: people), zones: zones,
      zoneRules: zoneRules,
      devices: DeviceAlerts(
        device: context.local.device, isCommand: context.local.author.role == .command,
        isRevoked: context.isRevoked, clockLead: queries.engine.clockLead(now: ages.now),
        home: home, clones: try devices.clones(), bounds: try queries.boundsReached,
        readmissions: try devices.refused(readmissions),
        disputed: try CouncilList(context: context).disputedMembers,
        clockFaults: try ages.clockFaults()),
      authors: AlertAuthors(people: people, statuses: statuses),
      unconfirmed: memory.waiting(ages.unconfirmed(), at: ages.reading),
      lowBatteries: Set(
        stored.alerts.filter { $0.id.kind == .battery }.map { UserID(raw: $0.id.row.raw) }),
      callers: Set(stored.alerts.filter(\.isOfCaller).map { UserID(raw: $0.id.row.raw) }),
      stored: stored, lost: { ages.secondsSinceMet(by: queries.engine) }, now: now)
    findings =
      memory.steady(found, at: ages.reading)
      + (home.stoppedWebhooks == nil ? stored.findingsAboutWebhooks : [])
    dues = Dictionary(
      people.flatMap(\.assessment.timers).map { ($0.id, $0.due.latest) },
      uniquingKeysWith: { first, _ in first })
    var alerts = stored
    try reader.update(&alerts, with: findings, among: self.people, now: now)
    var shelved = storedShelved
    for id in shelved.end(among: alerts.alerts, now: now) { alerts.raiseAgain(id, now: now) }
    memory.date(&alerts, after: stored)
    (self.alerts, self.shelved) = (alerts, shelved)
  }

  /// Returns the alerts, with the changes in the order of ids, except raised check-ins, which are
  /// in the order of their due times: after a sleep of the machine several are overdue at once.
  var update: Update { update(to: alerts, shelved) }

  private func update(to alerts: AlertTracker, _ shelved: ShelvedAlerts) -> Update {
    let changes = AlertChange.between(
      storedShelved.marking(stored.alerts), and: shelved.marking(alerts.alerts))
    return Update(
      alerts: alerts, shelved: shelved, changes: inOrderOfDueTimes(changes),
      isNew: !alerts.isStored(as: stored) || shelved != storedShelved)
  }

  /// Returns the alerts after command shelved a warning, or took that back.
  ///
  /// - Parameters:
  ///   - reference: its id, or at least four of the row's digits.
  ///   - order: nil to take it back: the warning is then raised again.
  /// - Throws: `Refusal` if the alert is no warning that may be shelved, or was not shelved.
  func shelving(_ reference: String, _ order: ShelvingOrder?) throws -> Update {
    var (alerts, shelved) = (alerts, shelved)
    let id = try AlertReader.alert(named: reference, among: alerts.alerts)
    if let order, let alert = alerts.alerts.first(where: { $0.id == id }) {
      let own = try reader.context.callsign(of: reader.context.local.author.user)
      try shelved.shelve(alert, order, by: order.name ?? own, now: now)
    } else if shelved.remove(id) {
      alerts.raiseAgain(id, now: now)
    } else {
      throw Refusal("alert \(reference) is not shelved: `muster alert list` shows which are")
    }
    return update(to: alerts, shelved)
  }

  private func inOrderOfDueTimes(_ changes: [AlertChange]) -> [AlertChange] {
    var raised: [(index: Int, due: Int64, change: AlertChange)] = []
    for (index, change) in changes.enumerated() {
      guard case .raised(let alert) = change, alert.id.kind == .checkIn else { continue }
      raised.append((index, dues[alert.id.row] ?? .max, change))
    }
    let ordered = raised.sorted { ($0.due, $0.index) < ($1.due, $1.index) }
    var changes = changes
    for (place, next) in zip(raised, ordered) { changes[place.index] = next.change }
    return changes
  }

  /// Returns the request that sends a message to the caller of a call for help alone, in one commit
  /// with the acknowledgement of its alert.
  ///
  /// - Throws: `Refusal` for an alert of another kind, among them a call under duress.
  func answer(
    _ text: String, to reference: String, with acknowledgement: Acknowledgement
  ) throws -> WriteRequest<RowID> {
    let message = DirectiveDraft(
      kind: .message, text: text, addressees: .users([try caller(of: reference)]))
    guard case .shared(let rows) = acknowledgement else { return OrderRequests.issue(message) }
    return OrderRequests.issue(message, after: rows)
  }

  private func caller(of reference: String) throws -> UserID {
    let id = try AlertReader.alert(named: reference, among: alerts.alerts)
    switch id.kind {
    case .help: return UserID(raw: id.row.raw)
    case .duress:
      throw Refusal(
        "a call under duress has no answer: others may see the person's screen. Use radio or "
          + "telephone only if that is safe", .notAllowed)
    default:
      throw Refusal(
        "only a call for help has an answer: acknowledge this alert without one, and use "
          + "muster order message")
    }
  }

  /// Acknowledges an alert. The first acknowledgement keeps its name; a repeated one changes
  /// nothing.
  ///
  /// - Parameters:
  ///   - reference: its id, or at least four of the row's digits.
  ///   - name: the acknowledging person; nil for this device's own user.
  ///   - user: the user that the name belongs to, if a command post relays it.
  ///   - isByProgram: whether no person acknowledges. A person may then still acknowledge it.
  func acknowledgement(
    of reference: String, by name: String?, for user: UserID?, isByProgram: Bool
  ) throws -> Acknowledgement {
    let context = reader.context
    let local = context.local.author
    let own = try context.callsign(of: local.user)
    let name = name ?? own
    if let fault = TextRule.line.fault(in: name) { throw Refusal("the name \(fault)") }
    var alerts = alerts
    let changes = update.changes
    let id = try AlertReader.alert(named: reference, among: alerts.alerts)
    let maySend = (local.role == .command || local.role == .member) && !context.isRevoked
    let person =
      isByProgram ? AlertReply.program : local.role == .command ? user ?? local.user : local.user
    let note = name == own ? "" : name
    if id.kind.isGroup {
      let rows = maySend ? try rows(acknowledging: id, of: alerts, by: person, note: note) : []
      if !rows.isEmpty { return .shared(rows) }
    }
    let cause = alerts.cause(of: id, with: findings.first { $0.id == id }?.cause ?? .none)
    if alerts.alerts.first(where: { $0.id == id })?.acknowledgement != nil {
      guard !isByProgram, cause.isShared, try reader.isAcknowledgedByProgramsAlone(id, cause)
      else { return .nothing }
    }
    if cause.isShared, maySend {
      return .shared([try reader.acknowledgement(of: id, cause, by: person, note: note)])
    }
    let acknowledgement = AlertAcknowledgement(name: name, moment: now)
    guard let alert = alerts.acknowledge(id, acknowledgement) else { return .nothing }
    return .local(
      Update(
        alerts: alerts, shelved: shelved, changes: changes + [.acknowledged(alert)], isNew: true))
  }
  /// Returns the writes that acknowledge each call of a shared alert that waits for it, at most
  /// `mostCalls` at once. A person also acknowledges what only programs did.
  private func rows(
    acknowledging id: AlertID, of alerts: AlertTracker, by user: UserID, note: String
  ) throws -> [[Write]] {
    var rows: [[Write]] = []
    let found = findings.first { $0.id == id }?.calls ?? []
    for (call, isAcknowledged) in alerts.calls(in: id)
    where call.cause.isShared && rows.count < Self.mostCalls {
      let held = found.first { $0.id == call.id }?.cause ?? call.cause
      let cause = call.cause.continued(by: held)
      if isAcknowledged {
        guard user != AlertReply.program,
          try reader.isAcknowledgedByProgramsAlone(call.id, cause)
        else { continue }
      }
      rows.append(try reader.acknowledgement(of: call.id, cause, by: user, note: note))
    }
    return rows
  }
}

extension Alert {
  /// Whether its person called for help, and command has not acknowledged yet that it is over.
  fileprivate var isOfCaller: Bool {
    id.kind == .help || id.kind == .calledOff && acknowledgement == nil
  }
}
