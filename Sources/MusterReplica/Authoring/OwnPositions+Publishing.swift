internal import MusterGeo
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Fixes become positions, crossings and tracks, in the transaction of the caller.
extension OwnPositions {
  /// Takes a fix of this device, as the location filter decided.
  ///
  /// - Parameter stepsBack: whether the receiver's clock was set back, and this fix is nevertheless
  ///   the newest.
  mutating func take(
    _ fix: Fix, as handling: LocationFilter.Handling, stepsBack: Bool,
    in core: inout ReplicaCore, now: ClockReading
  ) throws {
    // An archive is no person: no one accepts its position.
    guard core.local.author.role != .archive else { return }
    let report = PositionReport(fix: fix, reportedAt: now.wall)
    let seen = try core.monitor.observe(
      fix, by: core.local.device, stepsBack: stepsBack, in: core.store)
    let endsStillness = seen.isNewest && noteMovement(fix, in: core, now: now)
    let isKept = handling > .watched || !seen.crossings.isEmpty || endsStillness
    guard isKept || seen.changesStanding else { return core.monitor.keep(seen) }
    core.transaction.batch.local.merge(seen.state) { $1 }
    if isKept {
      core.transaction.batch.fixes.append(report)
      HistoryIntake.recordOwn(
        fix, of: core.local.device, core.local.author.user, isNewest: seen.isNewest, in: &core,
        now: now)
    }
    var published: LatestRecord?
    // A late fix belongs to the track and never changes the current state.
    if seen.isNewest, handling == .published || !seen.crossings.isEmpty || endsStillness {
      published = try put(report, in: &core, now: now)
    }
    try Self.conclude(
      seen, seen.crossings.map(Operation.crossing), published: published, in: &core, now: now)
  }

  /// Takes fixes of trackers, in their order and with one commit. If that fails, nothing counts.
  mutating func take(
    _ fixes: [AdmittedFix], in core: inout ReplicaCore, now: ClockReading
  ) throws {
    var operations: [Operation] = []
    var published: [RecordTopic: LatestRecord] = [:]
    let stored = try core.store.positions(of: Set(fixes.map(\.tracker.subject)))
    for admitted in fixes {
      let (tracker, fix) = (admitted.tracker, admitted.fix.fix)
      note(batteryPercent: admitted.fix.batteryPercent, of: tracker.nonce)
      let seen = try core.monitor.observe(
        fix, by: tracker.subject, stepsBack: false, without: admitted.fix.excluded,
        in: core.store)
      let report = PositionReport(fix: fix, reportedAt: now.wall)
      core.transaction.batch.trackerFixes.append(
        TrackerFix(tracker: tracker.row, report: report))
      HistoryIntake.recordOwn(
        fix, of: tracker.subject, UserID(raw: tracker.subject.raw), isNewest: seen.isNewest,
        in: &core, now: now)
      operations += admitted.creation.map(Operation.write)
      guard seen.isNewest else { continue }
      core.transaction.batch.local.merge(seen.state) { $1 }
      // The next fix of the tracker follows this one. After a failure the states are read again.
      core.monitor.keep(seen)
      _ = noteMovement(
        fix, isMoving: admitted.fix.isMoving, of: tracker.nonce, in: core, now: now)
      if let record = try put(
        report, of: tracker.nonce, stored: stored, in: &core, now: now)
      {
        published[record.topic] = record
      }
      operations += seen.crossings.map { .trackerCrossing($0, nonce: tracker.nonce) }
    }
    if !published.isEmpty { try core.noteStamped(now: now) }
    try Self.commit(operations, in: &core, now: now)
    let newest = published.values.sorted { $0.topic < $1.topic }
    if !newest.isEmpty { try core.run(.recorded(newest), now: now) }
  }

  /// Commits a fix together with the batch; only then does it count, and is the position published.
  private static func conclude(
    _ seen: GeofenceMonitor.Observation, _ operations: [Operation], published: LatestRecord?,
    in core: inout ReplicaCore, now: ClockReading
  ) throws {
    try commit(operations, in: &core, now: now)
    core.monitor.keep(seen)
    if let published { try core.run(.recorded([published]), now: now) }
  }

  private static func commit(
    _ operations: [Operation], in core: inout ReplicaCore, now: ClockReading
  ) throws {
    if operations.isEmpty {
      try core.commit(now: now)
    } else {
      try core.append(operations.map { [$0] }, lane: .state, now: now)
    }
  }

  // MARK: Movement

  /// Takes a fix of this device or of a tracker as evidence of movement. Returns whether it ends
  /// the stillness that others know of.
  private mutating func noteMovement(
    _ fix: Fix, isMoving: Bool? = nil, of tracker: Bytes16? = nil, in core: ReplicaCore,
    now: ClockReading
  ) -> Bool {
    let before = watchesMovement(of: tracker) ? nil : Self.earlierMovement(of: tracker, in: core)
    return noteMovement(
      fix, isMoving: isMoving, of: tracker, continuing: before, at: core.records.ages.reading(now))
  }

  /// The movement as the last position before the start of this program stated it; nil if it did
  /// not, or its time is not known.
  private static func earlierMovement(
    of tracker: Bytes16?, in core: ReplicaCore
  ) -> MovementDetector? {
    let device = core.opener.subject(tracker, of: core.local.author)
    do {
      guard let position = try core.store.position(of: device),
        let seconds = core.records.telemetry.stillSeconds(of: device, at: position.order),
        let made = core.records.ages.made(ofPositionOf: device)
      else { return nil }
      return MovementDetector(
        after: position.report.fix, lastMovement: made.latest - Int64(seconds) * 1000)
    } catch {
      // The next read of the store reports the failure; the detector begins without history.
      return nil
    }
  }

  // MARK: Positions

  /// Publishes a fix that was only stored before.
  mutating func publish(
    _ report: PositionReport, in core: inout ReplicaCore, now: ClockReading
  ) throws {
    let published = try put(report, in: &core, now: now)
    try core.commit(now: now)
    if let published { try core.run(.recorded([published]), now: now) }
  }

  /// Adds the position to the batch; nil while no key is available to seal it, and then it is
  /// published later.
  ///
  /// - Parameters:
  ///   - tracker: the nonce that names the row, for a tracker's position.
  ///   - stored: the stored positions, if they were read already.
  private mutating func put(
    _ report: PositionReport, of tracker: Bytes16? = nil,
    stored: [DeviceID: DevicePosition]? = nil, in core: inout ReplicaCore, now: ClockReading
  ) throws -> LatestRecord? {
    let order = core.own.nextRecordOrder()
    let subject = Subject(
      nonce: tracker, device: core.opener.subject(tracker, of: core.local.author))
    let position = UnpublishedPositions.Position(
      order: order, report: report,
      earlier: try earlierFixes(
        before: report.fix, at: order, of: subject, stored: stored, in: &core))
    guard let record = try sealed(position, of: tracker, in: &core, now: now) else {
      remember(position, of: tracker, in: &core.transaction.batch)
      return nil
    }
    if unpublished[tracker] != nil {
      remember(nil, of: tracker, in: &core.transaction.batch)
    }
    return record
  }

  private mutating func sealed(
    _ position: UnpublishedPositions.Position, of tracker: Bytes16?, in core: inout ReplicaCore,
    now: ClockReading
  ) throws -> LatestRecord? {
    guard let epoch = core.currentEpoch else { return nil }
    let stamp = try core.makeStamp(tracker == nil ? .ifDue : .never, now: now)
    let subject = core.opener.subject(tracker, of: core.local.author)
    let person = tracker == nil ? core.local.author.user : UserID(raw: subject.raw)
    let telemetry = telemetry(
      of: tracker, statesStillness: core.derived.checkIns.asksForMovement(of: person),
      at: core.records.ages.reading(now))
    let record = core.own.position(
      position, of: tracker, telemetry: telemetry, stamp: stamp, under: epoch)
    core.transaction.batch.records.append(record)
    try core.noteOwn(record, of: tracker, stamp, now: now)
    if let position = core.opener.position(in: record) {
      core.transaction.batch.positions.append(position)
    }
    return record
  }

  /// Publishes positions that waited for a key, if one is available now.
  mutating func publishPending(in core: inout ReplicaCore, now: ClockReading) throws {
    guard !unpublished.isEmpty, core.currentEpoch != nil else { return }
    var published: [LatestRecord] = []
    for (tracker, waiting) in unpublished.ordered {
      var position = waiting
      position.order = core.own.nextRecordOrder()
      guard let record = try sealed(position, of: tracker, in: &core, now: now) else { continue }
      remember(nil, of: tracker, in: &core.transaction.batch)
      published.append(record)
    }
    if !published.isEmpty { try core.noteStamped(now: now) }
    try core.commit(now: now)
    try core.run(.recorded(published), now: now)
  }
}
