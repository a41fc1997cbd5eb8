internal import MusterCrypto
public import MusterModel
internal import MusterStore
internal import MusterSync

extension Replica {
  /// Takes a fix of this device: keeps it, publishes the position, and authors the crossings that
  /// it shows, all in one transaction with the detector's new state.
  public mutating func ingest(_ fix: Fix, now: ClockReading) throws -> Outcome {
    try transact(now: now) { replica in
      try replica.take(fix, now: now)
    }
  }

  private mutating func take(_ fix: Fix, now: ClockReading) throws {
    let report = PositionReport(fix: fix, reportedAt: now.wall)
    let epoch = currentEpoch
    let isNewest = monitor.detector.lastSampleTime.map { fix.sampleTime > $0 } ?? true
    let crossings = try monitor.observe(fix, by: local.device, in: store)
    batch.local[GeofenceMonitor.stateKey] = monitor.detector.encoded()
    batch.fixes.append(report)
    var published: LatestRecord?
    // A late fix belongs to the track and never flips the present.
    if let epoch, isNewest {
      let record = record(report, epoch: epoch)
      batch.records.append(record)
      if let position = opened(record) { batch.positions.append(position) }
      published = record
    }
    if crossings.isEmpty {
      try commit(now: now)
    } else {
      try append(crossings.map(Operation.crossing), lane: .state, now: now)
    }
    if let published { try run(.recorded([published]), now: now) }
  }

  private mutating func record(
    _ report: PositionReport, epoch: (id: EpochID, key: SealingKey)
  ) -> LatestRecord {
    recordCounter += 1
    return .position(
      report, operation: local.operation, certificate: local.certificate.hash,
      order: RecordOrder(
        generation: writer.generation, incarnation: writer.incarnation, counter: recordCounter),
      epoch: epoch.id, key: epoch.key, nonce: random.nonce24(), signedBy: local.signingKey)
  }
}
