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
    age: SampleAge = .exactly(milliseconds: 0), in core: inout ReplicaCore, now: ClockReading
  ) throws {
    // An archive is no person: no one accepts its position.
    guard core.local.author.role != .archive else { return }
    let report = PositionReport(fix: fix, reportedAt: now.wall, age: FixAge(age))
    guard !report.age.wasOld else { return try takeOld(report, in: &core, now: now) }
    let seen = try core.monitor.observe(
      fix, by: core.local.device, stepsBack: stepsBack, in: core.store)
    let endsStillness = seen.isNewest && noteMovement(fix, in: core, now: now)
    let isKept = handling > .watched || !seen.crossings.isEmpty || endsStillness
    guard isKept || seen.changesStanding else { return core.monitor.keep(seen) }
    core.transaction.batch.local.merge(seen.state) { $1 }
    if isKept {
      core.transaction.batch.fixes.append(report)
      HistoryIntake.recordOwn(
        report, of: core.local.device, core.local.author.user, isNewest: seen.isNewest, in: &core,
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

  /// Takes a fix of this device that a phone stored, or of unknown time: it raises no crossing and
  /// shows no movement.
  private mutating func takeOld(
    _ report: PositionReport, in core: inout ReplicaCore, now: ClockReading
  ) throws {
    let subject = Subject(nonce: nil, device: core.local.device)
    let last = try last(of: subject, stored: nil, in: core)
    let isNewest = Self.follows(report, last, now: now)
    core.transaction.batch.fixes.append(report)
    HistoryIntake.recordOwn(
      report, of: core.local.device, core.local.author.user, isNewest: isNewest, in: &core,
      now: now)
    let published = isNewest ? try put(report, in: &core, now: now) : nil
    try core.commit(now: now)
    if let published { try core.run(.recorded([published]), now: now) }
  }

  /// Whether an old fix, or one of unknown time, is newer than the last position: by the phone's
  /// clock. One of unknown time replaces only a position that is old itself, at another place.
  private static func follows(
    _ report: PositionReport, _ last: UnpublishedPositions.Position?, now: ClockReading
  ) -> Bool {
    guard let known = last?.report else { return true }
    guard report.age.isUnknown else { return report.fix.sampleTime > known.fix.sampleTime }
    guard report.fix.position != known.fix.position else { return false }
    return known.age.isUnknown
      || known.age.held(until: now.wall, from: known).leastMilliseconds > FixAge.oldMilliseconds
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
      let report = PositionReport(fix: fix, reportedAt: now.wall, age: FixAge(admitted.fix.age))
      let isOld = report.age.wasOld
      let seen = try core.monitor.observe(
        fix, by: tracker.subject, stepsBack: false, isOld: isOld,
        without: admitted.fix.excluded, in: core.store)
      var isNewest = seen.isNewest || report.age.isUnknown
      if isNewest, isOld {
        let subject = Subject(nonce: tracker.nonce, device: tracker.subject)
        isNewest = Self.follows(
          report, try last(of: subject, stored: stored, in: core), now: now)
      }
      core.transaction.batch.trackerFixes.append(
        TrackerFix(tracker: tracker.row, report: report))
      HistoryIntake.recordOwn(
        report, of: tracker.subject, UserID(raw: tracker.subject.raw), isNewest: isNewest,
        in: &core, now: now)
      operations += admitted.creation.map(Operation.write)
      if seen.isNewest, !report.age.isUnknown {
        core.transaction.batch.local.merge(seen.state) { $1 }
        // The next fix of the tracker follows this one. After a failure the states are read again.
        core.monitor.keep(seen)
        operations += seen.crossings.map { .trackerCrossing($0, nonce: tracker.nonce) }
      }
      guard isNewest else {
        if let record = try renewContact(of: tracker, stored: stored, in: &core, now: now) {
          published[record.topic] = record
        }
        continue
      }
      core.records.recordContact(of: tracker.subject, now: now)
      if !isOld {
        _ = noteMovement(
          fix, isMoving: admitted.fix.isMoving, of: tracker.nonce, in: core, now: now)
      }
      if let record = try put(
        report, of: tracker.nonce, stored: stored, in: &core, now: now)
      {
        published[record.topic] = record
      }
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
        before: report, at: order, of: subject, stored: stored, in: &core))
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

  // MARK: Contact

  /// Records a contact with a tracker that brings no new fix, and publishes it if that is due.
  mutating func recordContact(
    of tracker: OwnTracker, creation: [Write], in core: inout ReplicaCore, now: ClockReading
  ) throws {
    let published = try renewContact(of: tracker, stored: nil, in: &core, now: now)
    if published != nil { try core.noteStamped(now: now) }
    try Self.commit(creation.map(Operation.write), in: &core, now: now)
    if let published { try core.run(.recorded([published]), now: now) }
  }

  /// Records a contact with a tracker. Returns the record that publishes it: the last fix with its
  /// age, or no fix; nil if others know of a contact a short while ago, or no key is available.
  private mutating func renewContact(
    of tracker: OwnTracker, stored: [DeviceID: DevicePosition]?, in core: inout ReplicaCore,
    now: ClockReading
  ) throws -> LatestRecord? {
    core.records.recordContact(of: tracker.subject, now: now)
    core.transaction.outcome.hasMovement = true
    let time = core.records.ages.reading(now)
    let silence = try SettingsReader(context: core.context)
      .silenceMilliseconds(of: UserID(raw: tracker.subject.raw))
    let made = core.records.ages.made(ofPositionOf: tracker.subject)
    if let made, time - made.latest < PresenceSchedule.contactSpacing(silence: silence) {
      return nil
    }
    let subject = Subject(nonce: tracker.nonce, device: tracker.subject)
    guard unpublished[tracker.nonce] == nil, let epoch = core.currentEpoch else { return nil }
    guard var last = try last(of: subject, stored: stored, in: core) else {
      let stamp = try core.makeStamp(.never, now: now)
      let record = core.own.contact(
        ofTracker: tracker.nonce, batteryPercent: batteryPercent(of: tracker.nonce), stamp: stamp,
        under: epoch, now: now.wall)
      core.transaction.batch.records.append(record)
      try core.noteOwn(record, of: tracker.nonce, stamp, now: now)
      return record
    }
    if !watchesMovement(of: tracker.nonce) {
      continueMovement(Self.earlierMovement(of: tracker.nonce, in: core), of: tracker.nonce)
    }
    let sinceRecord = made.map { time - $0.latest } ?? 0
    let byWall = last.report.age.held(until: now.wall, from: last.report)
    let byBoot = last.report.age.held(longerBy: sinceRecord)
    last.report.age = byWall.heldMilliseconds > byBoot.heldMilliseconds ? byWall : byBoot
    last.fixOrder = last.fixOrder ?? last.order
    last.order = core.own.nextRecordOrder()
    return try sealed(last, of: tracker.nonce, in: &core, now: now)
  }

  /// Publishes positions that waited for a key, if one is available now.
  mutating func publishPending(in core: inout ReplicaCore, now: ClockReading) throws {
    guard !unpublished.isEmpty, core.currentEpoch != nil else { return }
    var published: [LatestRecord] = []
    for (tracker, waiting) in unpublished.ordered {
      var position = waiting
      position.order = core.own.nextRecordOrder()
      position.report.age = position.report.age.held(until: now.wall, from: position.report)
      guard let record = try sealed(position, of: tracker, in: &core, now: now) else { continue }
      remember(nil, of: tracker, in: &core.transaction.batch)
      published.append(record)
    }
    if !published.isEmpty { try core.noteStamped(now: now) }
    try core.commit(now: now)
    try core.run(.recorded(published), now: now)
  }
}
