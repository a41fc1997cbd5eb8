internal import MusterCRDT
internal import MusterGeo
public import MusterModel
internal import MusterStore

/// What has become of directives, as far as this node knows.
extension Replica {
  /// Open ones first, then the newest.
  public mutating func directives(now: ClockReading) throws -> [DirectiveSummary] {
    let people = try users(now: now)
    return try directives(among: people, now: now)
  }

  /// Throws `Refusal` for one that was never made, or has not arrived.
  public mutating func directive(_ id: RowID, now: ClockReading) throws -> DirectiveSummary {
    let people = try users(now: now)
    return try summary(existing(.directive, id), among: people)
  }

  mutating func directives(
    among people: [UserSummary], now: ClockReading
  ) throws -> [DirectiveSummary] {
    var summaries: [DirectiveSummary] = []
    for row in try store.rows(.directive) where row.exists {
      summaries.append(try summary(row, among: people))
    }
    return summaries.sorted { left, right in
      if left.status != right.status { return left.status.rawValue < right.status.rawValue }
      return left.createdAt != right.createdAt
        ? left.createdAt > right.createdAt : left.id < right.id
    }
  }

  private mutating func summary(
    _ row: RowState, among people: [UserSummary]
  ) throws -> DirectiveSummary {
    var fence: RowID?
    if case .reference(let id)? = row.shown(.directiveFence)?.value { fence = id }
    var deadline: Timestamp?
    if case .time(let moment)? = row.shown(.directiveDeadline)?.value { deadline = moment }
    let fenceRow = try fence.flatMap { try store.row(RowKey(kind: .fence, id: $0)) }
    let created = row.createdAt ?? Timestamp(milliseconds: 0)
    let haven = try haven(fence)
    let answers = try answers(to: row)
    let addressed = people.filter {
      row.isAddressed($0.id, role: $0.role, team: $0.team, isTracker: $0.isTracker)
    }
    let respondents = addressed.map { person in
      answers[person.id].map { $0.respondent(person) }
        ?? Self.unanswered(person, of: row.directiveKind, since: created, haven: haven)
    }
    return DirectiveSummary(
      id: row.key.id, kind: row.directiveKind, text: row.text(.directiveText) ?? "",
      addressees: Self.addressees(of: row, among: people), fence: fence,
      fenceName: fenceRow?.text(.fenceName) ?? "", deadline: deadline,
      status: row.isOpenDirective ? .open : .closed,
      callsign: try callsign(of: row.owner ?? UserID(raw: .zero)), createdAt: created,
      people: respondents.sorted {
        let (left, right) = ($0.state != .unaccounted, $1.state != .unaccounted)
        return left != right ? right : ($0.callsign, $0.user) < ($1.callsign, $1.user)
      })
  }

  private static func addressees(of row: RowState, among people: [UserSummary]) -> String {
    var words: [String] = []
    for case .reference(let id) in row.values(of: .directiveUsers).map(\.value) {
      words.append(people.first { $0.id.raw == id.raw }?.callsign ?? id.short)
    }
    words.sort()
    if let role = row.code(.directiveRole).flatMap(Role.init) { words.append("role \(role.name)") }
    if let team = row.text(.directiveTeam) { words.append("team \(team)") }
    return words.isEmpty ? "everyone" : words.joined(separator: ", ")
  }

  // MARK: Answers

  private struct Answer {
    let note: String
    let at: Timestamp
    /// Nil where they spoke for themselves.
    let by: String?

    func respondent(_ person: UserSummary) -> Respondent {
      let words = by.map { "acknowledged for them by \($0)" } ?? "acknowledged"
      return Respondent(
        user: person.id, callsign: person.callsign, state: .acknowledged,
        reason: note.isEmpty ? words : "\(words): \(note)", answeredAt: at, answeredBy: by,
        fixAgeSeconds: person.fixAgeSeconds)
    }
  }

  /// One's own answer goes before what others say, then the latest.
  private func answers(to row: RowState) throws(StoreError) -> [UserID: Answer] {
    var answers: [UserID: (answer: Answer, value: LiveValue)] = [:]
    for value in row.values(of: .directiveAcknowledgements) {
      guard case .reply(let user, let note) = value.value else { continue }
      if let known = answers[user]?.value {
        let (isOwn, wasOwn) = (value.author == user, known.author == user)
        let isBetter =
          isOwn != wasOwn ? isOwn : (value.writtenAt, value.dot) > (known.writtenAt, known.dot)
        if !isBetter { continue }
      }
      let by = value.author == user ? nil : try callsign(of: value.author)
      answers[user] = (Answer(note: note, at: value.writtenAt, by: by), value)
    }
    return answers.mapValues(\.answer)
  }

  /// Where whoever is seen there counts as accounted for: the fence to go to, or else any muster.
  private mutating func haven(_ fence: RowID?) throws(StoreError) -> [SafetyZone] {
    let zones = try monitor.zones(in: store)
    guard let fence else { return zones.muster }
    guard let outline = zones.prepared[fence] else { return [] }
    let name = try store.row(RowKey(kind: .fence, id: fence))?.text(.fenceName)
    return [SafetyZone(name: name ?? fence.short, fence: outline)]
  }

  /// Seen where they are to be, or seen at all where that is what was asked; or else unaccounted,
  /// whatever else is known of them being told.
  private static func unanswered(
    _ person: UserSummary, of kind: DirectiveKind, since created: Timestamp, haven: [SafetyZone]
  ) -> Respondent {
    var respondent = Respondent(
      user: person.id, callsign: person.callsign, state: .unaccounted, reason: person.reason,
      answeredAt: nil, answeredBy: nil, fixAgeSeconds: person.fixAgeSeconds)
    guard let fix = person.fix, let report = person.reportedAt, report >= created else {
      return respondent
    }
    switch kind {
    case .locate:
      respondent.state = .present
      respondent.reason = "has told where"
    case .evacuate, .muster, .rollcall:
      // Somebody who asks for help is looked for, wherever they are.
      if person.safety == .unsafe { break }
      if let zone = haven.first(where: { $0.fence.contains(fix.position) }) {
        respondent.state = .present
        respondent.reason = "seen inside \(zone.name)"
      }
    case .message: break
    }
    return respondent
  }
}
