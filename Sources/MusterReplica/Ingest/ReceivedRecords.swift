internal import MusterModel
internal import MusterStore

/// Records of other devices between their arrival and their fold into the tables of newest records,
/// positions and stamps.
///
///     arrival ─▶ waiting ──(2 s)──▶ staged on disk ──(5 min)──▶ folded
///                   └─ newest, positions: visible at once ────────┘
///
/// Each of them is the newest of its topic, and each peer that holds it sends it again. A crash may
/// lose those of the last two seconds, which are then reconciled like any other difference. In
/// return 100 positions cost one commit (docs/decisions/0045).
///
/// Invariants: every record that arrived since the last fold is waiting or staged, in the order of
/// arrival; `newest` and `positions` contain the newest of both; at most `Limits.unstagedRecords`
/// wait when a call ends. A failed commit invalidates this, and the owner reads it again.
struct ReceivedRecords: Sendable {
  private var waiting: [StagedRecord] = []
  private var stagedCount = 0
  private var newest: [RecordTopic: LatestRecord] = [:]
  private var positions: [DeviceID: DevicePosition] = [:]
  /// Journal entries of waiting records, in the order of arrival.
  private var entries: [JournalEntry] = []
  private var journal = JournalPacing()
  private var stagingDue: Instant?
  private var foldDue: Instant?
  private var isUrgent = false

  /// When the next write is due; nil without records.
  var nextDeadline: Instant? {
    guard let fold = foldDue else { return nil }
    return min(stagingDue ?? fold, fold)
  }

  /// Whether every record that arrived is on disk.
  var isDurable: Bool { waiting.isEmpty }

  // MARK: Arrivals

  /// Adds a verified record of another device.
  ///
  /// - Parameters:
  ///   - position: the position that it contains, if it can be read.
  ///   - arrival: the time for the journal.
  mutating func take(
    _ record: LatestRecord, _ position: DevicePosition?, name: StampedRecordID,
    arrival: ArrivalTime, now: Instant
  ) {
    waiting.append(
      StagedRecord(record: record, boot: arrival.boot, arrived: arrival.milliseconds))
    keep(record, position)
    let entry = JournalEntry(
      certificate: record.certificate, kind: .record, name: name.raw, time: arrival)
    if journal.admits(entry) { entries.append(entry) }
    if stagingDue == nil { stagingDue = now.advanced(byMilliseconds: Limits.stagingMilliseconds) }
    scheduleFold(now: now)
  }

  /// Adds a staged record that is read after a start.
  mutating func restore(_ record: LatestRecord, _ position: DevicePosition?, now: Instant) {
    stagedCount += 1
    keep(record, position)
    scheduleFold(now: now)
  }

  private mutating func keep(_ record: LatestRecord, _ position: DevicePosition?) {
    #if Canary
      if Canary.acceptOlderRecord.isPlanted { newest[record.topic] = nil }
    #endif
    if newest[record.topic].map({ $0.version < record.version }) ?? true {
      newest[record.topic] = record
    }
    guard let position else { return }
    if positions[position.device].map({ $0.order <= position.order }) ?? true {
      positions[position.device] = position
    }
  }

  private mutating func scheduleFold(now: Instant) {
    if foldDue == nil { foldDue = now.advanced(byMilliseconds: Limits.foldMilliseconds) }
  }

  /// Requests that the next commit makes the waiting records durable: a caller waits for it, or
  /// something durable follows from them.
  mutating func hurry() { isUrgent = !waiting.isEmpty }

  // MARK: Reading

  /// Returns stored records with the newer ones of these, by topic.
  func over(_ stored: [LatestRecord]) -> [LatestRecord] {
    guard !newest.isEmpty else { return stored }
    var all = newest
    for record in stored {
      if let known = all[record.topic], record.version <= known.version { continue }
      all[record.topic] = record
    }
    return all.values.sorted { $0.topic < $1.topic }
  }

  /// Returns stored positions with the newer ones of these, by device.
  func over(_ stored: [DevicePosition]) -> [DevicePosition] {
    guard !positions.isEmpty else { return stored }
    var all = positions
    for position in stored { all[position.device] = self.over(position, of: position.device) }
    return all.values.sorted { $0.device < $1.device }
  }

  /// Returns the newer of a device's stored position and the one of these.
  func over(_ stored: DevicePosition?, of device: DeviceID) -> DevicePosition? {
    guard let known = positions[device] else { return stored }
    guard let stored else { return known }
    return known.order >= stored.order ? known : stored
  }

  // MARK: Writing

  /// What is due.
  enum Work {
    case nothing
    case staging
    case fold
  }

  /// Returns what the next commit must contain.
  func work(now: Instant) -> Work {
    if let foldDue, foldDue <= now || stagedCount >= Limits.stagedRecords { return .fold }
    let isDue = stagingDue.map { $0 <= now } ?? false
    return isDue || isUrgent || waiting.count >= Limits.unstagedRecords ? .staging : .nothing
  }

  /// Moves the waiting records into a batch.
  mutating func stage(in batch: inout Batch) {
    batch.staged += waiting
    takeEntries(&batch)
    stagedCount += waiting.count
    waiting = []
  }

  /// Moves everything into a batch, which empties the staging table.
  ///
  /// - Parameters:
  ///   - ages: the stamps and anchors of these records.
  ///   - start: where the kept part of the journal begins.
  mutating func fold(into batch: inout Batch, ages: AgeChanges, journalStart start: JournalStart) {
    batch.fold = RecordFold(
      records: newest.values.sorted { $0.topic < $1.topic },
      positions: positions.values.sorted { $0.device < $1.device }, ages: ages,
      journalStart: start)
    takeEntries(&batch)
    (waiting, stagedCount, foldDue) = ([], 0, nil)
    (newest, positions) = ([:], [:])
  }

  private mutating func takeEntries(_ batch: inout Batch) {
    batch.journal += entries
    entries = []
    (stagingDue, isUrgent) = (nil, false)
  }

  /// Traps if an invariant does not hold.
  ///
  /// - Parameter staged: the number of staged records on disk.
  func checkInvariants(staged: Int) {
    precondition(stagedCount == staged, "\(staged) records are staged, \(stagedCount) known")
    precondition(waiting.count < Limits.unstagedRecords, "\(waiting.count) records wait")
    precondition(waiting.isEmpty == (stagingDue == nil), "waiting records without a deadline")
    let isEmpty = waiting.isEmpty && stagedCount == 0
    precondition(isEmpty == (foldDue == nil), "staged records without a deadline")
    precondition(isEmpty == newest.isEmpty, "records that are neither waiting nor staged")
    for staged in waiting {
      precondition(newest[staged.record.topic] != nil, "a waiting record is not visible")
    }
    for (device, position) in positions {
      precondition(position.device == device, "the position of another device")
    }
  }
}

/// Which arrivals of records the journal lists: of each author one in
/// `Limits.journalPauseMilliseconds`, so that no author displaces the entries of others.
struct JournalPacing: Sendable {
  private var newest: [UInt64: ArrivalTime] = [:]
  private var prunedAt: Int64 = 0

  /// Whether to list an arrival; then the author pauses.
  mutating func admits(_ entry: JournalEntry) -> Bool {
    let time = entry.time
    if let known = newest[entry.author], !isOver(known, at: time) { return false }
    newest[entry.author] = time
    if time.milliseconds - prunedAt >= Limits.foldMilliseconds {
      prunedAt = time.milliseconds
      newest = newest.filter { !isOver($0.value, at: time) }
    }
    return true
  }

  private func isOver(_ known: ArrivalTime, at time: ArrivalTime) -> Bool {
    known.boot != time.boot
      || time.milliseconds - known.milliseconds >= Limits.journalPauseMilliseconds
  }
}
