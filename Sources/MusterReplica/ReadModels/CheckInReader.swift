internal import MusterCRDT
internal import MusterModel
internal import MusterStatus
internal import MusterStore

/// The timers by which people must check in, from their rows.
struct CheckInReader {
  let context: ReadContext
  let ages: AgeReader

  // MARK: Summaries

  /// Returns the timers: those that run by their due time, then the newest of those that ended.
  func summaries(by statuses: StatusModel) throws -> [CheckInSummary] {
    var all: [CheckInSummary] = []
    for row in try context.store.rows(.checkIn) where row.exists {
      if let summary = try summary(of: row, by: statuses) { all.append(summary) }
    }
    let running = all.filter { $0.state != .done }.sorted {
      ($0.latestSeconds ?? 0, $0.id) < ($1.latestSeconds ?? 0, $1.id)
    }
    let done = all.filter { $0.state == .done }.sorted { $0.startedAt > $1.startedAt }
    return running + done.prefix(Limits.namesPerGroup)
  }

  private func summary(
    of row: RowState, by statuses: StatusModel
  ) throws -> CheckInSummary? {
    guard let person = row.checkInPerson, let start = row.checkInStart else { return nil }
    let standing = statuses.assessment(of: person)?.timers.first { $0.id == row.key.id }
    var summary = CheckInSummary(
      id: row.key.id, user: person,
      callsign: try statuses.person(person)?.name ?? context.callsign(of: person),
      state: standing?.state ?? .done, durationSeconds: row.checkInDurationSeconds,
      repeats: row.code(.checkInRepeats) == 1, graceSeconds: row.checkInGraceSeconds,
      note: row.text(.checkInNote) ?? "", startedBy: try context.authorship(of: start).text,
      startedAt: start.writtenAt)
    summary.stillSeconds = row.checkInStillSeconds
    summary.isStill = standing?.isStill ?? false
    if let due = standing?.due {
      if due.hasEarliest { summary.earliestSeconds = (due.earliest - ages.reading) / 1000 }
      summary.latestSeconds = (due.latest - ages.reading) / 1000
    }
    if let newest = row.shown(.checkInReport), case .checkIn(let report) = newest.value {
      summary.report = report
      summary.reportedBy = try context.authorship(of: newest).text
      summary.reportedAt = newest.writtenAt
    }
    return summary
  }

  // MARK: Evidence

  /// Reads changed timers, and adds the people whose evidence they change.
  ///
  /// - Parameter users: whose clocks are known better than before.
  func read(
    _ stale: inout StatusModel.Staleness, into index: inout CheckInIndex, datedBy users: Set<UserID>
  ) throws(StoreError) {
    let isToReload = index.takeReload(at: ages.reading)
    if stale.allCheckIns || isToReload {
      stale.people.formUnion(index.beginReading())
      for row in try context.store.rows(.checkIn) {
        guard let timer = try timer(row) else { continue }
        stale.people.formUnion(index.replace(row.key.id, timer))
      }
      index.endReading()
    } else {
      for id in stale.checkIns {
        let row = try context.store.row(RowKey(kind: .checkIn, id: id))
        var timer: CheckInIndex.Timer?
        if let row { timer = try self.timer(row) }
        stale.people.formUnion(index.replace(id, timer))
      }
    }
    stale.people.formUnion(index.people(datedBy: users) { made($0) })
  }

  private func timer(_ row: RowState) throws(StoreError) -> CheckInIndex.Timer? {
    guard row.hasRunningCheckIn, let start = row.checkInStart, let owner = row.owner,
      let person = row.checkInPerson
    else { return nil }
    var reports: [CheckInIndex.Entry] = []
    for value in row.values(of: .checkInReport) {
      guard case .checkIn(let report) = value.value else { continue }
      reports.append(try entry(value, nextSeconds: report.nextSeconds))
    }
    return CheckInIndex.Timer(
      owner: owner, person: person, isCommanded: start.role == .command,
      start: try entry(start, nextSeconds: row.checkInDurationSeconds), reports: reports,
      graceMilliseconds: Int64(row.checkInGraceSeconds) * 1000,
      reminderMilliseconds: Int64(row.checkInReminderSeconds) * 1000,
      stillMilliseconds: Int64(row.checkInStillSeconds) * 1000)
  }

  private func entry(
    _ value: LiveValue, nextSeconds: UInt32
  ) throws(StoreError) -> CheckInIndex.Entry {
    let written = WrittenMoment(
      dot: value.dot, writtenAt: value.writtenAt,
      arrival: try context.store.arrival(ofFrame: value.dot.frame))
    return CheckInIndex.Entry(
      written: written, author: value.author, nextSeconds: nextSeconds)
  }

  /// Returns the check-ins that a person owes.
  func timers(
    of person: PersonRoster.Person, in index: inout CheckInIndex
  ) -> [TimerEvidence] {
    let user = person.identity.id
    var owner: UserID? = person.identity.isTracker ? person.row?.owner ?? user : user
    // Whose tracker it is, only its row shows.
    if person.identity.isTracker, person.identity.isUnknown { owner = nil }
    return index.evidence(of: user, owner: owner) { made($0) }
  }

  /// When a report was made; without a stamp, not after its arrival.
  private func made(_ written: WrittenMoment) -> Span {
    if case .stamped(let span) = ages.made(written) { return span }
    let sinceArrival = written.arrival.map { ages.ages.sinceArrival(of: $0, now: ages.now) } ?? 0
    return .notAfter(ages.reading - sinceArrival)
  }
}

extension RowState {
  /// The first write of a timer, which is its start.
  var checkInStart: LiveValue? {
    values(of: .checkInExistence).min { $0.dot < $1.dot }
  }

  /// Who must check in: the carrier of the named tracker, else the owner.
  var checkInPerson: UserID? {
    references(in: .checkInTracker).first.map { UserID(raw: $0.raw) } ?? owner
  }

  var checkInDurationSeconds: UInt32 { number(.checkInDurationSeconds) ?? 1 }
  var checkInGraceSeconds: UInt32 { number(.checkInGraceSeconds) ?? 0 }
  var checkInReminderSeconds: UInt32 { number(.checkInReminderSeconds) ?? 0 }
  /// 0 for never.
  var checkInStillSeconds: UInt32 { number(.checkInStillSeconds) ?? 0 }

  /// Whether a check-in is due later: there is no report, or one that states a next one.
  var hasRunningCheckIn: Bool {
    guard key.kind == .checkIn, exists else { return false }
    let reports = values(of: .checkInReport)
    return reports.isEmpty
      || reports.contains {
        guard case .checkIn(let report) = $0.value else { return false }
        return report.nextSeconds > 0
      }
  }
}
