public import MusterGeo
public import MusterModel
internal import MusterStore
internal import MusterSync

/// Fixes of this device, and of phones and other trackers without a key that it records. See
/// `OwnPositions`.
extension Replica {
  /// Processes a fix of this device: stores it, publishes the position, and writes the crossings
  /// that it shows, in one transaction with the detector's new state.
  public mutating func ingest(_ fix: Fix, now: ClockReading) throws -> Outcome {
    try ingest(fix, as: .published, stepsBack: false, now: now)
  }

  /// Processes a fix like `ingest(_:now:)`, and stores the reply to its request with it.
  ///
  /// - Parameter age: the age of the fix.
  public mutating func ingest(
    _ fix: Fix, age: SampleAge, replying reply: [UInt8], to request: RequestKey,
    now: ClockReading
  ) throws -> Outcome {
    try transact(now: now) {
      $0.core.transaction.batch.replies.append(
        StoredReply(request: request, content: reply, storedAt: now.wall))
      try $0.positions.take(
        fix, as: .published, stepsBack: false, age: age, in: &$0.core, now: now)
    }
  }

  /// Processes a fix like `ingest(_:now:)`, as the location filter decided. A fix that shows a
  /// crossing is always stored and published. One that is only evaluated and changes nothing needs
  /// no transaction, so that the detector's state on disk may be that of an earlier fix.
  ///
  /// - Parameters:
  ///   - stepsBack: whether the receiver's clock was set back, and this fix is nevertheless the
  ///     newest.
  ///   - age: the age of the fix at its arrival: of a phone, or of a page.
  public mutating func ingest(
    _ fix: Fix, as handling: LocationFilter.Handling, stepsBack: Bool,
    age: SampleAge = .exactly(milliseconds: 0), now: ClockReading
  ) throws -> Outcome {
    try transact(now: now) {
      try $0.positions.take(
        fix, as: handling, stepsBack: stepsBack, age: age, in: &$0.core, now: now)
    }
  }

  /// Takes the charge of this device's battery, which its next record states; nil without one.
  public mutating func note(batteryPercent: UInt8?) {
    positions.note(batteryPercent: batteryPercent, of: nil)
  }

  /// Publishes a fix that was only stored before.
  public mutating func publish(_ report: PositionReport, now: ClockReading) throws -> Outcome {
    try transact(now: now) { try $0.positions.publish(report, in: &$0.core, now: now) }
  }

  /// Processes a fix of a tracker, as `ingest(_:now:)` does with several. Throws its refusal.
  public mutating func ingest(
    _ fix: Fix, ofTracker name: String, batteryPercent: UInt8? = nil, isMoving: Bool? = nil,
    without excluded: Set<RowID> = [], now: ClockReading
  ) throws -> Outcome {
    let tracked = TrackedFix(
      fix, of: name, batteryPercent: batteryPercent, isMoving: isMoving, without: excluded)
    let (refusals, outcome) = try ingest([tracked], now: now)
    if let refusal = refusals[0] { throw refusal }
    return outcome
  }

  /// Processes fixes of trackers in their order: publishes the positions, writes the crossings that
  /// they show, and creates the row of a tracker at its first fix, all in one transaction. A fix
  /// that is not the newest is stored in the track and does not change the current state.
  ///
  /// Returns for each fix why it is refused, or nil. A refused fix has no effect on the others.
  public mutating func ingest(
    _ fixes: [TrackedFix], now: ClockReading
  ) throws -> (refusals: [Refusal?], outcome: Outcome) {
    let (refusals, admitted) = try AdmittedFix.admit(fixes, in: core)
    guard !admitted.isEmpty else { return (refusals, Outcome()) }
    let outcome = try transact(now: now) {
      try $0.positions.take(admitted, in: &$0.core, now: now)
    }
    return (refusals, outcome)
  }

  /// Creates the row of a tracker before its first fix, for a carrier who reports without one.
  /// Does nothing for one that exists.
  ///
  /// - Parameter name: MUST be a line (`TextRule`).
  public mutating func enlistTracker(named name: String, now: ClockReading) throws -> Outcome {
    let tracker = OwnTracker(named: name, of: core.local)
    let writes = try tracker.creation(
      beside: try core.store.row(tracker.key), in: core.context, core.engine, andOthers: 0)
    guard !writes.isEmpty else { return Outcome() }
    return try transact(now: now) {
      try $0.core.append([writes.map(Operation.write)], lane: .state, now: now)
    }
  }

  /// Records that a tracker is in contact without a new fix, and creates its row if it has none.
  /// Others receive the contact as a position record with the last fix, or without one, not more
  /// often than `PresenceSchedule.contactSpacing`. Throws `Refusal` if this device may not record
  /// the tracker.
  ///
  /// - Parameter name: MUST be a line (`TextRule`).
  public mutating func recordContact(
    ofTracker name: String, batteryPercent: UInt8? = nil, now: ClockReading
  ) throws -> Outcome {
    let tracker = OwnTracker(named: name, of: core.local)
    let creation = try tracker.creation(
      beside: try core.store.row(tracker.key), in: core.context, core.engine, andOthers: 0)
    return try transact(now: now) {
      $0.positions.note(batteryPercent: batteryPercent, of: tracker.nonce)
      try $0.positions.recordContact(of: tracker, creation: creation, in: &$0.core, now: now)
    }
  }

  /// Deletes the stored track of a tracker that this device records. The published position stays.
  public mutating func clearTrack(ofTracker name: String, now: ClockReading) throws -> Outcome {
    try core.context.require(.command, .member)
    let tracker = OwnTracker(named: name, of: core.local)
    return try transact(now: now) {
      $0.core.transaction.batch.clearedTracks.insert(tracker.row)
    }
  }

  /// Publishes a segment of the own track in the `history` lane, if it is required and due. Earlier
  /// fixes stay on this device. Called after each stored fix, and after a change of the settings.
  public mutating func shareTrack(isWanted: Bool, now: ClockReading) throws -> Outcome {
    switch try TrackPlan(in: core.context, isWanted: isWanted, now: now.wall) {
    case .nothing: return Outcome()
    case .stop:
      return try transact(now: now) { TrackPlan.forget(in: &$0.core.transaction.batch) }
    case .start(let place):
      return try transact(now: now) {
        TrackPlan.note(upTo: place, in: &$0.core.transaction.batch)
      }
    case .publish(let segment, let place):
      var composer = core.own.compose(.track, now: now)
      composer.set(.trackPoints, to: .bytes(segment.encoded()))
      return try transact(now: now) {
        TrackPlan.note(upTo: place, in: &$0.core.transaction.batch)
        try $0.core.append([composer.writes.map(Operation.write)], lane: .history, now: now)
      }
    }
  }
}
