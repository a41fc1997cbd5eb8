internal import MusterGeo
internal import MusterModel
internal import MusterStatus

/// Determines for one directive who has answered, who was observed as required, and who is
/// unaccounted for.
struct ResponseTally {
  let kind: DirectiveKind
  let issuedAt: Timestamp
  let answers: [UserID: Answer]
  /// The people on a roll call's frozen list, if it has one.
  let expected: Set<UserID>?
  let destinations: [GeofenceMonitor.Destination]
  let isOpen: Bool
  /// The status function's results for an open order; none for a person who signed off since.
  let standings: [UserID: OrderStanding]

  /// An acknowledgement.
  struct Answer {
    let note: String
    let at: Timestamp
    /// Nil for the person's own answer.
    let by: Authorship?
  }

  /// - Parameters:
  ///   - addressed: the people that the directive addresses now. With a frozen list, all others
  ///     among them are late arrivals.
  ///   - people: all people who are known here.
  func respondents(among addressed: [UserSummary], of people: [UserSummary]) -> [Respondent] {
    guard let expected else { return addressed.map { respondent($0, isLate: false) } }
    return people.filter { expected.contains($0.id) }.map { respondent($0, isLate: false) }
      + addressed.filter { !expected.contains($0.id) }.map { respondent($0, isLate: true) }
  }

  /// Returns the people on the frozen list who are not, or no longer, known here.
  func unknown(among people: [UserSummary]) -> [UserID] {
    (expected ?? []).subtracting(people.map(\.id)).sorted()
  }

  /// Returns the entry of such a person.
  func respondent(_ user: UserID, callsign: String) -> Respondent {
    var respondent = Respondent(
      user: user, callsign: callsign, state: .unaccounted, phrase: Phrase(.notKnownHere),
      answeredAt: nil, answeredBy: nil, fixAgeSeconds: nil)
    if let answer = answers[user] { respondent.take(answer) }
    return respondent
  }

  /// Sorts unaccounted people first and late arrivals last, each by callsign.
  static func isListedBefore(_ left: Respondent, _ right: Respondent) -> Bool {
    func rank(_ person: Respondent) -> Int {
      person.isLate ? 2 : person.state == .unaccounted ? 0 : 1
    }
    return rank(left) != rank(right)
      ? rank(left) < rank(right) : (left.callsign, left.user) < (right.callsign, right.user)
  }

  private func respondent(_ person: UserSummary, isLate: Bool) -> Respondent {
    var respondent = Respondent(
      user: person.id, callsign: person.callsign, state: isLate ? .late : .unaccounted,
      phrase: isLate ? Self.reasonNotCalled(person) : person.phrase, answeredAt: nil,
      answeredBy: nil, fixAgeSeconds: person.fixAgeSeconds)
    respondent.isLate = isLate
    respondent.isTracker = person.isTracker
    if isOpen, kind.includesTrackers { respondent.direction = direction(from: person.fix) }
    if let answer = answers[person.id], satisfies(person) {
      respondent.take(answer)
    } else if !isLate, let reason = signOff(of: person) {
      respondent.state = .signedOff
      respondent.phrase = reason
    } else if let reason = accounting(of: person) ?? sighting(of: person) {
      respondent.state = .present
      respondent.phrase = reason
    } else if kind == .rollcall, isOpen, !isLate, !isInDanger(person),
      let zone = standings[person.id]?.sighting
    {
      // Only an answer satisfies a roll call (decision 0037).
      respondent.phrase = Phrase(.seenUnanswered, ["zone": .text(name(of: zone))])
    }
    if let answer = answers[person.id], respondent.answeredAt == nil {
      // The order was read.
      respondent.take(answer, as: respondent.state)
    }
    return respondent
  }

  /// Whether an answer satisfies the directive. An order that sends people to a zone is satisfied
  /// by their position or by command's accounting (`docs/status.md`).
  private func satisfies(_ person: UserSummary) -> Bool {
    guard isOpen, kind.sendsPeople, let standing = standings[person.id] else { return true }
    return standing.state == .acknowledged
  }

  private static func reasonNotCalled(_ person: UserSummary) -> Phrase {
    person.conditions.first { $0.status == .signedOff }?.phrase ?? Phrase(.seenLater)
  }

  /// Returns the sign-off that settled the directive for a person, or nil. An order that the
  /// sign-off does not name still applies, and so does a later call for help.
  private func signOff(of person: UserSummary) -> Phrase? {
    guard standings[person.id] == nil, !person.has(.mayday) else { return nil }
    return person.conditions.first { $0.status == .signedOff }?.phrase
  }

  /// Returns command's accounting that satisfies the order, or nil. It names the positions that it
  /// answers, so it also holds for a person whose last position is in a hazard zone.
  private func accounting(of person: UserSummary) -> Phrase? {
    guard kind != .message, kind != .locate else { return nil }
    let holds =
      isOpen
      ? standings[person.id]?.state == .accountedFor
      : person.has(.accountedFor) && person.override.map { $0.statedAt >= issuedAt } ?? false
    guard holds else { return nil }
    return person.conditions.first { $0.status == .accountedFor }?.phrase
      ?? Phrase(.accountedForByCommand)
  }

  /// Returns where a person was seen as required, or nil. A person in distress or in a hazard zone
  /// is never present.
  private func sighting(of person: UserSummary) -> Phrase? {
    switch kind {
    case .message: return nil
    case .locate: return hasReported(person) ? Phrase(.positionReported) : nil
    case .evacuate, .muster, .rollcall:
      guard !isInDanger(person) else { return nil }
      return isOpen ? standing(of: person) : lastSighting(of: person)
    }
  }

  private func isInDanger(_ person: UserSummary) -> Bool {
    person.has(.mayday) || person.has(.inHazard)
  }

  private func standing(of person: UserSummary) -> Phrase? {
    guard case .present(let zone)? = standings[person.id]?.state else { return nil }
    return Phrase(.seenInside, ["zone": .text(name(of: zone))])
  }

  private func name(of zone: RowID) -> String {
    destinations.first { $0.zone.id == zone }?.zone.name ?? zone.short
  }

  /// The observation for a closed order, which the status function no longer evaluates: by the wall
  /// clocks.
  private func lastSighting(of person: UserSummary) -> Phrase? {
    guard let fix = person.fix, hasReported(person) else { return nil }
    return destinations.first { $0.fence.contains(fix.position) }
      .map { Phrase(.seenInside, ["zone": .text($0.zone.name)]) }
  }

  private func hasReported(_ person: UserSummary) -> Bool {
    person.fix != nil && person.reportedAt.map { $0 >= issuedAt } ?? false
  }

  private func direction(from fix: Fix?) -> ZoneDirection? {
    guard let fix, AlertRules.isPrecise(fix) else { return nil }
    let fences = destinations.map(\.fence)
    guard let (index, approach) = PreparedFence.nearest(of: fences, to: fix.position) else {
      return nil
    }
    return ZoneDirection(
      zone: destinations[index].zone,
      distanceMetres: approach.map { max(1, Int64($0.distanceMetres.rounded())) } ?? 0,
      bearingDegrees: approach.map { Int64($0.bearingDegrees.rounded()) % 360 })
  }
}

extension Respondent {
  fileprivate mutating func take(_ answer: ResponseTally.Answer, as state: State = .acknowledged) {
    self.state = state
    if state == .acknowledged || state == .unaccounted {
      let note = Phrase.Value.text(answer.note)
      phrase =
        answer.by.map { Phrase(.acknowledgedBy, ["by": $0.value, "note": note]) }
        ?? Phrase(.acknowledgedSelf, ["note": note])
    }
    answeredAt = answer.at
    answeredBy = answer.by?.text
  }
}
