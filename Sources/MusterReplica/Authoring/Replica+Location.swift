internal import MusterCrypto
public import MusterGeo
public import MusterModel
internal import MusterStatus
internal import MusterStore
internal import MusterSync

extension Replica {
  /// Processes a fix of this device: stores it, publishes the position, and writes the crossings
  /// that it shows, in one transaction with the detector's new state.
  public mutating func ingest(_ fix: Fix, now: ClockReading) throws -> Outcome {
    try ingest(fix, as: .published, stepsBack: false, now: now)
  }

  /// Processes a fix like `ingest(_:now:)`, as the location filter decided. A fix that shows a
  /// crossing is always stored and published. One that is only evaluated and changes nothing needs
  /// no transaction, so that the detector's state on disk may be that of an earlier fix.
  ///
  /// - Parameter stepsBack: whether the receiver's clock was set back, and this fix is nevertheless
  ///   the newest.
  public mutating func ingest(
    _ fix: Fix, as handling: LocationFilter.Handling, stepsBack: Bool, now: ClockReading
  ) throws -> Outcome {
    try transact(now: now) { replica in
      try replica.take(fix, as: handling, stepsBack: stepsBack, now: now)
    }
  }

  /// Takes the charge of this device's battery, which its next record states; nil without one.
  public mutating func note(batteryPercent: UInt8?) {
    location.note(batteryPercent: batteryPercent, of: nil)
  }

  /// Publishes a fix that was only stored before.
  public mutating func publish(_ report: PositionReport, now: ClockReading) throws -> Outcome {
    try transact(now: now) { replica in
      let published = try replica.put(report, now: now)
      try replica.commit(now: now)
      if let published { try replica.run(.recorded([published]), now: now) }
    }
  }

  private mutating func take(
    _ fix: Fix, as handling: LocationFilter.Handling, stepsBack: Bool, now: ClockReading
  ) throws {
    let report = PositionReport(fix: fix, reportedAt: now.wall)
    let seen = try location.monitor.observe(
      fix, by: local.device, stepsBack: stepsBack, in: store)
    let endsStillness = seen.isNewest && noteMovement(fix, now: now)
    let isKept = handling > .watched || !seen.crossings.isEmpty || endsStillness
    guard isKept || seen.changesStanding else { return location.monitor.keep(seen) }
    transaction.batch.local.merge(seen.state) { $1 }
    if isKept { transaction.batch.fixes.append(report) }
    var published: LatestRecord?
    // A late fix belongs to the track and never changes the current state.
    if seen.isNewest, handling == .published || !seen.crossings.isEmpty || endsStillness {
      published = try put(report, now: now)
    }
    try conclude(seen, seen.crossings.map(Operation.crossing), published: published, now: now)
  }

  /// Commits a fix together with the batch; only then does it count, and is the position published.
  mutating func conclude(
    _ seen: GeofenceMonitor.Observation, _ operations: [Operation], published: LatestRecord?,
    now: ClockReading
  ) throws {
    if operations.isEmpty {
      try commit(now: now)
    } else {
      try append(operations.map { [$0] }, lane: .state, now: now)
    }
    location.monitor.keep(seen)
    if let published { try run(.recorded([published]), now: now) }
  }

  /// Takes a fix of this device or of a tracker as evidence of movement. Returns whether it ends
  /// the stillness that others know of.
  mutating func noteMovement(
    _ fix: Fix, isMoving: Bool? = nil, of tracker: Bytes16? = nil, now: ClockReading
  ) -> Bool {
    let before = location.watchesMovement(of: tracker) ? nil : earlierMovement(of: tracker)
    return location.noteMovement(
      fix, isMoving: isMoving, of: tracker, continuing: before, at: records.ages.reading(now))
  }

  /// The movement as the last position before the start of this program stated it; nil if it did
  /// not, or its time is not known.
  private func earlierMovement(of tracker: Bytes16?) -> MovementDetector? {
    let device = opener.subject(tracker, of: local.author)
    do {
      guard let position = try store.position(of: device),
        let seconds = records.telemetry.stillSeconds(of: device, at: position.order),
        let made = records.ages.made(ofPositionOf: device)
      else { return nil }
      return MovementDetector(
        after: position.report.fix, lastMovement: made.latest - Int64(seconds) * 1000)
    } catch {
      // The next read of the store reports the failure; the detector begins without history.
      return nil
    }
  }

  /// Adds the position to the batch; nil while no key is available to seal it, and then it is
  /// published later.
  ///
  /// - Parameter tracker: the nonce that names the row, for a tracker's position.
  mutating func put(
    _ report: PositionReport, of tracker: Bytes16? = nil, now: ClockReading
  ) throws -> LatestRecord? {
    let order = own.nextRecordOrder()
    let position = UnpublishedPositions.Position(
      order: order, report: report,
      earlier: try location.earlierFixes(
        before: report.fix, at: order,
        of: OwnPositions.Subject(
          nonce: tracker, device: opener.subject(tracker, of: local.author)),
        in: store))
    guard let record = try sealed(position, of: tracker, now: now) else {
      location.remember(position, of: tracker, in: &transaction.batch)
      return nil
    }
    if location.unpublished[tracker] != nil {
      location.remember(nil, of: tracker, in: &transaction.batch)
    }
    return record
  }

  private mutating func sealed(
    _ position: UnpublishedPositions.Position, of tracker: Bytes16?, now: ClockReading
  ) throws -> LatestRecord? {
    guard let epoch = currentEpoch else { return nil }
    let stamp = try makeStamp(tracker == nil ? .ifDue : .never, now: now)
    let subject = opener.subject(tracker, of: local.author)
    let person = tracker == nil ? local.author.user : UserID(raw: subject.raw)
    let telemetry = location.telemetry(
      of: tracker, statesStillness: derived.checkIns.asksForMovement(of: person),
      at: records.ages.reading(now))
    let record = own.position(
      position, of: tracker, telemetry: telemetry, stamp: stamp, under: epoch)
    transaction.batch.records.append(record)
    try noteOwn(record, of: tracker, stamp, now: now)
    if let position = opener.position(in: record) { transaction.batch.positions.append(position) }
    return record
  }

  /// Publishes positions that waited for a key, if one is available now.
  mutating func publishPending(now: ClockReading) throws {
    guard !location.unpublished.isEmpty, currentEpoch != nil else { return }
    var published: [LatestRecord] = []
    for (tracker, waiting) in location.unpublished.ordered {
      var position = waiting
      position.order = own.nextRecordOrder()
      guard let record = try sealed(position, of: tracker, now: now) else { continue }
      location.remember(nil, of: tracker, in: &transaction.batch)
      published.append(record)
    }
    try commit(now: now)
    try run(.recorded(published), now: now)
  }
}
