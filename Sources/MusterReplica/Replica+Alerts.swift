internal import MusterCRDT
internal import MusterGeo
public import MusterModel
internal import MusterStore

/// Alerts of this device: a function of what it holds, never sent. An acknowledgement is sent if
/// the alert's cause is known to all nodes (decision 0042).
extension Replica {
  /// Returns the active alerts at `now`, the most severe first; changes nothing.
  public mutating func alerts(now: ClockReading) throws -> [Alert] {
    var book = try alertBook()
    _ = try update(&book, with: findings(now: now), now: now)
    return book.alerts
  }

  /// Returns the active alerts of the last review, also after a restart.
  public func raisedAlerts() throws -> [Alert] { try alertBook().alerts }

  /// Reviews the alerts and stores the raised ones; the outcome lists those raised and cleared.
  /// MUST be called after changes, and from time to time, since silence raises alerts too.
  public mutating func reviewAlerts(now: ClockReading) throws -> Outcome {
    let before = try alertBook()
    var book = before
    let changes = try update(&book, with: findings(now: now), now: now)
    guard !book.tellsTheSame(as: before) else { return Outcome() }
    var outcome = try transact(now: now) { replica in
      replica.transaction.batch.local[AlertBook.key] = book.encoded()
      // What raised an alert is as durable as the alert.
      replica.received.hurry()
    }
    outcome.alertChanges = changes
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
    let own = try callsign(of: local.author.user)
    let name = name ?? own
    if let fault = TextRule.line.fault(in: name) { throw Refusal("the name \(fault)") }
    var book = try alertBook()
    let findings = try findings(now: now)
    var changes = try update(&book, with: findings, now: now)
    let id = try Self.alert(named: reference, among: book.alerts)
    guard book.alerts.first(where: { $0.id == id })?.acknowledgement == nil else {
      return Outcome()
    }
    let cause = findings.first { $0.id == id }?.cause ?? .none
    let (role, isRevoked) = (local.author.role, control.isRevoked(local.device))
    if cause.isShared, role == .command || role == .member, !isRevoked {
      let speaker = role == .command ? user ?? local.author.user : local.author.user
      return try acknowledge(id, cause, by: speaker, note: name == own ? "" : name, now: now)
    }
    let acknowledgement = AlertAcknowledgement(name: name, moment: now.wall)
    guard let told = book.acknowledge(id, acknowledgement) else { return Outcome() }
    changes.append(.acknowledged(told))
    var outcome = try transact(now: now) { replica in
      replica.transaction.batch.local[AlertBook.key] = book.encoded()
    }
    outcome.alertChanges = changes
    return outcome
  }

  /// Writes an acknowledgement of an alert's cause. The next review reports it, here as on every
  /// node.
  private mutating func acknowledge(
    _ id: AlertID, _ cause: AlertCause, by user: UserID, note: String, now: ClockReading
  ) throws -> Outcome {
    let key = alertRow(id)
    let state = try store.row(key) ?? RowState(key: key)
    let before = state.values(of: .alertAcknowledgements).filter { value in
      guard case .alertReply(let reply) = value.value else { return false }
      return value.author == local.author.user && reply.user == user
    }
    let reply = AlertReply(
      user: user, note: note, dots: cause.dots, positions: cause.positions)
    var composer = Composer(state, origin: nil)
    composer.insert(
      .alertAcknowledgements, .alertReply(reply),
      replacing: before.prefix(Limits.supersededDots).map(\.dot))
    return try write(composer.writes, lane: .urgent, now: now)
  }

  private func alertRow(_ id: AlertID) -> RowKey {
    RowKey(kind: .alertAcknowledgement, id: RowID(operation: local.operation, alert: id))
  }

  private func update(
    _ book: inout AlertBook, with findings: [AlertBook.Finding], now: ClockReading
  ) throws -> [AlertChange] {
    try book.update(findings, now: now.wall) { id in
      let values = try store.row(alertRow(id))?.values(of: .alertAcknowledgements) ?? []
      // A help claim is named by its hash, which cannot be known in advance. Other causes could be
      // acknowledged in advance by a member for everyone, so these count only on the member's own
      // device.
      return try values.filter {
        id.kind == .help || $0.role == .command || $0.author == local.author.user
      }.compactMap(notice)
    }
  }

  private func notice(_ value: LiveValue) throws(StoreError) -> AlertBook.Notice? {
    guard case .alertReply(let reply) = value.value else { return nil }
    // A login without a person acknowledges in its own name, not in that of the post's user.
    let isLogin = TextRule.line.accepts(reply.note)
    var name = try callsign(of: reply.user)
    if isLogin { name = value.author == reply.user ? reply.note : "\(reply.note) (\(name))" }
    if isLogin || value.author != reply.user {
      name += ", via \(try callsign(of: value.author))'s post"
    }
    return AlertBook.Notice(
      dot: value.dot, reply: reply,
      acknowledgement: AlertAcknowledgement(name: name, moment: value.writtenAt))
  }

  /// Returns the part of an alert's cause that every node can know; empty if it concerns only this
  /// device.
  private func cause(
    of id: AlertID, positions: [DevicePosition]
  ) throws -> AlertCause {
    switch id.kind {
    case .help:
      let tracker = try store.row(RowKey(kind: .tracker, id: id.row))
      let row = try tracker ?? store.row(RowKey(kind: .user, id: id.row))
      return AlertCause(
        dots: try row.map { try statements($0).openCalls.map(\.dot).sorted() } ?? [],
        positions: [])
    case .inHazard, .silent:
      // For this device's own entry the row is the zone's, which no position belongs to.
      let theirs = positions.filter { $0.user.raw == id.row.raw }
      return AlertCause(
        dots: [], positions: theirs.map { SeenPosition(device: $0.device, order: $0.order) })
    case .overdue:
      let row = try store.row(RowKey(kind: .directive, id: id.row))
      return AlertCause(
        dots: row?.values(of: .directiveStatus).map(\.dot) ?? [], positions: [])
    default: return .none
    }
  }

  private static func alert(
    named reference: String, among alerts: [Alert]
  ) throws(Refusal) -> AlertID {
    let words = reference.lowercased().split(
      separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let prefix = words.last.flatMap({ IdentifierPrefix($0) }) else {
      throw Refusal(
        "'\(reference)' is not an alert's id: give at least four of its hexadecimal digits",
        .unknown)
    }
    let found = alerts.map(\.id).filter { id in
      prefix.begins(id.row) && (words.count == 1 || id.kind.name.lowercased() == words[0])
    }
    guard let only = found.first else {
      throw Refusal("there is no active alert \(reference): its matter is over", .unknown)
    }
    guard found.count == 1 else {
      throw Refusal("\(found.count) alerts match \(reference): name the kind too", .unknown)
    }
    return only
  }

  /// Unreadable data was written by another version: all alerts are then raised again.
  private func alertBook() throws(StoreError) -> AlertBook {
    guard let bytes = try store.local(AlertBook.key) else { return AlertBook() }
    do throws(DecodingFault) {
      return try AlertBook(decoding: bytes)
    } catch {
      return AlertBook()
    }
  }

  private func hazards() throws(StoreError) -> [AlertRules.Hazard] {
    try store.rows(.report).compactMap { row in
      guard row.exists, row.code(.reportStatus) != ReportStatus.resolved.rawValue else {
        return nil
      }
      var place: Coordinate?
      if case .position(let position)? = row.shown(.reportPosition)?.value { place = position }
      return AlertRules.Hazard(
        id: row.key.id, owner: row.owner, title: row.text(.reportTitle) ?? "",
        category: row.code(.reportCategory).flatMap(ReportCategory.init) ?? .other,
        severity: row.code(.reportSeverity), toEvacuate: row.isSet(.reportToEvacuate),
        position: place)
    }
  }

  private mutating func findings(now: ClockReading) throws -> [AlertBook.Finding] {
    let known = try people(now: now)
    let people = known.map(\.summary)
    let directives = try directives(among: known)
    let zones = try monitor.zones(in: store)
    let positions = try devicePositions()
    let here = positions.first { $0.device == local.device }?.report.fix
    let telling = here.flatMap { AlertRules.isTelling($0) ? $0.position : nil }
    let rules = AlertRules(
      own: local.author.user, device: local.device, isRevoked: isRevoked,
      clockLead: engine.clockLead(now: now), stateFolderProblem: stateFolderProblem,
      isCommand: local.author.role == .command,
      people: people,
      reports: try hazards(), fences: try fences(),
      directives: directives, clones: try clones(),
      bounds: try boundsReached,
      concerns: DeviceConcerns(
        readmissions: try refusedReadmissions, disputed: try disputedMembers,
        clockFaults: try clockFaults(now: now)),
      isInside: { fence in
        telling.flatMap { zones.prepared[fence]?.contains($0) } ?? false
      }, now: now.wall)
    let muted = try store.rows(.fence).filter { $0.code(.fenceEntryAlert) == 0 }.map(\.key.id)
    let aboutPeople = PersonAlerts(
      own: local.author.user, isCommand: local.author.role == .command, people: known,
      directives: directives, muted: Set(muted), unconfirmed: try unconfirmed(now: now))
    return try (aboutPeople.findings + rules.findings).map { finding in
      var finding = finding
      finding.cause = try cause(of: finding.id, positions: positions)
      return finding
    }
  }
}
