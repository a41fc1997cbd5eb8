internal import MusterCRDT
internal import MusterGeo
public import MusterModel
internal import MusterStore
internal import MusterSync

/// Phones and other trackers without a key, for which this device speaks.
extension Replica {
  /// What the trackers are called that this device has told of, in alphabetical order.
  public func trackerNames() throws -> [String] {
    try store.rows(.tracker).compactMap { row in
      guard row.exists, let name = row.text(.trackerCallsign),
        row.key.id == trackerRow(trackerNonce(name))
      else { return nil }
      return name
    }.sorted()
  }

  /// Takes a fix of a tracker: publishes where it is, authors the crossings that it shows, and at
  /// its first fix makes its row, all in one transaction. A fix that is not newer than the last
  /// changes nothing.
  ///
  /// - Parameter name: MUST be a line (`TextRule`); two devices' trackers of one name are two.
  public mutating func ingest(
    _ fix: Fix, ofTracker name: String, now: ClockReading
  ) throws -> Outcome {
    try require(.command, .member)
    let nonce = trackerNonce(name)
    let key = RowKey(kind: .tracker, id: trackerRow(nonce))
    var writes: [Write] = []
    if let row = try store.row(key), row.origin != nil {
      guard row.exists else { throw Refusal("the tracker \(name) was taken off the list") }
    } else {
      guard engine.hasRoomForTracker(of: local.certificate.hash) else {
        throw Refusal("this device speaks for \(Limits.trackersPerDevice) trackers already")
      }
      let origin = RowOrigin(owner: local.author.user, nonce: nonce)
      var composer = Composer(RowState(key: key), origin: origin)
      composer.assertExistence()
      composer.set(.trackerCallsign, to: .text(name))
      writes = composer.writes
    }
    return try transact(now: now) { replica in
      try replica.take(fix, of: nonce, writes: writes, now: now)
    }
  }

  private mutating func take(
    _ fix: Fix, of nonce: Bytes16, writes: [Write], now: ClockReading
  ) throws {
    let subject = DeviceID(tracker: trackerRow(nonce))
    let seen = try monitor.observe(fix, by: subject, stepsBack: false, in: store)
    guard seen.isNewest else { return }
    batch.local.merge(seen.state) { $1 }
    let published = put(PositionReport(fix: fix, reportedAt: now.wall), of: nonce)
    let operations =
      writes.map(Operation.write) + seen.crossings.map { .trackerCrossing($0, nonce: nonce) }
    if operations.isEmpty {
      try commit(now: now)
    } else {
      try append(operations, lane: .state, now: now)
    }
    monitor.keep(seen)
    if let published { try run(.recorded([published]), now: now) }
  }

  private func trackerNonce(_ name: String) -> Bytes16 {
    Bytes16(trackerNamed: name, operation: local.operation, device: local.device)
  }

  private func trackerRow(_ nonce: Bytes16) -> RowID {
    RowID(
      operation: local.operation, origin: RowOrigin(owner: local.author.user, nonce: nonce))
  }
}
