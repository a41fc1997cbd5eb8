internal import MusterModel
internal import MusterStore

/// The history of people at this node in the current period, in memory and on its way to the disk.
///
/// ```
///   position learnt, status shown ─▶ note ─▶ logs of the period ──(10 min)──▶ one row a subject
///                                      └──▶ unwritten ──(1 s)──▶ tail on disk
/// ```
///
/// It decides nothing: it is neither replicated nor part of the state hash, and no commit of data
/// waits for it. A crash loses what is unwritten. It records only after `start`.
///
/// - Each log begins with the newest entry of the period before, so that a period is a checkpoint:
///   one period answers about each of its instants.
/// - Of one certificate at most `Limits.historyEntries` are kept in a period, beside the newest;
///   of one person's statuses likewise. Nothing of one certificate evicts entries of another. What
///   is beyond the bound is stored with the period.
struct HistoryRecorder: Sendable {
  /// When the current period began, by the wall clock; nil before `start`.
  private(set) var started: Int64?
  private(set) var logs: [HistorySubject: HistoryLog] = [:]
  /// How many people are listed, as far as it was recorded.
  private(set) var listedPeople = 0
  private var counts: [Bytes16: Int] = [:]
  /// The number of subjects of each author.
  private var subjects: [Bytes16: Int] = [:]
  private var unwritten: [HistoryNote] = []
  private var late: [LateHistoryRow] = []
  private var lastWrite: Instant?
  private var runs = HistoryRuns()

  /// How far the periods that are kept reach back.
  private static let longestMilliseconds =
    Limits.historyPeriods * Limits.historyPeriodMilliseconds

  var isRecording: Bool { started != nil }

  // MARK: Starting

  /// Begins to record, after what an earlier start of the program recorded.
  mutating func start(after store: Store, now: ClockReading) throws(StoreError) {
    self = HistoryRecorder()
    let (periods, tail) = (try store.historyPeriods(), try store.historyTail())
    let notes = tail.compactMap { [HistoryNote](decodingTail: $0) }.flatMap(\.self)
    let began = periods.last?.ended.milliseconds ?? notes.first?.entry.learnt
    started = notes.isEmpty ? now.wall.milliseconds : began
    if let last = periods.last {
      for row in try store.historyRows(of: last.number, kinds: HistoryKind.rows) {
        guard let kind = HistoryKind(row: row.kind),
          let newest = HistoryCoding(decoding: row.body)?.entries.last
        else { continue }
        let subject = HistorySubject(kind: kind, raw: row.subject)
        logs[subject] = HistoryLog(person: row.person, author: row.author, carried: newest)
        if newest.showsPerson { listedPeople += 1 }
        subjects[row.author, default: 0] += 1
      }
    }
    for note in notes { _ = keep(note) }
    runs = HistoryRuns(decoding: try store.historyRuns())
    let last = notes.last?.entry.learnt ?? periods.last?.ended.milliseconds
    runs.start(at: now.wall.milliseconds, after: last)
  }

  // MARK: Recording

  /// Records an entry. One about an earlier period is listed there too.
  mutating func note(_ note: HistoryNote) {
    guard let started, keep(note) else { return }
    if note.entry.event < started { addLate(note) }
    if unwritten.count >= Limits.unwrittenHistory { unwritten.removeFirst(unwritten.count / 2) }
    unwritten.append(note)
  }

  /// Records a fix that does not change where a person is now.
  mutating func noteLate(_ note: HistoryNote) {
    guard isRecording else { return }
    addLate(note)
  }

  /// Records what a change of a zone or a report replaced.
  mutating func note(_ before: EarlierRow, of row: RowKey, _ owner: UserID, now: Timestamp) {
    guard isRecording, let kind = EarlierRow.kinds[row.kind],
      late.count < Limits.unwrittenHistory
    else { return }
    late.append(
      LateHistoryRow(
        row: HistoryRow(
          kind: kind, subject: row.id.raw, person: owner, author: owner.raw,
          body: before.encoded()),
        event: now.milliseconds, learnt: now.milliseconds, variant: Int64(late.count)))
  }

  /// Late entries of a kind that are not stored yet.
  func unwrittenLate(_ kind: UInt8) -> [LateHistoryRow] { late.filter { $0.row.kind == kind } }

  /// When it did not record, since an instant.
  func gaps(since first: Int64) -> [HistoryGap] { runs.gaps(since: first) }

  /// Lists an entry under its own time, unless that is before all that is kept: labels of other
  /// devices may have any time.
  private mutating func addLate(_ note: HistoryNote) {
    let entry = note.entry
    let (age, overflow) = entry.learnt.subtractingReportingOverflow(entry.event)
    guard !overflow, age <= Self.longestMilliseconds, late.count < Limits.unwrittenHistory
    else { return }
    late.append(
      LateHistoryRow(
        row: note.row(HistoryCoding([entry]).encoded()), event: entry.event, learnt: entry.learnt,
        variant: note.subject.kind == .fix ? 0 : entry.learnt))
  }

  /// Returns whether it is to be stored before the period ends: news, and within the bound.
  private mutating func keep(_ note: HistoryNote) -> Bool {
    var log = logs[note.subject]
    if log == nil {
      guard logs.count < Limits.historySubjects,
        subjects[note.author, default: 0] <= Limits.trackersPerDevice
      else { return false }
      subjects[note.author, default: 0] += 1
      log = HistoryLog(person: note.person, author: note.author, carried: nil)
    }
    guard var log, log.newest?.content != note.entry.content || note.subject.kind == .fix else {
      return false
    }
    if log.newest?.showsPerson ?? false { listedPeople -= 1 }
    if note.entry.showsPerson { listedPeople += 1 }
    let count = counts[note.author, default: 0]
    let isWithinBound = count < Limits.historyEntries
    log.append(note.entry, replacingNewest: !isWithinBound)
    counts[note.author] = count + 1
    logs[note.subject] = log
    return isWithinBound
  }

  // MARK: Writing

  /// What is not stored yet; it belongs to the current period.
  var rest: HistoryBatch {
    var batch = HistoryBatch()
    batch.tail = unwritten.encodedTail()
    batch.late = late
    if isRecording { batch.runs = runs.encoded() }
    return batch
  }

  /// Returns what to store now; nil if there is nothing, or if the last write was a moment ago.
  mutating func due(now: ClockReading) -> HistoryBatch? {
    guard let started else { return nil }
    let wall = now.wall.milliseconds
    runs.see(wall)
    if let lastWrite,
      now.instant < lastWrite.advanced(byMilliseconds: Limits.historyPauseMilliseconds)
    {
      return nil
    }
    var batch = rest
    if !runs.isDue { batch.runs = nil }
    if !(started..<started + Limits.historyPeriodMilliseconds).contains(wall), !logs.isEmpty {
      batch.fold = HistoryFold(
        started: Timestamp(milliseconds: started), ended: Timestamp(milliseconds: wall),
        rows: logs.sorted { $0.key < $1.key }.map { $1.row(of: $0) })
      batch.tail = []
    }
    return batch.isEmpty ? nil : batch
  }

  /// Records that a batch is stored.
  mutating func noteStored(_ batch: HistoryBatch, now: ClockReading) {
    (unwritten, late, lastWrite) = ([], [], now.instant)
    if batch.runs != nil { runs.noteStored() }
    guard let fold = batch.fold else { return }
    started = fold.ended.milliseconds
    (counts, subjects) = ([:], [:])
    for (subject, log) in logs {
      // Nothing came from this device or about this person for as long as the history reaches.
      let oldest = fold.ended.milliseconds - Self.longestMilliseconds
      let isGone = log.newest.map { $0.learnt < oldest } ?? true
      logs[subject] = isGone ? nil : log.continued
      if isGone, log.newest?.showsPerson ?? false { listedPeople -= 1 }
      if !isGone { subjects[log.author, default: 0] += 1 }
    }
  }
}

/// What was learnt of one subject in one period.
struct HistoryLog: Hashable, Sendable {
  let person: UserID
  let author: Bytes16
  /// The state at the start of the period; nil for a subject that was not known.
  let carried: HistoryEntry?
  private(set) var entries: [HistoryEntry] = []

  init(person: UserID, author: Bytes16, carried: HistoryEntry?) {
    self.person = person
    self.author = author
    self.carried = carried
  }

  var newest: HistoryEntry? { entries.last ?? carried }

  /// The log of the next period.
  var continued: HistoryLog { HistoryLog(person: person, author: author, carried: newest) }

  mutating func append(_ entry: HistoryEntry, replacingNewest: Bool) {
    if replacingNewest, !entries.isEmpty { entries.removeLast() }
    entries.append(entry)
  }

  func row(of subject: HistorySubject) -> HistoryRow {
    let isUnchanged = subject.kind == .status && entries.isEmpty
    return HistoryRow(
      kind: isUnchanged ? HistoryKind.unchangedStatus : subject.kind.rawValue,
      subject: subject.raw, person: person, author: author,
      body: HistoryCoding((carried.map { [$0] } ?? []) + entries, carried: carried == nil ? 0 : 1)
        .encoded())
  }
}

extension HistorySubject: Comparable {
  static func < (left: Self, right: Self) -> Bool {
    (left.kind.rawValue, left.raw) < (right.kind.rawValue, right.raw)
  }
}

extension HistoryRecorder {
  /// The people with a status, whether or not they are still listed.
  var people: [UserID] {
    logs.keys.filter { $0.kind == .status }.map { UserID(raw: $0.raw) }.sorted()
  }
}
