internal import MusterCRDT
internal import MusterGeo
public import MusterModel
internal import MusterStore

/// Alerts of this device: a function of what it holds, never sent to anybody.
extension Replica {
  /// Those that stand at `now`, the loudest first; asking changes nothing.
  public mutating func alerts(now: ClockReading) throws -> [Alert] {
    var book = try alertBook()
    _ = book.update(try findings(now: now), now: now.wall)
    return book.alerts
  }

  /// Those that were raised when somebody looked last, and stand since: over restarts too.
  public func raisedAlerts() throws -> [Alert] { try alertBook().alerts }

  /// Looks anew, and remembers what was raised: the outcome says what came and went. To be called
  /// after something has changed, and from time to time, since silence is an alert too.
  public mutating func reviewAlerts(now: ClockReading) throws -> Outcome {
    let before = try alertBook()
    var book = before
    let changes = book.update(try findings(now: now), now: now.wall)
    guard !book.tellsTheSame(as: before) else { return Outcome() }
    var outcome = try transact(now: now) { replica in
      replica.batch.local[AlertBook.key] = book.encoded()
    }
    outcome.alertChanges = changes
    return outcome
  }

  /// Somebody at this device has taken notice of an alert: it stands on until its matter is over,
  /// and sounds no more. The first to take notice stays named; again changes nothing.
  ///
  /// - Parameters:
  ///   - reference: its id (`help:3f9a…`), or as many of the row's digits as name one alert; at
  ///     least four.
  ///   - name: who, in one line; nil for this device's own user.
  public mutating func acknowledgeAlert(
    _ reference: String, by name: String?, now: ClockReading
  ) throws -> Outcome {
    let name = try name ?? callsign(of: local.author.user)
    if let fault = TextRule.line.fault(in: name) { throw Refusal("the name \(fault)") }
    var book = try alertBook()
    var changes = book.update(try findings(now: now), now: now.wall)
    let id = try Self.alert(named: reference, among: book.alerts)
    let acknowledgement = AlertAcknowledgement(name: name, moment: now.wall)
    guard let told = book.acknowledge(id, acknowledgement) else { return Outcome() }
    changes.append(.acknowledged(told))
    var outcome = try transact(now: now) { replica in
      replica.batch.local[AlertBook.key] = book.encoded()
    }
    outcome.alertChanges = changes
    return outcome
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
      throw Refusal("no alert \(reference) stands here: its matter is over", .unknown)
    }
    guard found.count == 1 else {
      throw Refusal("\(found.count) alerts are called \(reference): name the kind too", .unknown)
    }
    return only
  }

  /// What cannot be read was written by another version: then all is raised anew.
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
    let directives = try directives(among: people, now: now)
    let zones = try monitor.zones(in: store)
    let here = try store.positions().first { $0.device == local.device }?.report.fix
    let telling = here.flatMap { AlertRules.isTelling($0) ? $0.position : nil }
    let rules = AlertRules(
      own: local.author.user, device: local.device, isRevoked: isRevoked,
      clockLead: engine.clockLead(now: now), stateFolderProblem: stateFolderProblem,
      isCommand: local.author.role == .command,
      people: people,
      reports: try hazards(), fences: try fences(),
      directives: directives, clones: try clones(),
      bounds: try boundsReached, readmissions: try refusedReadmissions,
      clockFaults: try clockFaults(now: now),
      isInside: { fence in
        telling.flatMap { zones.prepared[fence]?.contains($0) } ?? false
      }, now: now.wall)
    let muted = try store.rows(.fence).filter { $0.code(.fenceEntryAlert) == 0 }.map(\.key.id)
    let aboutPeople = PersonAlerts(
      own: local.author.user, isCommand: local.author.role == .command, people: known,
      directives: directives, muted: Set(muted), unconfirmed: try unconfirmed(now: now))
    return aboutPeople.findings + rules.findings
  }
}
