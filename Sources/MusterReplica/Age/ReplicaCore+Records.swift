internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Records of other devices, and those that this device signs. See `DatedRecords`.
extension ReplicaCore {
  // MARK: Received

  /// Takes a verified record that a peer sent.
  mutating func hold(_ record: LatestRecord, now: ClockReading) {
    let arrival = records.take(record, opener: opener, now: now)
    if record.kind == .neighbours { transaction.outcome.hasMeshChanged = true }
    if arrival.hasBattery || arrival.position != nil { transaction.outcome.hasMovement = true }
    if let position = arrival.position {
      derived.statusModel.noteMovement(of: position.device)
      HistoryIntake.record(position, from: record, in: &self, now: now)
    }
    // Another incarnation of this device: what follows from it is durable at once.
    if record.certificate == local.certificate.hash { records.hurry() }
  }

  /// Takes what a record states about its device, if it can be read.
  mutating func noteTelemetry(of record: LatestRecord) {
    if records.noteTelemetry(of: record, opener: opener) { transaction.outcome.hasMovement = true }
  }

  /// Reads the staged records after a start.
  mutating func restoreStaged(now: ClockReading) throws(StoreError) {
    if try records.restoreStaged(from: store, opener: opener, now: now.instant) {
      transaction.outcome.hasMovement = true
    }
  }

  /// Folds what an earlier start has left.
  mutating func foldStaged(now: ClockReading) throws {
    guard records.received.nextDeadline != nil else { return }
    records.fold(into: &transaction.batch, at: records.ages.reading(now))
    try commit(now: now)
  }

  // MARK: Own

  /// Commits records that this device has signed, and only then sends them.
  mutating func publish(_ signed: [LatestRecord], now: ClockReading) throws {
    guard !signed.isEmpty else { return }
    transaction.batch.records += signed
    try commit(now: now)
    try run(.recorded(signed), now: now)
  }

  /// Reads the clock for a record or frame that is about to be signed.
  mutating func makeStamp(
    _ rule: AgeTracker.AnchorRule, now: ClockReading
  ) throws(StoreError) -> RecordStamp {
    let devices = control.state.admitted.count
    let silence =
      devices > AnchorPacing.mostDevicesAtInterval ? try silenceMilliseconds() : 0
    return records.stamp(rule, by: control, silence: silence, random: &own.random, now: now)
  }

  /// Records that a stamped record was signed. After those of trackers, the caller MUST call
  /// `noteStamped`, once for all of them: it reads the settings.
  ///
  /// - Parameter tracker: the nonce that names the row of the tracker it is about; nil for this
  ///   device.
  mutating func noteOwn(
    _ record: LatestRecord, of tracker: Bytes16? = nil, from source: StampSource = .position,
    _ stamp: RecordStamp, now: ClockReading
  ) throws(StoreError) {
    let id = StampedRecordID(record, operation: local.operation)
    records.noteOwn(id, of: opener.subject(tracker, of: local.author), from: source, stamp)
    if tracker == nil { try noteStamped(now: now) }
    noteTelemetry(of: record)
  }

  /// Records that a stamp is about to be sent.
  mutating func noteStamped(now: ClockReading) throws(StoreError) {
    let silence = try silenceMilliseconds()
    records.noteStamped(silence: silence, random: &own.random, now: now.instant)
  }

  /// The silence setting of this device's user.
  private func silenceMilliseconds() throws(StoreError) -> Int64 {
    try SettingsReader(context: context).silenceMilliseconds(of: local.author.user)
  }

  var receiptState: ReceiptState {
    ReceiptState(local: local, engine: engine, archived: schedules.archived)
  }

  /// Processes a receipt of this device from a peer, signed by an earlier incarnation. If it is no
  /// longer correct, it is replaced.
  mutating func takeOwnReceipt(_ record: LatestRecord, now: ClockReading) {
    guard record.certificate == local.certificate.hash, let receipt = record.receipt else { return }
    guard !receiptState.isReceipted(receipt.log) else { return }
    schedules.replaceReceipt(for: receipt.log, now: now.instant)
  }
}
