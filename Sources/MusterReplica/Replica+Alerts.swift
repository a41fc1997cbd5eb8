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
    let people = try users(now: now)
    let zones = try monitor.zones(in: store)
    let here = try store.positions().first { $0.device == local.device }?.report.fix
    let telling = here.flatMap { AlertRules.isTelling($0) ? $0.position : nil }
    let rules = AlertRules(
      own: local.author.user, isCommand: local.author.role == .command, people: people,
      reports: try hazards(), fences: try fences(),
      directives: try directives(among: people, now: now),
      isInside: { fence in
        telling.flatMap { zones.prepared[fence]?.contains($0) } ?? false
      }, now: now.wall)
    return rules.findings
  }
}
