internal import MusterModel
public import MusterStore
internal import MusterSync

/// Records of other devices, and those that this device signs. See `DatedRecords`.
extension Replica {
  // MARK: Received

  /// Takes a verified record that a peer sent.
  mutating func hold(_ record: LatestRecord, now: ClockReading) {
    let arrival = records.take(record, opener: opener, now: now)
    if record.kind == .neighbours { transaction.outcome.hasMeshChanged = true }
    if arrival.hasBattery || arrival.position != nil { transaction.outcome.hasMovement = true }
    if let position = arrival.position {
      derived.statusModel.noteMovement(of: position.device)
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

  /// Folds what was received, if the disk permits, and closes the database. The replica MUST NOT be
  /// used afterwards.
  public func close() throws(StoreError) {
    var last = self
    if !recovery.isBehind, records.received.nextDeadline != nil {
      last.records.fold(into: &last.transaction.batch, at: records.ages.newestReading)
      do {
        _ = try store.commit(last.transaction.batch)
      } catch {
        // What is staged is read at the next start; peers send the rest again.
      }
    }
    try store.close()
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
      devices > AnchorPacing.mostDevicesAtInterval ? try queries.silenceMilliseconds() : 0
    return records.stamp(rule, by: control, silence: silence, random: &own.random, now: now)
  }

  /// Records that a stamped record was signed.
  ///
  /// - Parameter tracker: the nonce that names the row of the tracker it is about; nil for this
  ///   device.
  mutating func noteOwn(
    _ record: LatestRecord, of tracker: Bytes16? = nil, from source: StampSource = .position,
    _ stamp: RecordStamp, now: ClockReading
  ) throws(StoreError) {
    let id = StampedRecordID(record, operation: local.operation)
    records.noteOwn(id, of: opener.subject(tracker, of: local.author), from: source, stamp)
    try noteStamped(now: now)
    noteTelemetry(of: record)
  }

  private mutating func noteStamped(now: ClockReading) throws(StoreError) {
    let silence = try queries.silenceMilliseconds()
    records.noteStamped(silence: silence, random: &own.random, now: now.instant)
  }

  /// Dates a frame of the urgent lane, if it can be read.
  ///
  /// - Parameter isOwn: whether this program has just written it.
  mutating func date(
    _ frame: Frame, of opening: Opening, _ application: Application, _ stated: RecordStamp?,
    isOwn: Bool = false, now: ClockReading
  ) throws(StoreError) {
    guard opening.lane == .urgent, let author = control.author(of: opening.certificate)
    else { return }
    if isOwn, let stated {
      records.noteOwnFrame(frame.hash, stated)
      return try noteStamped(now: now)
    }
    if stated == nil { guard case .applied = application else { return } }
    records.takeFrame(frame.hash, by: author.device, stated: stated, now: now)
  }

  /// Sends a presence record, if this device has sent no other stamp for a while.
  mutating func sendPresence(now: ClockReading) throws {
    guard records.presence.isDue(now: now.instant) else { return }
    // At a start peers first compare what they hold: equal records make that fast.
    guard mayWrite(now: now.instant) else {
      return records.putOffPresence(
        byMilliseconds: PresenceSchedule.lookMilliseconds, now: now.instant)
    }
    guard let epoch = currentEpoch, !context.isRevoked else {
      return records.putOffPresence(now: now.instant)
    }
    let stamp = try makeStamp(.presence, now: now)
    let record = own.presence(
      batteryPercent: location.batteryPercent(of: nil), stamp: stamp, under: epoch, now: now.wall)
    try noteOwn(record, from: .presence, stamp, now: now)
    records.notePresenceSent(now: now.instant)
    try publish([record], now: now)
  }
}
