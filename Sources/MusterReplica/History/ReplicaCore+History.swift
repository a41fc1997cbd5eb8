internal import MusterModel
internal import MusterStatus
internal import MusterStore

/// What enters the history of people. See `HistoryRecorder`.
extension ReplicaCore {
  /// Begins to record, with what is known of everybody now.
  mutating func startHistory(now: ClockReading) throws {
    try history.start(after: store, now: now)
    let ages = AgeReader(of: self, at: now)
    for position in try context.devicePositions() {
      let subject = HistorySubject(kind: .fix, raw: position.device.raw)
      let known = history.logs[subject]?.newest?.fix?.position
      guard known != position.report.fix.position else { continue }
      let shown = Timestamp(milliseconds: now.wall.milliseconds &- ages.shownAge(of: position))
      history.note(
        HistoryNote(
          position.report.fix, of: subject.raw, position.user, by: subject.raw, at: shown,
          now: now.wall))
    }
    derived.statusModel.markAllChanged()
    try StatusQueries.refresh(&self, now: now)
  }

  /// Records a position of another device, which was taken and dated just now.
  mutating func recordHistory(
    of position: DevicePosition, in record: LatestRecord, now: ClockReading
  ) {
    guard history.isRecording, let author = control.author(of: record.certificate) else { return }
    history.record(position, by: author.device, datedBy: records.ages, now: now)
  }

  /// Stores the rest of what was recorded.
  func closeHistory() {
    do {
      try store.keepHistory(history.rest)
    } catch {
      // Only the history lacks its last second.
    }
  }
}
