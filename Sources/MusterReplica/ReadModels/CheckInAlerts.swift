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
    // Known people come first if there are too many alerts: others may be invented.
    (people.filter { !$0.summary.isUnknown } + people.filter { $0.summary.isUnknown })
      .flatMap { person, assessment in
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
      var values = note(of: timer)
      if person.id != own { values["name"] = person.shownName }
      return AlertTracker.Finding(
        id: AlertID(kind: timer.isStill ? .stillness : .checkInReminder, row: timer.id),
        level: timer.isStill ? .warning : .notice,
        phrase: Phrase(timer.isStill ? .checkInStill : .checkInSoon, values))
    case .due: return finding(timer, person, .warning, .checkInDue)
    case .overdue:
      return finding(timer, person, .warning, timer.isStill ? .stillOverdue : .checkInOverdue)
    case .unaccounted:
      return finding(timer, person, .danger, timer.isStill ? .stillMissing : .checkInMissing)
    }
  }

  private func finding(
    _ timer: CheckInStanding, _ person: UserSummary, _ level: AlertLevel, _ key: PhraseKey
  ) -> AlertTracker.Finding {
    let values = note(of: timer).merging(["name": person.alertName]) { $1 }
    return AlertTracker.Finding(
      id: AlertID(kind: .checkIn, row: timer.id), level: level,
      phrase: person.lastKnown(Phrase(key, values)), batteryPercent: person.batteryPercent)
  }

  /// The first line of the note of a check-in.
  private func note(of timer: CheckInStanding) -> [String: Phrase.Value] {
    let line = notes[timer.id]?.split(separator: "\n").first ?? ""
    return ["note": .text(String(line.prefix(120)))]
  }
}
