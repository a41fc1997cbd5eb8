internal import MusterModel
internal import MusterStore

/// Commits, and their consequences.
extension ReplicaCore {
  mutating func commit(now: ClockReading) throws {
    records.addDue(to: &transaction.batch, now: now)
    if let calls = derived.takeCalls() { transaction.batch.local[DuressLedger.key] = calls }
    guard !transaction.batch.isEmpty else { return }
    if !transaction.batch.frames.isEmpty {
      transaction.batch.arrival = records.ages.arrivalTime(now)
    }
    #if Canary
      if Canary.acknowledgeFirst.isPlanted, transaction.batch.frames.count == 1 { return }
    #endif
    transaction.batch.keepsReplaced = history.isRecording
    let outcome = try store.commit(transaction.batch)
    if transaction.batch.frames.contains(where: { own.writer.isOwn($0.frame.log) }) {
      transaction.noteWritten()
    }
    if !recovery.setAside.isEmpty { recovery.noteGrowth(by: transaction.batch) }
    transaction.batch = Batch()
    derived.reader.forgetSome()
    recovery.noteCommit()
    derived.note(outcome)
    publish(outcome)
    try take(outcome.newLists, now: now)
    try HistoryIntake.recordReplaced(outcome.replacedRows, in: &self, now: now)
    try HistoryIntake.recordTracks(among: outcome.changedRows, in: &self, now: now)
    transaction.outcome.locationDemands += try derived.takeDemands(
      among: outcome.changedRows, in: context)
    try refreshLineages(now: now)
    try informOfEvidence(now: now)
    try deriveStalePart(now: now)
    if transaction.takeStaleLists() { try listStoredBlobs(now: now) }
    try commit(now: now)
  }

  /// Derives again what counts otherwise now, and requests the keys of frames that count only since
  /// then: none was requested for them when they arrived.
  private mutating func deriveStalePart(now: ClockReading) throws {
    let missing: MissingEpochs
    switch transaction.takeStalePart() {
    case nil: return
    case .view: missing = try rebuildView()
    case .ranges(let ranges):
      missing = try rederive(ranges) ?? rebuildView(beginsIndex: true)
    }
    try KeyRequests.ask(for: missing, in: &self, now: now)
  }

  /// Adds the effect of a commit on the view to the outcome of the call.
  mutating func publish(_ outcome: CommitOutcome) {
    transaction.note(outcome)
    #if Canary
      if Canary.staleFences.isPlanted { return }
    #endif
    if outcome.changedRows.contains(where: { $0.kind == .fence }) {
      monitor.fencesChanged()
    }
  }

  /// Refreshes the lineage and evaluates until no cut changes, with the effects on the view.
  mutating func refreshLineages(now: ClockReading) throws {
    for _ in 0..<ControlPlane.lineageRounds where transaction.unsettled.isLineageStale {
      transaction.unsettled.isLineageStale = false
      try control.refreshLineage(try store.logs(), in: store)
      try evaluateControl(now: now)
    }
  }

  /// Handles a failure after the requested write became durable: the next call reads memory again,
  /// and the outcome of this one stays.
  mutating func fail(afterWriting error: any Error, now: ClockReading) {
    recovery.note(error, contacts: engine.contactEndpoints, now: now)
    transaction.fail(afterWriting: error)
  }
}
