internal import MusterCRDT
internal import MusterModel
internal import MusterStatus
internal import MusterStore

/// When what alerts are about happened: a call that arrives after three minutes is three minutes
/// old, whenever this node raised the alert.
struct AlertTimes {
  let ages: AgeReader
  private let people: [UserID: UserSummary]
  /// When each check-in was due at the latest, by this machine's boot clock.
  private let dues: [RowID: Int64]

  init(of people: [AssessedPerson], ages: AgeReader) {
    self.ages = ages
    self.people = Dictionary(
      people.map { ($0.summary.id, $0.summary) }, uniquingKeysWith: { first, _ in first })
    dues = Dictionary(
      people.flatMap(\.assessment.timers).map { ($0.id, $0.due.latest) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Returns the time of the act, of several the newest; nil if it is not known, or if the alert is
  /// about a state.
  func moment(of alert: Alert) throws -> Timestamp? {
    guard alert.id.kind.isGroup else { return try moment(of: alert.id) }
    return try alert.members.compactMap { try moment(of: $0) }.max()
  }

  private func moment(of alert: AlertID) throws -> Timestamp? {
    switch alert.kind {
    case .help:
      return try newest(
        of: StatementReader(context: ages.context).statements(person(alert.row)).openCalls
          .map(\.dot), in: person(alert.row))
    case .hazard:
      guard
        let row = try ages.context.store.row(RowKey(kind: .report, id: alert.row))
      else { return nil }
      let values = [Field.reportTitle, .reportSeverity, .reportToEvacuate].compactMap(row.shown)
      return try values.compactMap(ages.moment).max()
    case .silent:
      let seconds = people[UserID(raw: alert.row.raw)]?.age?.seconds
      return seconds.map { ages.moment(milliseconds: $0 * 1000) }
    case .checkIn:
      guard let due = dues[alert.row], due < ages.reading else { return nil }
      return ages.moment(milliseconds: ages.reading - due)
    default: return nil
    }
  }

  private func person(_ id: RowID) throws -> RowState {
    try ages.context.personRow(id) ?? RowState(key: RowKey(kind: .user, id: id))
  }

  private func newest(of dots: [Dot], in row: RowState) throws -> Timestamp? {
    let fields = PersonFields(row.key.kind)
    let values = (fields.claims + [fields.override]).flatMap { row.values(of: $0) }
    return try values.filter { dots.contains($0.dot) }.compactMap(ages.moment).max()
  }
}
