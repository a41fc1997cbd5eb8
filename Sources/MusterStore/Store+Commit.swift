internal import GRDB
internal import MusterCRDT
internal import MusterModel

extension Store {
  /// Commits a batch in one transaction: frames in the log, their effects on the view, and the
  /// rest. On return it is on disk.
  ///
  /// A frame that is already stored is skipped and not applied again. The caller MUST have verified
  /// frames, records and authority, and the hash of each write's origin.
  public func commit(_ batch: Batch) throws(StoreError) -> CommitOutcome {
    guard !batch.isEmpty else { return CommitOutcome() }
    #if Canary
      if Canary.loseCommit.isPlanted, batch.frames.count > 2 { return CommitOutcome() }
    #endif
    try requireWritable()
    do {
      try blobs.write(batch.units)
      let outcome = try writer.writeWithoutTransaction { database in
        var run = CommitRun(database, remembering: memory.take(), for: batch)
        var outcome = CommitOutcome()
        try database.inTransaction {
          outcome = try run.take(batch)
          return .commit
        }
        memory.keep(run.memory)
        return outcome
      }
      // A bitmap must not claim what is deleted, so the files go last.
      for blob in batch.deletedBlobs { try blobs.delete(blob) }
      return outcome
    } catch {
      throw StoreError(error)
    }
  }
}

/// One transaction that writes to the log or the view.
struct CommitRun {
  private let database: Database
  /// Nil for a log that is not stored.
  private var logs: [LogID: HeldLog?] = [:]
  private var grown: Set<LogID> = []
  private(set) var memory: CommitMemory.Contents
  private var journal = JournalTable()
  private var outcome = CommitOutcome()
  /// The progress of a view rebuild; nil if every stored frame counts as applied.
  var progress: RebuildProgress?
  /// Rows that were deleted in order to be derived again.
  private var rederived: [RowKey] = []
  /// The previous arrival numbers of crossings in a view that is rebuilt.
  var arrivals: [CrossingID: Int64] = [:]

  /// - Parameter batch: what is committed; nil where the view is derived again.
  init(
    _ database: Database, remembering memory: CommitMemory.Contents, for batch: Batch? = nil
  ) {
    self.database = database
    self.memory = memory
    self.memory.rows.begin(
      at: batch?.arrival?.wall, keepsReplaced: batch?.keepsReplaced ?? false)
    journal.arrival = batch?.arrival
  }

  mutating func take(_ batch: Batch) throws -> CommitOutcome {
    for key in batch.epochKeys { try LocalTable.keep(key, in: database) }
    for certificate in batch.certificates { try LocalTable.keep(certificate, in: database) }
    for id in batch.replacedEvidence { try LocalTable.delete(id, in: database) }
    for evidence in batch.evidence { try LocalTable.keep(evidence, in: database) }
    for parting in batch.strandSplits { try part(parting) }
    for frame in batch.frames { try hold(frame) }
    for frame in batch.released { try release(frame) }
    try keep(batch.units, damaged: batch.damagedUnits)
    for (blob, moment) in batch.unreferenced.sorted(by: { $0.key < $1.key }) {
      try BlobTable.setUnreferenced(blob, since: moment, in: database)
    }
    for blob in batch.deletedBlobs { try BlobTable.clear(blob, in: database) }
    try keep(batch.records, batch.positions)
    for fix in batch.fixes { try LocalTable.append(fix, in: database) }
    for tracker in batch.clearedTracks {
      try LocalTable.clearTrack(ofTracker: tracker, in: database)
    }
    try LocalTable.append(batch.trackerFixes, in: database)
    for (key, value) in batch.local { try LocalTable.set(key, to: value, in: database) }
    for key in batch.forgotten { try LocalTable.forget(key, in: database) }
    if !batch.replies.isEmpty { try ReplyTable.insert(batch.replies, in: database) }
    try AgeTable.keep(batch.ages, in: database)
    if let fold = batch.fold { try take(fold) }
    for record in batch.staged { try StagedTable.append(record, in: database) }
    try JournalTable.append(batch.journal, in: database)
    for frame in batch.settled { try SetAsideTable.delete(frame, in: database) }
    return try finish()
  }

  // MARK: The log

  private mutating func part(_ parting: StrandSplit) throws {
    guard let strand = try log(parting.place.log), strand.first <= parting.place.sequence,
      parting.place.sequence < strand.head.sequence
    else { throw StoreError.gap(parting.place) }
    try FrameTable.part(strand, after: parting.place.sequence, as: parting.tail, in: database)
    logs = [:]
  }

  mutating func hold(_ held: HeldFrame) throws {
    let frame = held.frame
    guard let log = try admit(held) else {
      outcome.framesKnown += 1
      return
    }
    let place = log.place(frame.sequence)
    try FrameTable.insert(frame, at: place, moment: journal.moment(in: database), in: database)
    outcome.framesHeld += 1
    for listing in frame.blobs {
      try BlobTable.list(listing, in: database)
      outcome.newLists.append(
        ListedBlob(
          listing: listing, log: frame.log,
          place: FramePosition(log: frame.strand, sequence: frame.sequence), opening: log.opening))
    }
    try apply(held.application, at: place)
  }

  /// Returns the log, extended by this frame; nil if the frame is already stored.
  private mutating func admit(_ held: HeldFrame) throws -> HeldLog? {
    let frame = held.frame
    guard var log = try log(frame.strand) else {
      guard frame.sequence == held.base?.first ?? 0 else { throw StoreError.gap(frame.place) }
      guard let opening = held.opening else { throw StoreError.unopened(frame.strand) }
      guard frame.previous == held.base?.previous ?? .none else {
        throw StoreError.fork(frame.place)
      }
      let log = try FrameTable.insertLog(frame, opening: opening, base: held.base, in: database)
      logs[frame.strand] = log
      return log
    }
    guard frame.sequence >= log.first else { throw StoreError.gap(frame.place) }
    guard frame.sequence > log.head.sequence else {
      let known = try FrameTable.hash(at: log.place(frame.sequence), in: database)
      guard known == frame.hash else { throw StoreError.fork(frame.place) }
      return nil
    }
    guard frame.sequence == log.head.sequence + 1, frame.sequence <= Limits.lastSequence else {
      throw StoreError.gap(frame.place)
    }
    guard !log.isParted, frame.previous == log.head.hash else {
      throw StoreError.fork(frame.place)
    }
    log.head.sequence = frame.sequence
    log.head.hash = frame.hash
    logs[frame.strand] = log
    grown.insert(frame.strand)
    return log
  }

  mutating func release(_ released: ReleasedFrame) throws {
    guard let log = try log(released.place.log), released.place.sequence >= log.first,
      released.place.sequence <= log.head.sequence
    else { throw StoreError.gap(released.place) }
    let place = log.place(released.place.sequence)
    guard try FrameTable.isWaiting(place, in: database) else {
      outcome.framesKnown += 1
      return
    }
    if case .waiting = released.application {
    } else {
      try FrameTable.deleteWaiting(at: place, in: database)
      outcome.framesReleased += 1
    }
    try apply(released.application, at: place)
  }

  private mutating func log(_ id: LogID) throws -> HeldLog? {
    if let known = logs[id] { return known }
    let found = try FrameTable.log(id, in: database)
    logs[id] = .some(found)
    return found
  }

  private func keep(_ units: [BlobUnit], damaged: [StoredUnit]) throws {
    for unit in units {
      try BlobTable.set([unit.number], of: unit.blob, to: true, in: database)
    }
    for unit in damaged {
      try BlobTable.set([unit.number], of: unit.blob, to: false, in: database)
    }
  }

  // MARK: The view

  mutating func apply(_ application: Application, at place: Int64) throws {
    switch application {
    case .nothing: break
    case .waiting(let reason): try FrameTable.setWaiting(reason, at: place, in: database)
    case .applied(let writes, let crossings):
      let place = LogPosition(
        log: UInt32(truncatingIfNeeded: place >> 32), sequence: UInt32(truncatingIfNeeded: place))
      for write in writes { try apply(write, at: place) }
      for crossing in crossings { try keep(crossing) }
      if try indexesRows() {
        for write in writes { try index(RowFrameTable.Target(write.write.key), at: place) }
        for crossing in crossings { try index(RowFrameTable.Target(crossing.id), at: place) }
      }
    }
  }

  private mutating func indexesRows() throws -> Bool {
    if let known = memory.indexesRows { return known }
    let isKept = try RowFrameTable.isKept(database)
    memory.indexesRows = isKept
    return isKept
  }

  private func index(_ target: RowFrameTable.Target, at place: LogPosition) throws {
    try RowFrameTable.add(
      target, at: Int64(place.log) << 32 | Int64(place.sequence), in: database)
  }

  /// Keeps the index of rows by frames from here on, beginning with nothing.
  mutating func beginIndex() throws {
    try RowFrameTable.deleteAll(database)
    try LocalTable.set(RowFrameTable.key, to: [1], in: database)
    memory.indexesRows = true
  }

  /// Deletes all rows before a view is rebuilt.
  mutating func deleteRows() throws {
    try RowTable.deleteAll(at: memory.rows.readMoment(in: database), in: database)
  }

  /// Records what was deleted in order to be derived again.
  mutating func noteRederived(_ targets: [RowFrameTable.Target]) {
    outcome.rederivedCrossings = targets.filter { $0.row == nil }.map { CrossingID(raw: $0.id) }
    rederived = targets.compactMap(\.row)
  }

  private mutating func apply(_ write: AuthoredWrite, at place: LogPosition) throws {
    var pending = PendingWriteTable(database, progress: progress)
    let result = try memory.rows.apply(write, at: place, beside: &pending, in: database)
    if result == .refused { outcome.writesRefused += 1 }
  }

  private mutating func keep(_ crossing: RecordedCrossing) throws {
    let kept = arrivals[crossing.id]
    guard let arrival = try CrossingTable.keep(crossing, arrival: kept, in: database),
      kept == nil
    else { return }
    outcome.newCrossings.append(ArrivedCrossing(arrival: arrival, recorded: crossing))
  }

  mutating func keep(_ records: [LatestRecord], _ positions: [DevicePosition]) throws {
    for record in records where try RecordTable.keep(record, in: database) {
      outcome.newRecords.append(record.topic)
    }
    for position in positions where try RecordTable.keep(position, in: database) {
      outcome.moved.append(position.device)
    }
  }

  /// Subscribers were notified when the records arrived, so the outcome does not list them.
  private func take(_ fold: RecordFold) throws {
    for record in fold.records { _ = try RecordTable.keep(record, in: database) }
    for position in fold.positions { _ = try RecordTable.keep(position, in: database) }
    try AgeTable.keep(fold.ages, in: database)
    try StagedTable.deleteAll(database)
    try JournalTable.delete(before: fold.journalStart, in: database)
  }

  // MARK: Completion

  mutating func finish() throws -> CommitOutcome {
    try memory.rows.flush(to: database)
    for id in grown {
      if let log = try log(id) { try FrameTable.setHead(log, in: database) }
    }
    outcome.changedRows = memory.rows.takeTouched()
    outcome.replacedRows = memory.rows.takeReplaced()
    if !rederived.isEmpty {
      outcome.changedRows = Set(outcome.changedRows + rederived).sorted()
      try RowChangeTable.note(
        rederived, at: memory.rows.readMoment(in: database), in: database)
    }
    try RecordIndexTable.note(outcome.changedRows, in: database)
    return outcome
  }
}
