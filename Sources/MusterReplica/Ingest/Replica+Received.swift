internal import MusterModel
public import MusterStore
internal import MusterSync

/// Received records: visible at once, durable within seconds, folded every few minutes. See
/// `ReceivedRecords`.
extension Replica {
  // MARK: Arrivals

  /// Takes a verified record that a peer sent.
  mutating func hold(_ record: LatestRecord, now: ClockReading) {
    let opened = opener.opened(record)
    let name = StampedRecordID(record, operation: local.operation)
    received.take(
      record, opened?.position, name: name, arrival: ages.arrivalTime(now), now: now.instant)
    if let opened { date(opened, named: name, isStaged: true, now: now) }
    noteTelemetry(of: record)
    if record.kind == .neighbours { transaction.outcome.hasMeshChanged = true }
    if let position = opened?.position {
      transaction.outcome.hasMovement = true
      derived.statusModel.noteMovement(of: position.device)
    }
    // Another incarnation of this device: what follows from it is durable at once.
    if record.certificate == local.certificate.hash { received.hurry() }
  }

  /// Takes what a record states about its device, if it can be read.
  mutating func noteTelemetry(of record: LatestRecord) {
    guard let (subject, stated) = opener.telemetry(of: record) else { return }
    let before = derived.telemetry.batteryPercent(of: subject)
    derived.telemetry.take(stated, of: subject, in: record.kind, at: record.order)
    // Lists show it at once.
    if derived.telemetry.batteryPercent(of: subject) != before {
      transaction.outcome.hasMovement = true
    }
  }

  // MARK: Writing

  /// Adds the received records that are due to the batch.
  mutating func addReceived(now: ClockReading) {
    switch received.work(now: now.instant) {
    case .nothing: break
    case .staging: received.stage(in: &transaction.batch)
    case .fold: fold(at: ages.reading(now))
    }
  }

  /// Adds everything that was received to the batch, as rows.
  ///
  /// - Parameter time: the boot clock's reading.
  private mutating func fold(at time: Int64) {
    received.fold(
      into: &transaction.batch, ages: ages.takeStaged(), journalStart: ages.journalStart(at: time))
  }

  /// Reads the staged records after a start, with their ages as at their arrival.
  mutating func restoreStaged(now: ClockReading) throws(StoreError) {
    received = ReceivedRecords()
    let opener = opener
    derived.telemetry = TelemetryBoard()
    for record in try store.records() { noteTelemetry(of: record) }
    for staged in try store.stagedRecords() {
      let opened = opener.opened(staged.record)
      if let opened {
        ages.restore(
          StampedRecordID(staged.record, operation: local.operation), of: opened.subject,
          from: opened.source, by: opened.author, stated: opened.stated, arrivedIn: staged.boot,
          at: staged.arrived)
      }
      received.restore(staged.record, opened?.position, now: now.instant)
    }
  }

  /// Folds what an earlier start has left.
  mutating func foldStaged(now: ClockReading) throws {
    guard received.nextDeadline != nil else { return }
    fold(at: ages.reading(now))
    try commit(now: now)
  }

  /// Folds what was received, if the disk permits, and closes the database. The replica MUST NOT be
  /// used afterwards.
  public func close() throws(StoreError) {
    var last = self
    if !recovery.isBehind, received.nextDeadline != nil {
      last.fold(at: ages.newestReading)
      do {
        _ = try store.commit(last.transaction.batch)
      } catch {
        // What is staged is read at the next start; peers send the rest again.
      }
    }
    try store.close()
  }
}
