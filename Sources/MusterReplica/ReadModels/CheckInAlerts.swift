internal import MusterModel
internal import MusterStatus

/// Alerts about check-ins: the same function on every node that holds the timer.
struct CheckInAlerts {
  let own: UserID
  let people: [AssessedPerson]
  /// The notes of timers.
  let notes: [RowID: String]
  /// Trackers whose carriers this node's user speaks for.
  let ownTrackers: Set<UserID>

  var findings: [AlertTracker.Finding] {
    people.flatMap { person, assessment in
      assessment.timers.compactMap { finding($0, of: person) }
    }
  }

  private func finding(
    _ timer: CheckInStanding, of person: UserSummary
  ) -> AlertTracker.Finding? {
    guard !timer.isSettled else { return nil }
    let isOwn = person.id == own || ownTrackers.contains(person.id)
    switch timer.state {
    case .done, .running: return nil
    case .reminder:
      guard isOwn else { return nil }
      let who = person.id == own ? "check in now" : "\(person.callsign): check in now"
      return AlertTracker.Finding(
        id: AlertID(kind: .checkInReminder, row: timer.id), level: .notice,
        text: text(who, timer.id))
    case .due: return finding(timer.id, person, .warning, "check-in possibly overdue")
    case .overdue: return finding(timer.id, person, .warning, "check-in overdue")
    case .unaccounted:
      return finding(timer.id, person, .danger, "no check-in received here, unaccounted for")
    }
  }

  private func finding(
    _ id: RowID, _ person: UserSummary, _ level: AlertLevel, _ what: String
  ) -> AlertTracker.Finding {
    var words = text("\(person.callsign): \(what)", id)
    if let fix = person.fix {
      words += "; last position \(fix.position.latitude),\(fix.position.longitude)"
    }
    return AlertTracker.Finding(
      id: AlertID(kind: .checkIn, row: id), level: level, text: words)
  }

  private func text(_ words: String, _ id: RowID) -> String {
    guard let note = notes[id]?.split(separator: "\n").first, !note.isEmpty else { return words }
    return "\(words): \(note.prefix(120))"
  }
}
