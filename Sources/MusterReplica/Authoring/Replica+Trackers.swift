internal import MusterCRDT
internal import MusterGeo
public import MusterModel
internal import MusterStore
internal import MusterSync

/// Phones and other trackers without a key that this device records.
extension Replica {
  /// Processes a fix of a tracker: publishes the position, writes the crossings that it shows, and
  /// creates its row at the first fix, in one transaction. A fix that is not the newest is stored
  /// in the track and does not change the current state.
  ///
  /// - Parameters:
  ///   - name: MUST be a line (`TextRule`). Trackers of two devices with one name are different.
  ///   - batteryPercent: as the tracker states it.
  ///   - isMoving: what the tracker's own sensor states.
  public mutating func ingest(
    _ fix: Fix, ofTracker name: String, batteryPercent: UInt8? = nil, isMoving: Bool? = nil,
    now: ClockReading
  ) throws -> Outcome {
    try context.require(.command, .member)
    let tracker = OwnTracker(named: name, of: local)
    var writes: [Write] = []
    if let row = try store.row(tracker.key), row.origin != nil {
      guard row.exists else { throw Refusal("the tracker \(name) was removed") }
    } else {
      guard engine.hasRoomForTracker(of: local.certificate.hash) else {
        throw Refusal("this device already records \(Limits.trackersPerDevice) trackers")
      }
      writes = tracker.creation(of: local)
    }
    return try transact(now: now) { replica in
      replica.location.note(batteryPercent: batteryPercent, of: tracker.nonce)
      try replica.take(fix, isMoving: isMoving, of: tracker, writes: writes, now: now)
    }
  }

  private mutating func take(
    _ fix: Fix, isMoving: Bool?, of tracker: OwnTracker, writes: [Write], now: ClockReading
  ) throws {
    let seen = try location.monitor.observe(fix, by: tracker.subject, stepsBack: false, in: store)
    let report = PositionReport(fix: fix, reportedAt: now.wall)
    transaction.batch.trackerFixes.append(TrackerFix(tracker: tracker.row, report: report))
    guard seen.isNewest else { return try commit(now: now) }
    transaction.batch.local.merge(seen.state) { $1 }
    _ = noteMovement(fix, isMoving: isMoving, of: tracker.nonce, now: now)
    let published = try put(report, of: tracker.nonce, now: now)
    let operations =
      writes.map(Operation.write)
      + seen.crossings.map { .trackerCrossing($0, nonce: tracker.nonce) }
    try conclude(seen, operations, published: published, now: now)
  }
}
