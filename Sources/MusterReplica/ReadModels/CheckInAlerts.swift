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
    case .reminder where timer.isStill:
      guard isOwn else { return nil }
      let whose = person.id == own ? "" : "\(person.callsign): "
      let words = "\(whose)no movement, are you well? Check in: muster checkin ok"
      return AlertTracker.Finding(
        id: AlertID(kind: .stillness, row: timer.id), level: .warning, text: text(words, timer.id))
    case .reminder:
      guard isOwn else { return nil }
      let who = person.id == own ? "check in now" : "\(person.callsign): check in now"
      return AlertTracker.Finding(
        id: AlertID(kind: .checkInReminder, row: timer.id), level: .notice,
        text: text(who, timer.id))
    case .due: return finding(timer.id, person, .warning, "check-in possibly overdue")
    case .overdue:
      let what = timer.isStill ? "no movement and no answer, overdue" : "check-in overdue"
      return finding(timer.id, person, .warning, what)
    case .unaccounted:
      let what =
        timer.isStill
        ? "no movement and no answer, unaccounted for"
        : "no check-in received here, unaccounted for"
      return finding(timer.id, person, .danger, what)
    }
  }

  private func finding(
    _ id: RowID, _ person: UserSummary, _ level: AlertLevel, _ what: String
  ) -> AlertTracker.Finding {
    var words = text("\(person.alertName): \(what)", id)
    if let fix = person.fix {
      words += "; last position \(fix.position.latitude),\(fix.position.longitude)"
    }
    if let percent = person.batteryPercent { words += "; battery \(percent) %" }
    return AlertTracker.Finding(
      id: AlertID(kind: .checkIn, row: id), level: level, text: words,
      batteryPercent: person.batteryPercent)
  }

  private func text(_ words: String, _ id: RowID) -> String {
    guard let note = notes[id]?.split(separator: "\n").first, !note.isEmpty else { return words }
    return "\(words): \(note.prefix(120))"
  }
}
