internal import MusterCRDT
internal import MusterGeo
public import MusterModel
internal import MusterStore
internal import MusterSync

/// Phones and other trackers without a key that this device records.
extension Replica {
  /// Returns the names of the trackers that this device has recorded, in alphabetical order.
  public func trackerNames() throws -> [String] { try TrackReader(context: context).names() }

  /// Returns the trackers that this device has recorded, by name.
  public func trackers() throws -> [String: UserID] { try TrackReader(context: context).trackers() }

  /// Processes a fix of a tracker: publishes the position, writes the crossings that it shows, and
  /// creates its row at the first fix, in one transaction. A fix that is not the newest is stored
  /// in the track and does not change the current state.
  ///
  /// - Parameters:
  ///   - name: MUST be a line (`TextRule`). Trackers of two devices with one name are different.
  ///   - batteryPercent: as the tracker states it.
  ///   - isMoving: what the tracker's own sensor states.
  ///   - excluded: fences that this tracker is not evaluated against.
  public mutating func ingest(
    _ fix: Fix, ofTracker name: String, batteryPercent: UInt8? = nil, isMoving: Bool? = nil,
    without excluded: Set<RowID> = [], now: ClockReading
  ) throws -> Outcome {
    try require(.command, .member)
    let nonce = trackerNonce(name)
    let key = RowKey(kind: .tracker, id: trackerRow(nonce))
    var writes: [Write] = []
    if let row = try store.row(key), row.origin != nil {
      guard row.exists else { throw Refusal("the tracker \(name) was removed") }
    } else {
      guard engine.hasRoomForTracker(of: local.certificate.hash) else {
        throw Refusal("this device already records \(Limits.trackersPerDevice) trackers")
      }
      var composer = Composer(
        creating: .tracker, origin: RowOrigin(owner: local.author.user, nonce: nonce),
        operation: local.operation)
      composer.assertExistence()
      composer.set(.trackerCallsign, to: .text(name))
      writes = composer.writes
    }
    return try transact(now: now) { replica in
      replica.location.note(batteryPercent: batteryPercent, of: nonce)
      try replica.take(
        fix, isMoving: isMoving, of: nonce, without: excluded, writes: writes, now: now)
    }
  }

  /// Writes a call for help for the carrier of a tracker that this device records, unless one is
  /// open. Throws for a tracker that was never recorded, or was removed.
  public mutating func raiseAlarm(
    ofTracker name: String, note: String, now: ClockReading
  ) throws -> Outcome {
    let id = trackerRow(trackerNonce(name))
    guard let row = try store.row(RowKey(kind: .tracker, id: id)), row.exists else {
      throw Refusal("the tracker \(name) has no position yet", .unknown)
    }
    guard try StatementReader(context: context).statements(row).openCalls.isEmpty else {
      return Outcome()
    }
    return try claimSafety(
      .needsHelp, note: note, forTracker: UserID(raw: id.raw), now: now)
  }

  private mutating func take(
    _ fix: Fix, isMoving: Bool?, of nonce: Bytes16, without excluded: Set<RowID>,
    writes: [Write], now: ClockReading
  ) throws {
    let subject = DeviceID(tracker: trackerRow(nonce))
    let seen = try location.monitor.observe(
      fix, by: subject, stepsBack: false, without: excluded, in: store)
    let report = PositionReport(fix: fix, reportedAt: now.wall)
    transaction.batch.trackerFixes.append(TrackerFix(tracker: trackerRow(nonce), report: report))
    guard seen.isNewest else { return try commit(now: now) }
    transaction.batch.local.merge(seen.state) { $1 }
    _ = noteMovement(fix, isMoving: isMoving, of: nonce, now: now)
    let published = try put(report, of: nonce, now: now)
    let operations =
      writes.map(Operation.write) + seen.crossings.map { .trackerCrossing($0, nonce: nonce) }
    try conclude(seen, operations, published: published, now: now)
  }

  /// Deletes the stored track of a tracker that this device records. The published position stays.
  public mutating func clearTrack(ofTracker name: String, now: ClockReading) throws -> Outcome {
    try require(.command, .member)
    let row = trackerRow(named: name)
    return try transact(now: now) { $0.transaction.batch.clearedTracks.insert(row) }
  }

  /// Returns the row of this device's tracker with this name, whether or not it was ever received
  /// from.
  public func trackerRow(named name: String) -> RowID { trackerRow(trackerNonce(name)) }

  /// Returns the newest fixes of a tracker that this device records, by sample time; nothing for
  /// another device's tracker.
  public func track(ofTracker row: RowID, limit: Int) throws -> [Fix] {
    try TrackReader(context: context).recorded(ofTracker: row, limit: limit)
  }

  private func trackerNonce(_ name: String) -> Bytes16 { local.trackerNonce(name) }

  private func trackerRow(_ nonce: Bytes16) -> RowID { local.trackerRow(nonce) }
}

extension LocalDevice {
  /// The nonce that names the row of a tracker of this device.
  func trackerNonce(_ name: String) -> Bytes16 {
    Bytes16(trackerNamed: name, operation: operation, device: device)
  }

  /// The row of a tracker of this device.
  func trackerRow(_ nonce: Bytes16) -> RowID {
    RowID(tracker: nonce, of: author.user, operation: operation)
  }
}
