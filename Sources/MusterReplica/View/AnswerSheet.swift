internal import MusterGeo
internal import MusterModel

/// Judges, for one directive, who has answered, who was seen where they are to be, and who is
/// unaccounted for.
struct AnswerSheet {
  let kind: DirectiveKind
  let issuedAt: Timestamp
  let answers: [UserID: Answer]
  /// Of a roll call with a frozen list: those who are on it.
  let expected: Set<UserID>?
  let destinations: [GeofenceMonitor.Destination]
  let isOpen: Bool

  /// An acknowledgement.
  struct Answer {
    let note: String
    let at: Timestamp
    /// Nil where they answered for themselves.
    let by: String?
  }

  /// - Parameters:
  ///   - addressed: those whom the directive is for now. Where the list is frozen, the others among
  ///     them are late arrivals.
  ///   - people: everybody who is known here.
  func respondents(among addressed: [UserSummary], of people: [UserSummary]) -> [Respondent] {
    guard let expected else { return addressed.map { respondent($0, isLate: false) } }
    return people.filter { expected.contains($0.id) }.map { respondent($0, isLate: false) }
      + addressed.filter { !expected.contains($0.id) }.map { respondent($0, isLate: true) }
  }

  /// Those on the frozen list of whom nothing is known here, or not any more.
  func unknown(among people: [UserSummary]) -> [UserID] {
    (expected ?? []).subtracting(people.map(\.id)).sorted()
  }

  /// One of those.
  func respondent(_ user: UserID, callsign: String) -> Respondent {
    var respondent = Respondent(
      user: user, callsign: callsign, state: .unaccounted, reason: "not known here",
      answeredAt: nil, answeredBy: nil, fixAgeSeconds: nil)
    if let answer = answers[user] { respondent.take(answer) }
    return respondent
  }

  /// The unaccounted first and late arrivals last, each by callsign.
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
      reason: isLate ? "first heard of after it was issued" : person.reason, answeredAt: nil,
      answeredBy: nil, fixAgeSeconds: person.fixAgeSeconds)
    respondent.isLate = isLate
    respondent.isTracker = person.isTracker
    if isOpen, kind.includesTrackers { respondent.direction = direction(from: person.fix) }
    if let answer = answers[person.id] {
      respondent.take(answer)
    } else if let reason = sighting(of: person) {
      respondent.state = .present
      respondent.reason = reason
    }
    return respondent
  }

  /// Why somebody counts as present: by a fix that was reported since the directive was issued.
  private func sighting(of person: UserSummary) -> String? {
    guard let fix = person.fix, let report = person.reportedAt, report >= issuedAt else {
      return nil
    }
    switch kind {
    case .locate: return "has told where"
    case .message: return nil
    case .evacuate, .muster, .rollcall:
      // Somebody who asks for help is looked for, wherever they are.
      guard !person.has(.mayday), !person.has(.inHazard) else { return nil }
      return destinations.first { $0.fence.contains(fix.position) }
        .map { "seen inside \($0.zone.name)" }
    }
  }

  private func direction(from fix: Fix?) -> ZoneDirection? {
    guard let fix, AlertRules.isTelling(fix) else { return nil }
    var nearest: (zone: DirectiveZone, approach: Approach)?
    for destination in destinations {
      if destination.fence.contains(fix.position) {
        return ZoneDirection(zone: destination.zone, distanceMetres: 0, bearingDegrees: nil)
      }
      guard let approach = destination.fence.geometry.approach(from: fix.position) else { continue }
      if nearest.map({ approach.distanceMetres < $0.approach.distanceMetres }) ?? true {
        nearest = (destination.zone, approach)
      }
    }
    return nearest.map { zone, approach in
      ZoneDirection(
        zone: zone, distanceMetres: max(1, Int64(approach.distanceMetres.rounded())),
        bearingDegrees: Int64(approach.bearingDegrees.rounded()) % 360)
    }
  }
}

extension Respondent {
  fileprivate mutating func take(_ answer: AnswerSheet.Answer) {
    let words = answer.by.map { "acknowledged for them by \($0)" } ?? "acknowledged"
    state = .acknowledged
    reason = answer.note.isEmpty ? words : "\(words): \(answer.note)"
    answeredAt = answer.at
    answeredBy = answer.by
  }
}
