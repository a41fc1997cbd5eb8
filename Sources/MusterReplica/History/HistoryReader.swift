internal import MusterCRDT
internal import MusterModel
internal import MusterStatus
internal import MusterStore

/// Everybody's place and status at an instant, from the history of this node.
///
/// - `known`: of each subject the newest entry that was learnt by then.
/// - `event`: of each device the fix of the latest time up to then, whenever it was learnt; of each
///   person the status that was shown last of those that began by then. A status is not assessed
///   again: what arrived later corrects when it began, not what it was.
///
/// Both read one period, which begins with the state at its start, and `event` one late entry of
/// each subject besides.
struct HistoryReader {
  let store: Store
  let recorder: HistoryRecorder
  let statuses: StatusModel

  /// The history of one subject in one period.
  private struct Log {
    let subject: HistorySubject
    let person: UserID
    let entries: [HistoryEntry]
  }

  // MARK: An instant

  func picture(at instant: Timestamp, view: HistoryView, now: Timestamp) throws -> HistoryPicture {
    let at = instant.milliseconds
    let periods = try store.historyPeriods()
    let began = recorder.logs.isEmpty ? nil : recorder.started
    let begins = periods.first?.started ?? began.map { Timestamp(milliseconds: $0) }
    var picture = HistoryPicture(at: instant, view: view, begins: begins, now: now)
    var chosen: [HistorySubject: (person: UserID, entry: HistoryEntry)] = [:]
    for log in try logs(at: at, in: periods) {
      let entry =
        view == .known ? log.entries.last { $0.learnt <= at } : Self.event(of: log, at: at)
      if let entry { chosen[log.subject] = (log.person, entry) }
    }
    if view == .event { try addLate(to: &chosen, at: at) }
    var fixes: [UserID: HistoryEntry] = [:]
    var shown: [UserID: HistoryEntry] = [:]
    for (subject, found) in chosen {
      switch subject.kind {
      case .status: shown[found.person] = found.entry
      case .fix:
        if let known = fixes[found.person], known.event >= found.entry.event { continue }
        fixes[found.person] = found.entry
      }
    }
    picture.people = shown.compactMap { user, status in
      person(user, status, fixes[user], at: at)
    }.sorted { UserSummary.isListed($0.summary, before: $1.summary) }
    picture.gaps = recorder.gaps(since: begins?.milliseconds ?? .max)
    try RowHistory(store: store, recorder: recorder).add(to: &picture)
    return picture
  }

  /// Returns the entry of a log that describes an instant best, whenever it was learnt.
  private static func event(of log: Log, at: Int64) -> HistoryEntry? {
    let entries = log.entries.filter { $0.event <= at }
    // Of equal times the one that was learnt last.
    return log.subject.kind == .status ? entries.last : entries.max { $0.event <= $1.event }
  }

  private func addLate(
    to chosen: inout [HistorySubject: (person: UserID, entry: HistoryEntry)], at: Int64
  ) throws(StoreError) {
    for kind in [HistoryKind.fix, .status] {
      let rows = try store.newestLateHistory(
        kind.rawValue, upTo: at, byArrival: kind == .status)
      for (row, _) in rows {
        guard let entry = HistoryCoding(decoding: row.body)?.entries.last else { continue }
        let subject = HistorySubject(kind: kind, raw: row.subject)
        if let known = chosen[subject]?.entry {
          let isOlder =
            kind == .fix ? known.event >= entry.event : known.learnt >= entry.learnt
          if isOlder { continue }
        }
        chosen[subject] = (row.person, entry)
      }
    }
  }

  private func person(
    _ user: UserID, _ status: HistoryEntry, _ fix: HistoryEntry?, at: Int64
  ) -> HistoricPerson? {
    guard !status.conditions.isEmpty else { return nil }
    let decisive = StatusCondition.decisive(of: status.conditions)
    let known = statuses.person(user)
    var summary = UserSummary(
      id: user, callsign: known?.callsign ?? user.short, role: known?.identity.role ?? .member,
      status: decisive.status, severity: decisive.severity, reason: decisive.reason,
      fix: fix?.fix.map {
        Fix(
          position: $0.position, accuracyDecimetres: $0.accuracyDecimetres,
          sampleTime: Timestamp(milliseconds: fix?.event ?? 0))
      },
      reportedAt: nil,
      fixAgeSeconds: fix.map {
        let made = Timestamp(milliseconds: $0.event)
        return max(0, Timestamp(milliseconds: at).milliseconds(since: made)) / 1000
      },
      team: known?.identity.team ?? "",
      trackerOwner: known?.identity.isTracker == true ? known?.row?.owner : nil, selfReport: nil,
      override: nil)
    summary.conditions = status.conditions
    var person = HistoricPerson(summary: summary, since: Timestamp(milliseconds: status.event))
    if let fix, let place = fix.fix {
      person.fixTime = Timestamp(milliseconds: fix.event)
      person.fixEarliest = place.earlierBy.map {
        Timestamp(milliseconds: fix.event &- Int64(clamping: $0))
      }
      person.fixLatest = Timestamp(milliseconds: fix.event &+ Int64(clamping: place.laterBy))
      person.fixReceived = Timestamp(milliseconds: fix.learnt)
    }
    return person
  }

  // MARK: Periods

  /// Returns the logs of the period of an instant; nothing for an instant before the first. After a
  /// clock was set back, the period that was recorded later counts.
  private func logs(at: Int64, in periods: [HistoryPeriod]) throws(StoreError) -> [Log] {
    if let started = recorder.started, started <= at { return current }
    guard let period = periods.last(where: { $0.started.milliseconds <= at }) else { return [] }
    return try logs(of: period, kinds: HistoryKind.rows)
  }

  private var current: [Log] {
    recorder.logs.map { subject, log in
      Log(
        subject: subject, person: log.person,
        entries: (log.carried.map { [$0] } ?? []) + log.entries)
    }
  }

  private func logs(
    of period: HistoryPeriod, kinds: ClosedRange<UInt8>
  ) throws(StoreError) -> [Log] {
    try store.historyRows(of: period.number, kinds: kinds).compactMap { row in
      guard let kind = HistoryKind(row: row.kind),
        let coding = HistoryCoding(decoding: row.body)
      else { return nil }
      return Log(
        subject: HistorySubject(kind: kind, raw: row.subject), person: row.person,
        entries: coding.entries)
    }
  }

  // MARK: A range

  /// A change of the status of a person, as this node showed it.
  struct Change {
    let user: UserID
    let before: [StatusCondition]
    let entry: HistoryEntry
  }

  /// Passes the changes of statuses that were shown in a range of time to `receive`, period by
  /// period, until it returns false. The first status of a person is no change.
  ///
  /// - Parameter receive: gets changes, in no order, and the time before which no others are to
  ///   come; nil if none are.
  func readChanges(
    in range: ClosedRange<Timestamp>, _ receive: ([Change], Timestamp?) throws -> Bool
  ) throws {
    let (from, to) = (range.lowerBound, range.upperBound)
    let periods = try store.historyPeriods()
      .filter { $0.started <= to && $0.ended >= from }
      .sorted { $0.begin < $1.begin }
    // The current period is in memory.
    var isContinued = try receive(
      Self.changes(in: current.filter { $0.subject.kind == .status }, within: range),
      periods.first?.begin)
    for (index, period) in periods.enumerated() where isContinued {
      let logs = try logs(of: period, kinds: HistoryKind.changes)
      let next = periods.dropFirst(index + 1).first?.begin
      isContinued = try receive(Self.changes(in: logs, within: range), next)
    }
  }

  private static func changes(in logs: [Log], within range: ClosedRange<Timestamp>) -> [Change] {
    logs.flatMap { log in
      zip(log.entries, log.entries.dropFirst()).compactMap { before, entry in
        guard range.contains(Timestamp(milliseconds: entry.learnt)) else { return nil }
        return Change(user: log.person, before: before.conditions, entry: entry)
      }
    }
  }
}

extension HistoryPeriod {
  /// No entry of the period is earlier. One that ended because the clock was set back has entries
  /// from before its start.
  fileprivate var begin: Timestamp {
    ended < started ? Timestamp(milliseconds: .min) : started
  }
}
