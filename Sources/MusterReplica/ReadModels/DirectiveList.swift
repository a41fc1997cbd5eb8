internal import MusterCRDT
internal import MusterGeo
internal import MusterModel
internal import MusterStatus
internal import MusterStore

/// A roll call with those that it replaces.
private struct RollCall {
  let row: RowState
  let supersedes: Set<RowID>
}

extension [RowState] {
  fileprivate var rollCalls: [RollCall] {
    filter { $0.exists && $0.directiveKind == .rollcall }.map {
      RollCall(row: $0, supersedes: $0.supersededDirectives)
    }
  }
}

/// The state of directives, as known to this node.
struct DirectiveList {
  let context: ReadContext
  let zones: GeofenceMonitor.Zones

  /// Returns a directive. Throws `Refusal` for one that does not exist, or has not arrived.
  func directive(_ id: RowID, among known: [AssessedPerson]) throws -> DirectiveSummary {
    let rows = try context.store.rows(.directive)
    return try summary(
      context.existing(.directive, id), superseded: rows.superseded, calls: rows.rollCalls,
      among: known)
  }

  /// Returns all directives, open ones first, then the newest.
  func directives(among known: [AssessedPerson]) throws -> [DirectiveSummary] {
    let rows = try context.store.rows(.directive)
    let (superseded, calls) = (rows.superseded, rows.rollCalls)
    var summaries: [DirectiveSummary] = []
    for row in rows where row.exists {
      summaries.append(try summary(row, superseded: superseded, calls: calls, among: known))
    }
    return summaries.sorted { left, right in
      if left.status != right.status { return left.status.rawValue < right.status.rawValue }
      return left.createdAt != right.createdAt
        ? left.createdAt > right.createdAt : left.id < right.id
    }
  }

  /// Returns the only open directive that a user has not answered, or, to withdraw an answer, has
  /// answered. Throws if there is none, or more than one.
  func waiting(
    for asked: UserID, answered: Bool, among known: [DirectiveSummary]
  ) throws -> RowID {
    let asking = known.filter { directive in
      directive.status == .open
        && directive.people.contains {
          $0.user == asked && ($0.answeredAt != nil) == answered && $0.state != .late
        }
    }
    // Only a fix satisfies an order to a zone, so an answer is for one of the others.
    let answerable = asking.filter { !$0.kind.sendsPeople }
    var found = answerable.isEmpty ? asking : answerable
    // A roll call asks for an answer now, and an answer to the newest is for those it replaces.
    if !answered, let call = found.filter({ $0.kind == .rollcall }).max(by: Self.isEarlier) {
      found = [call]
    }
    guard let only = found.first else {
      let name = asked == context.local.author.user ? "you" : try context.callsign(of: asked)
      throw Refusal(
        answered ? "\(name): no open order is answered" : "no open order waits for \(name)",
        .unknown)
    }
    guard found.count == 1 else {
      let names = found.map { "\($0.id.short) (\($0.kind.name))" }.joined(separator: ", ")
      throw Refusal("\(found.count) open orders: name one of \(names)", .unknown)
    }
    return only.id
  }

  private static func isEarlier(_ left: DirectiveSummary, than right: DirectiveSummary) -> Bool {
    (left.createdAt, left.id) < (right.createdAt, right.id)
  }

  private func summary(
    _ row: RowState, superseded: [RowID: RowID], calls: [RollCall], among known: [AssessedPerson]
  ) throws -> DirectiveSummary {
    // Roll calls are read by everyone at a command post, and agree with those of members.
    let people = known.map(\.summary.withoutDuress)
    var zones: [DirectiveZone] = []
    for zone in row.directiveZones {
      let name = try context.store.row(RowKey(kind: .fence, id: zone))?.text(.fenceName)
      zones.append(DirectiveZone(id: zone, name: name ?? ""))
    }
    zones.sort { ($0.name, $0.id) < ($1.name, $1.id) }
    let successor = superseded[row.key.id]
    let standings = Self.standings(of: row.key.id, among: known)
    // A roll call that was replaced too late stays open until those who were missing answer.
    let waits = standings.values.contains { !$0.isSatisfied }
    let isOpen = row.isOpenDirective && (successor == nil || waits)
    let tally = ResponseTally(
      kind: row.directiveKind, issuedAt: row.createdAt ?? Timestamp(milliseconds: 0),
      answers: try answers(to: row, calls), expected: row.expectedPeople,
      destinations: destinations(of: row), isOpen: isOpen, standings: standings)
    let audience = Audience(of: row)
    var summary = DirectiveSummary(
      id: row.key.id, kind: row.directiveKind, text: row.text(.directiveText) ?? "",
      addressees: audience.phrase(among: people), zones: zones,
      deadline: row.directiveDeadline,
      status: isOpen ? .open : .closed,
      callsign: try context.authorship(ofCreating: row),
      createdAt: row.createdAt ?? Timestamp(milliseconds: 0),
      people: tally.respondents(
        among: people.filter { audience.includes($0, of: row.directiveKind, by: row.owner) },
        of: people))
    for user in tally.unknown(among: people) {
      summary.people.append(tally.respondent(user, callsign: try context.callsign(of: user)))
    }
    summary.people.sort(by: ResponseTally.isListedBefore)
    summary.supersedes = row.supersededDirectives.sorted()
    summary.supersededBy = successor
    return summary
  }

  /// Returns the status function's result for each person that an open order addresses.
  private static func standings(
    of order: RowID, among known: [AssessedPerson]
  ) -> [UserID: OrderStanding] {
    var standings: [UserID: OrderStanding] = [:]
    for (person, assessment) in known {
      standings[person.id] = assessment.orders.first { $0.id == order }
    }
    return standings
  }

  /// Returns the answers to a directive, and of those who gave none to it, to the roll calls that
  /// replace it.
  private func answers(
    to row: RowState, _ calls: [RollCall]
  ) throws(StoreError) -> [UserID: ResponseTally.Answer] {
    var found = try answers(to: row)
    guard row.directiveKind == .rollcall else { return found }
    let newer = OrderSuccession.successors(of: row.key.id, among: calls) {
      ($0.row.key.id, $0.supersedes)
    }
    for call in newer { found.merge(try answers(to: call.row)) { first, _ in first } }
    return found
  }

  /// Returns the answers. A user's own answer takes precedence over others for them, then the
  /// latest.
  private func answers(to row: RowState) throws(StoreError) -> [UserID: ResponseTally.Answer] {
    var answers: [UserID: (answer: ResponseTally.Answer, value: LiveValue)] = [:]
    for (user, note, value) in row.answers(in: context.local.operation) {
      if let known = answers[user]?.value {
        let (isOwn, wasOwn) = (value.author == user, known.author == user)
        let isBetter =
          isOwn != wasOwn ? isOwn : (value.writtenAt, value.dot) > (known.writtenAt, known.dot)
        if !isBetter { continue }
      }
      let isOwn = value.author == user && value.onBehalfOf == nil
      let by = isOwn ? nil : try context.authorship(of: value)
      answers[user] = (ResponseTally.Answer(note: note, at: value.writtenAt, by: by), value)
    }
    return answers.mapValues(\.answer)
  }

  /// Returns the zones in which a person counts as present: those that the directive names, as far
  /// as people can be sent there now, or else all assembly zones.
  private func destinations(of row: RowState) -> [GeofenceMonitor.Destination] {
    let named = Set(row.directiveZones)
    return zones.destinations.filter {
      named.isEmpty ? $0.isAssembly : named.contains($0.zone.id)
    }
  }
}
