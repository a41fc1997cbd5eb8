internal import MusterCRDT
internal import MusterGeo
public import MusterModel
internal import MusterStore

/// Alerts of this device: a function of what it holds, never sent. An acknowledgement is sent if
/// the alert's cause is known to all nodes (decision 0042).
extension Replica {
  /// Returns the active alerts at `now`, the most severe first; changes nothing.
  public mutating func alerts(now: ClockReading) throws -> [Alert] {
    var state = try alertReader.stored()
    let findings = try findings(now: now)
    _ = try alertReader.update(&state, with: findings, now: now.wall)
    return try addingContacts(to: state.alerts, now: now)
  }

  /// Returns the active alerts of the last review, also after a restart, without contacts.
  public func raisedAlerts() throws -> [Alert] { try alertReader.stored().alerts }

  /// Adds the emergency contacts to alerts of a danger to people.
  public mutating func addingContacts(to alerts: [Alert], now: ClockReading) throws -> [Alert] {
    let contacts = try contacts()
    guard !contacts.isEmpty, alerts.contains(where: \.endangersPeople) else { return alerts }
    let reader = AlertContacts(
      context: context, contacts: contacts, people: try people(now: now).map(\.summary),
      checkIns: derived.checkIns)
    return try alerts.map(reader.adding)
  }

  /// Reviews the alerts and stores the raised ones; the outcome lists those raised and cleared.
  /// MUST be called after changes, and from time to time, since silence raises alerts too.
  public mutating func reviewAlerts(now: ClockReading) throws -> Outcome {
    try reviewAlerts(storing: nil, now: now)
  }

  /// - Parameter calls: calls under duress that changed.
  private mutating func reviewAlerts(
    storing calls: [UInt8]?, now: ClockReading
  ) throws -> Outcome {
    let before = try alertReader.stored()
    var state = before
    let findings = try findings(now: now)
    let changes = try alertReader.update(&state, with: findings, now: now.wall)
    let dates = derived.checkIns.takeUnsaved(
      at: ages.reading(now), wall: now.wall, boot: own.boot)
    guard !state.isStored(as: before) || !dates.isEmpty || calls != nil else { return Outcome() }
    var outcome = try transact(now: now) { replica in
      replica.transaction.batch.local[AlertTracker.key] = state.encoded()
      replica.transaction.batch.local.merge(dates) { _, date in date }
      if let calls { replica.transaction.batch.local[DuressLedger.key] = calls }
      // What raised an alert is as durable as the alert.
      replica.received.hurry()
    }
    outcome.alertChanges = AlertReader.inOrderOfDueTimes(changes) { timer in
      let person = derived.checkIns.person(of: timer)
      let timers = person.flatMap { derived.statusModel.assessment(of: $0) }?.timers
      return timers?.first { $0.id == timer }?.due.latest
    }
    return outcome
  }

  /// Acknowledges an alert: it stays active until its matter is over, without a sound. The first
  /// acknowledgement keeps its name; a repeated one changes nothing.
  ///
  /// If all nodes can know the alert's cause, the acknowledgement is replicated, and counts only
  /// for this occurrence of the alert. Any other alert concerns only this device, and its
  /// acknowledgement is not sent.
  ///
  /// - Parameters:
  ///   - reference: its id (`help:3f9a…`), or at least four of the row's digits if they identify
  ///     one alert.
  ///   - name: the acknowledging person, in one line; nil for this device's own user.
  ///   - user: the user that the name belongs to, if a command post relays it.
  public mutating func acknowledgeAlert(
    _ reference: String, by name: String?, for user: UserID? = nil, now: ClockReading
  ) throws -> Outcome {
    let own = try context.callsign(of: local.author.user)
    let name = name ?? own
    if let fault = TextRule.line.fault(in: name) { throw Refusal("the name \(fault)") }
    var state = try alertReader.stored()
    let findings = try findings(now: now)
    var changes = try alertReader.update(&state, with: findings, now: now.wall)
    let id = try AlertReader.alert(named: reference, among: state.alerts)
    guard state.alerts.first(where: { $0.id == id })?.acknowledgement == nil else {
      return Outcome()
    }
    let cause = state.cause(of: id, with: findings.first { $0.id == id }?.cause ?? .none)
    let (role, isRevoked) = (local.author.role, control.isRevoked(local.device))
    if cause.isShared, role == .command || role == .member, !isRevoked {
      let person = role == .command ? user ?? local.author.user : local.author.user
      // The next review reports it, here as on every node.
      let writes = try alertReader.acknowledgement(
        of: id, cause, by: person, note: name == own ? "" : name)
      return try write(writes, lane: .urgent, now: now)
    }
    let acknowledgement = AlertAcknowledgement(name: name, moment: now.wall)
    guard let alert = state.acknowledge(id, acknowledgement) else { return Outcome() }
    changes.append(.acknowledged(alert))
    var outcome = try transact(now: now) { replica in
      replica.transaction.batch.local[AlertTracker.key] = state.encoded()
    }
    outcome.alertChanges = changes
    return outcome
  }

  /// Ends the alarm about a person who called under duress, at this command device only, until the
  /// next call. Nothing of it is sent.
  public mutating func clearDuress(of user: UserID, now: ClockReading) throws -> Outcome {
    try require(.command)
    guard let calls = derived.clearCalls(of: user) else {
      throw Refusal("\(try context.callsign(of: user)) has no open call under duress here")
    }
    do {
      return try reviewAlerts(storing: calls, now: now)
    } catch {
      derived.restoreCalls(try store.local(DuressLedger.key))
      throw error
    }
  }

  private var alertReader: AlertReader { AlertReader(context: context) }

  private mutating func findings(now: ClockReading) throws -> [AlertTracker.Finding] {
    let people = try people(now: now)
    let zones = try location.monitor.zones(in: store)
    let (context, ages) = (context, ageReader(at: now))
    let lowBatteries = Set(
      try alertReader.stored().alerts.filter { $0.id.kind == .battery }
        .map { UserID(raw: $0.id.row.raw) })
    let devices = DeviceReader(context: context, engine: engine)
    let zoneRules = try ZoneRuleReader(context: context, ages: ages, zones: zones).findings(
      people.map(\.summary), entered: &derived.enteredRules)
    return try alertReader.findings(
      people: people,
      directives: DirectiveList(context: context, zones: zones).directives(among: people),
      zones: zones, zoneRules: zoneRules,
      devices: DeviceAlerts(
        device: local.device, isCommand: local.author.role == .command,
        isRevoked: context.isRevoked, clockLead: engine.clockLead(now: now),
        home: recovery.home, clones: try devices.clones(),
        bounds: try devices.boundsReached(excessCheckIns: derived.checkIns.excess),
        readmissions: try devices.refused(own.readmissions),
        disputed: try CouncilList(context: context).disputedMembers,
        clockFaults: try ages.clockFaults()),
      unconfirmed: ages.unconfirmed(), lowBatteries: lowBatteries, now: now.wall)
  }
}
