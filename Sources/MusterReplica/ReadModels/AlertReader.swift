internal import MusterCRDT
internal import MusterGeo
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// The alerts of this device: a function of what it holds.
struct AlertReader {
  let context: ReadContext

  /// Returns what raises alerts now.
  ///
  /// - Parameters:
  ///   - zoneRules: by the rules of zones.
  ///   - devices: about this device and others.
  ///   - authors: whose certificates stand behind them.
  ///   - lost: as `SilenceFolding.lost`.
  func findings(
    people: [AssessedPerson], directives: [DirectiveSummary], zones: GeofenceMonitor.Zones,
    zoneRules: [AlertTracker.Finding], devices: DeviceAlerts, authors: AlertAuthors,
    unconfirmed: Set<UserID>, lowBatteries: Set<UserID>, callers: Set<UserID>, stored: AlertTracker,
    lost: @escaping () -> [UserID: Int64], now: Timestamp
  ) throws -> [AlertTracker.Finding] {
    let (own, isCommand) = (context.local.author.user, context.local.author.role == .command)
    let positions = try context.devicePositions()
    let here = positions.first { $0.device == context.local.device }?.report.fix
    let precise = here.flatMap { AlertRules.isPrecise($0) ? $0.position : nil }
    let fences = try FenceList(context: context, zones: zones).fences()
    let rules = AlertRules(
      own: own, isCommand: isCommand, people: people.map(\.summary), fences: fences,
      directives: directives,
      isInside: { fence in
        precise.flatMap { zones.prepared[fence]?.contains($0) } ?? false
      }, now: now)
    let aboutPeople = PersonAlerts(
      own: own, isCommand: isCommand, people: people, directives: directives,
      muted: Set(fences.filter { !$0.alertsEntry }.map(\.id)), unconfirmed: unconfirmed,
      lowBatteries: lowBatteries, callers: callers)
    let aboutCheckIns = try checkInAlerts(people)
    let aboutReports = ReportAlerts(
      isCommand: isCommand, reports: try reports(by: people), here: rules.here,
      surroundings: Surroundings(
        people: people.map(\.summary),
        zones: fences.filter(\.isActive).compactMap { fence in
          zones.prepared[fence.id].map { (fence.name, $0) }
        }))
    let findings =
      zoneRules + aboutPeople.findings + aboutCheckIns.findings
      + (try aboutReports.findings()) + rules.findings + devices.findings
      + [try UnverifiedCallReader(context: context).finding()].compactMap { $0 }
    let complete = try findings.map { finding in
      var finding = finding
      if !finding.cause.isShared {
        finding.cause = try cause(of: finding.id, positions: positions)
      }
      finding.author = try authors.author(of: finding.id)
      finding.isPersonsCall = authors.isPersonsCall(finding.id)
      return finding
    }
    let calls = try CallFolding(context: context, authors: authors).folding(complete)
    let checkIns = try authors.checkInFolding.folding(calls)
    let reports = ReportFolding(stored: stored, now: now).folding(checkIns)
    return authors.silenceFolding(stored: stored, lost: lost).folding(reports)
  }

  private func checkInAlerts(_ people: [AssessedPerson]) throws(StoreError) -> CheckInAlerts {
    let own = context.local.author.user
    var (notes, trackers): ([RowID: String], Set<UserID>) = ([:], [])
    for (person, assessment) in people {
      for timer in assessment.timers where timer.state > .running {
        let row = try context.store.row(RowKey(kind: .checkIn, id: timer.id))
        notes[timer.id] = row?.text(.checkInNote)
        if person.isTracker, row?.owner == own { trackers.insert(person.id) }
      }
    }
    return CheckInAlerts(own: own, people: people, notes: notes, ownTrackers: trackers)
  }

  private func row(_ id: AlertID) -> RowKey {
    RowKey(kind: .alertAcknowledgement, id: RowID(operation: context.local.operation, alert: id))
  }

  func update(
    _ alerts: inout AlertTracker, with findings: [AlertTracker.Finding],
    among people: [UserSummary], now: Timestamp
  ) throws {
    var namesakes: Namesakes?
    try alerts.update(findings, now: now) { id in
      let values = try context.store.row(row(id))?.values(of: .alertAcknowledgements) ?? []
      guard !values.isEmpty else { return [] }
      let names = namesakes ?? Namesakes(people.map { ($0.id, $0.callsign) })
      namesakes = names
      return try values.compactMap { try notice($0, names) }
    }
  }

  /// Whether an acknowledgement silences an alert here: one of command does everywhere, a member's
  /// on the member's own devices. Else a member could silence what others wrote (decision 0107).
  private func silences(_ value: LiveValue) -> Bool {
    #if Canary
      if Canary.memberSilences.isPlanted { return true }
    #endif
    return value.role == .command || value.author == context.local.author.user
  }

  /// Whether only programs acknowledged this cause of an alert: a person's acknowledgement is then
  /// still wanted.
  func isAcknowledgedByProgramsAlone(_ id: AlertID, _ cause: AlertCause) throws -> Bool {
    let values = try context.store.row(row(id))?.values(of: .alertAcknowledgements) ?? []
    let replies = values.filter(silences).compactMap { value -> AlertReply? in
      guard case .alertReply(let reply) = value.value else { return nil }
      return cause.isCovered(by: reply, held: cause) ? reply : nil
    }
    return !replies.isEmpty && replies.allSatisfy(\.isByProgram)
  }

  /// Returns the writes that acknowledge an alert's cause, in place of earlier ones of this user
  /// for the same person.
  func acknowledgement(
    of id: AlertID, _ cause: AlertCause, by user: UserID, note: String
  ) throws(StoreError) -> [Write] {
    let key = row(id)
    let state = try context.store.row(key) ?? RowState(key: key)
    let before = state.values(of: .alertAcknowledgements).filter { value in
      guard case .alertReply(let reply) = value.value else { return false }
      return value.author == context.local.author.user && reply.user == user
    }
    let reply = AlertReply(
      user: user, note: note, dots: cause.dots, positions: cause.positions)
    var composer = Composer(state, origin: nil)
    composer.insert(
      .alertAcknowledgements, .alertReply(reply),
      replacing: before.prefix(Limits.supersededDots).map(\.dot))
    return composer.writes
  }

  private func notice(
    _ value: LiveValue, _ names: Namesakes
  ) throws(StoreError) -> AlertTracker.Notice? {
    guard case .alertReply(let reply) = value.value else { return nil }
    let isCommand = value.role == .command
    let person = reply.isByProgram || !isCommand ? value.author : reply.user
    let name = names.text(try context.callsign(of: person), of: person)
    let author = names.text(try context.callsign(of: value.author), of: value.author)
    // A login without a person acknowledges in its own name, not in that of the post's user. What
    // a member's device claims is no name.
    let isLogin = isCommand && TextRule.line.accepts(reply.note)
    let note = isLogin ? ShownName.text(of: reply.note) : ""
    var text = name
    if isLogin { text = value.author == person ? note : "\(note) (\(name))" }
    if isLogin || value.author != person { text += ", via \(author)'s post" }
    return AlertTracker.Notice(
      dot: value.dot, reply: reply,
      acknowledgement: AlertAcknowledgement(name: text, moment: value.writtenAt), role: value.role,
      silences: silences(value),
      sighting: AlertSighting(
        user: person, name: name, role: value.role, via: value.author == person ? nil : author,
        note: note))
  }

  /// Returns the part of an alert's cause that every node can know; empty if it concerns only this
  /// device.
  private func cause(
    of id: AlertID, positions: [DevicePosition]
  ) throws -> AlertCause {
    switch id.kind {
    case .help:
      let row = try context.personRow(id.row)
      return AlertCause(
        dots: try row.map {
          try StatementReader(context: context).statements($0).openCalls.map(\.dot).sorted()
        } ?? [],
        positions: [])
    case .calledOff:
      let row = try context.personRow(id.row)
      let claims = row.map { PersonFields($0.key.kind).claims } ?? []
      return AlertCause(
        dots: claims.flatMap { row?.values(of: $0).map(\.dot) ?? [] }, positions: [])
    case .hazard:
      // At other devices it follows from where they are.
      guard context.local.author.role == .command else { return .none }
      let row = try context.store.row(RowKey(kind: .report, id: id.row))
      let fields: [Field] = [.reportSeverity, .reportToEvacuate, .reportTitle]
      return AlertCause(
        dots: fields.compactMap { row?.shown($0)?.dot }, positions: [])
    case .inHazard, .silent, .nearZone:
      // For this device's own entry the row is the zone's, which no position belongs to.
      return AlertCause(dots: [], positions: seen(id.row.raw, in: positions))
    case .battery:
      // A laptop without a position states its battery in its presence, which has no order.
      let theirs = seen(id.row.raw, in: positions)
      return AlertCause(
        dots: theirs.isEmpty ? try callsignDots(of: id.row) : [], positions: theirs)
    case .overdue:
      let row = try context.store.row(RowKey(kind: .directive, id: id.row))
      return AlertCause(
        dots: row?.values(of: .directiveStatus).map(\.dot) ?? [], positions: [])
    case .checkIn, .stillness:
      guard let row = try context.store.row(RowKey(kind: .checkIn, id: id.row)) else {
        return .none
      }
      let reports = row.values(of: .checkInReport).map(\.dot)
      let start = row.checkInStart.map { [$0.dot] } ?? []
      // The person may move and rest again between two check-ins.
      let person = row.checkInPerson?.raw
      return AlertCause(
        dots: reports.isEmpty ? start : reports,
        positions: id.kind == .stillness ? person.map { seen($0, in: positions) } ?? [] : [])
    default: return .none
    }
  }

  /// Returns the newest positions of a person's devices.
  private func seen(_ person: Bytes16, in positions: [DevicePosition]) -> [SeenPosition] {
    positions.filter { $0.user.raw == person }.map {
      SeenPosition(device: $0.device, order: $0.fixOrder)
    }
  }

  private func callsignDots(of person: RowID) throws(StoreError) -> [Dot] {
    if let tracker = try context.store.row(RowKey(kind: .tracker, id: person)) {
      return tracker.values(of: .trackerCallsign).map(\.dot)
    }
    let user = try context.store.row(RowKey(kind: .user, id: person))
    return user?.values(of: .userCallsign).map(\.dot) ?? []
  }

  static func alert(
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

  func stored() throws(StoreError) -> AlertTracker {
    try stored(AlertTracker.key, AlertTracker.init(decoding:)) ?? AlertTracker()
  }

  func shelved() throws(StoreError) -> ShelvedAlerts {
    try stored(ShelvedAlerts.key, ShelvedAlerts.init(decoding:)) ?? ShelvedAlerts()
  }

  /// Unreadable data was written by another version: all alerts are then raised again.
  private func stored<Value>(
    _ key: String, _ decoding: ([UInt8]) throws(DecodingFault) -> Value
  ) throws(StoreError) -> Value? {
    guard let bytes = try context.store.local(key) else { return nil }
    do throws(DecodingFault) {
      return try decoding(bytes)
    } catch {
      return nil
    }
  }

  /// Returns the open reports.
  private func reports(by people: [AssessedPerson]) throws -> [ReportAlerts.Report] {
    let own = context.local.author.user
    let proven = Set(
      people.filter { !$0.summary.isUnknown && !$0.assessment.isRevoked }.map(\.summary.id))
    return try context.store.rows(.report).compactMap { row in
      guard row.exists, row.code(.reportStatus) != ReportStatus.resolved.rawValue else {
        return nil
      }
      var place: Coordinate?
      if case .position(let position)? = row.shown(.reportPosition)?.value { place = position }
      let isThroughOthers = row.createdOnBehalfOf.map { $0 != .person(own) } ?? false
      return ReportAlerts.Report(
        id: row.key.id, isOwn: row.owner == own && !isThroughOthers,
        reporter: { try context.authorship(ofCreating: row) },
        isProven: row.owner.map(proven.contains) ?? false, title: row.text(.reportTitle) ?? "",
        category: row.code(.reportCategory).flatMap(ReportCategory.init) ?? .other,
        severity: row.code(.reportSeverity), toEvacuate: row.isSet(.reportToEvacuate),
        position: place)
    }
  }
}
