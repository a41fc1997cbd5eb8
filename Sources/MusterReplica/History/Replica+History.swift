public import MusterModel
internal import MusterStore

/// The history of people at this node: local, bounded, and never replicated (decision 0058).
extension Replica {
  /// Begins to record. A node calls it once it runs; without it nothing is recorded.
  public mutating func startHistory(now: ClockReading) throws -> Outcome {
    try HistoryIntake.start(in: &core, now: now)
    return Outcome()
  }

  /// Stores what was recorded since the last call, in a transaction of its own; at most once a
  /// second. After an error, the next call stores it. `close` stores the rest.
  public mutating func keepHistory(now: ClockReading) throws -> Outcome {
    if let batch = core.history.due(now: now) {
      try core.store.keepHistory(batch)
      core.history.noteStored(batch, now: now)
    }
    return Outcome()
  }

  /// Returns everybody's place and status at an instant of the past.
  public mutating func history(
    at instant: Timestamp, view: HistoryView, now: ClockReading
  ) throws -> HistoryPicture {
    try refreshStatuses(now: now)
    return try historyReader(now: now).picture(at: instant, view: view, now: now.wall)
  }

  /// Returns a page of the events of a range of time, in the order of time.
  ///
  /// - Parameters:
  ///   - cursor: the `next` of the page before; nil for the first.
  ///   - limit: 1 to `Limits.historyEventsPerPage`.
  ///   - hidesDuress: whether the reader is no commander.
  public mutating func historyEvents(
    in range: ClosedRange<Timestamp>, after cursor: HistoryCursor?, limit: Int,
    hidesDuress: Bool = false, now: ClockReading
  ) throws -> HistoryEventPage {
    try HistoryTimeline(
      statuses: statuses(now: now), queries: queries, reader: historyReader(now: now),
      hidesDuress: hidesDuress
    ).events(in: range, after: cursor, limit: min(max(1, limit), Limits.historyEventsPerPage))
  }

  /// Records a fix and a status of a person as if both had just arrived.
  package mutating func recordForMeasurement(
    _ fix: Fix, _ status: PersonStatus, of user: UserID, now: ClockReading
  ) {
    HistoryIntake.recordForMeasurement(fix, status, of: user, in: &core, now: now)
  }

  /// How many bytes the history takes in the database, without its indexes.
  package func historyBytes() throws -> Int { try core.store.historyBytes() }

  /// A replica that does not record reads what an earlier one recorded.
  private func historyReader(now: ClockReading) throws -> HistoryReader {
    var recorder = core.history
    if !recorder.isRecording { try recorder.start(after: core.store, now: now) }
    return HistoryReader(store: core.store, recorder: recorder, statuses: core.derived.statusModel)
  }
}
