internal import MusterModel
internal import MusterStatus
internal import MusterStore
internal import MusterSync

/// Stamps of this device's records, and dates of received ones. The evidence of ages is in
/// `AgeTracker`.
extension Replica {
  // MARK: Own records

  /// Reads the clock for a record or frame that is about to be signed.
  mutating func makeStamp(
    _ rule: AgeTracker.AnchorRule, now: ClockReading
  ) throws(StoreError) -> RecordStamp {
    let admitted = control.state.admitted
    let silence =
      admitted.count > AnchorPacing.mostDevicesAtInterval
      ? try queries.silenceMilliseconds() : 0
    return ages.stamp(
      rule, devices: admitted.count, silence: silence,
      commanders: {
        let authors = admitted.values.lazy.map(\.signed.certificate.author)
        return Set(authors.filter { $0.role == .command }.map(\.device))
      }, random: &own.random, now: now)
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
    ages.noteOwn(id, of: opener.subject(tracker, of: local.author), from: source, stamp)
    try noteStamped(now: now)
  }

  private mutating func noteStamped(now: ClockReading) throws(StoreError) {
    let half = max(1, try queries.silenceMilliseconds() / 2)
    let jitter = Int64(own.random.uniform(below: UInt64(max(1, half / 10))))
    schedules.presence.noteStamped(half: half, jitter: jitter, now: now.instant)
  }

  /// Sends a presence record, if this device has sent no other stamp for a while.
  mutating func sendPresence(now: ClockReading) throws {
    guard schedules.presence.isDue(now: now.instant) else { return }
    // At a start peers first compare what they hold: equal records make that fast.
    guard mayWrite(now: now.instant) else {
      return schedules.presence.putOff(
        byMilliseconds: PresenceSchedule.lookMilliseconds, now: now.instant)
    }
    guard let epoch = currentEpoch, !context.isRevoked else {
      return schedules.presence.putOff(now: now.instant)
    }
    let stamp = try makeStamp(.presence, now: now)
    let record = LatestRecord.presence(
      reportedAt: now.wall, batteryPercent: location.batteryPercent(of: nil), stamp: stamp,
      operation: local.operation, certificate: local.certificate.hash, order: own.nextRecordOrder(),
      epoch: epoch.id,
      key: epoch.key, nonce: own.random.nonce24(), signedBy: local.signingKey)
    transaction.batch.records.append(record)
    try noteOwn(record, from: .presence, stamp, now: now)
    noteTelemetry(of: record)
    schedules.presence.noteSent(now: now.instant)
    try commit(now: now)
    try run(.recorded([record]), now: now)
  }

  // MARK: Arrivals

  /// Dates a received position or presence record.
  ///
  /// - Parameter isStaged: whether its date follows from a staged record, so that it is stored with
  ///   the fold.
  mutating func date(
    _ opened: OpenedRecord, named name: StampedRecordID, isStaged: Bool, now: ClockReading
  ) {
    ages.take(
      name, of: opened.subject, from: opened.source, by: opened.author, stated: opened.stated,
      isStaged: isStaged, now: now)
    answerAnchors(now: now)
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
      ages.noteOwnFrame(frame.hash, stated)
      return try noteStamped(now: now)
    }
    if stated == nil { guard case .applied = application else { return } }
    ages.takeFrame(frame.hash, by: author.device, stated: stated, now: now)
    answerAnchors(now: now)
  }

  private mutating func answerAnchors(now: ClockReading) {
    if ages.wantsAnchor(now: now) { schedules.presence.hurry(now: now.instant) }
  }
}
