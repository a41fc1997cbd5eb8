internal import MusterCRDT
internal import MusterModel
internal import MusterStatus
internal import MusterStore

/// A person for lists, with the status function's result.
typealias AssessedPerson = (summary: UserSummary, assessment: StatusAssessment)

/// Everyone with a certificate, every tracker, and those that rows name before either arrives, with
/// their status.
struct PersonList {
  let context: ReadContext
  let ages: AgeReader
  let statuses: StatusModel
  let zones: GeofenceMonitor.Zones
  let telemetry: TelemetryIndex

  /// Returns everyone, in the order of lists.
  func people() throws -> [AssessedPerson] {
    try assessed(statuses.people).sorted { UserSummary.isListed($0.summary, before: $1.summary) }
  }

  /// Returns those of some people that are listed, at the cost of these alone.
  func people(_ ids: [UserID]) throws -> [AssessedPerson] {
    try assessed(ids.compactMap(statuses.person))
  }

  private func assessed(
    _ people: some Sequence<PersonRoster.Person>
  ) throws -> [AssessedPerson] {
    let statements = StatementReader(context: context)
    var found: [AssessedPerson] = []
    for person in people {
      guard let assessment = statuses.assessment(of: person.identity.id) else { continue }
      found.append((try summary(person, assessment, statements), assessment))
    }
    return found
  }

  private func summary(
    _ person: PersonRoster.Person, _ assessment: StatusAssessment, _ statements: StatementReader
  ) throws -> UserSummary {
    let (identity, row) = (person.identity, person.row)
    let standing = try row.map {
      SafetyStanding($0, openCalls: try statements.statements($0).openCalls)
    }
    let newest = context.newestPositions(
      person.devices.compactMap { statuses.position(of: $0.id) })[identity.id]
    var summary = UserSummary(
      id: identity.id, callsign: person.name, role: identity.role,
      status: assessment.status, severity: assessment.severity, reason: assessment.reason,
      fix: newest?.report.fix, reportedAt: newest?.report.madeAt,
      fixAgeSeconds: newest.flatMap { ages.shownAge(of: $0) }.map { $0 / 1000 },
      team: identity.team,
      trackerOwner: statuses.trackerOwner(of: person),
      selfReport: try standing?.selfReport.map(statement),
      override: try standing?.override.map(statement))
    summary.batteryPercent = person.devices.filter { !$0.isRevoked }
      .compactMap { telemetry.batteryPercent(of: $0.id) }.min()
    summary.conditions = assessment.conditions
    summary.age = ages.contactAge(of: assessment)
    summary.order = followedOrder(of: assessment)
    return summary
  }

  private func statement(_ value: LiveValue) throws(StoreError) -> SafetyStatement {
    let (claim, note) = SafetyStanding.claim(of: value.value) ?? (.needsHelp, "")
    var callsign = try context.authorship(of: value).text
    if case .relayedClaim(_, _, let login, _) = value.value {
      callsign =
        "\(ShownName.text(of: login)), via \(try context.callsign(of: value.author))'s post"
    }
    return SafetyStatement(claim: claim, note: note, callsign: callsign, statedAt: value.writtenAt)
  }

  private func followedOrder(
    of assessment: StatusAssessment
  ) -> FollowedOrder? {
    guard let guidance = assessment.guidance else { return nil }
    let due = guidance.due.map { ($0.hasEarliest ? $0.earliest : $0.latest) - ages.reading }
    return FollowedOrder(
      id: guidance.order, kind: guidance.kind, zone: guidance.zone,
      zoneName: zones.all.first { $0.id == guidance.zone }?.name ?? "",
      distanceMetres: guidance.distanceMetres.map { Int64($0.rounded()) },
      bearingDegrees: guidance.bearingDegrees.map { Int64($0.rounded()) % 360 },
      dueSeconds: due.map { $0 / 1000 })
  }
}
