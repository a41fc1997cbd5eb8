internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// The incarnations of this device's own database: it yields to one that has written, and detects a
/// live clone. See `CloneDetector`.
extension Replica {
  // MARK: Incarnations of this device

  /// Checks frames that other devices sent: only this program may write this device's own logs. A
  /// copy of its database that writes to the same log creates a fork; one that writes in a later
  /// incarnation proves that this one was restored.
  mutating func reviewIncarnation(
    after frames: [Frame], opening: Opening, now: ClockReading
  ) throws {
    guard opening.certificate == local.certificate.hash else { return }
    if opening.incarnation == own.writer.incarnation {
      guard !own.hasWritten(frames, in: opening.lane) else { return }
      try startIncarnation("a copy of this device's database has written", now: now)
    } else {
      let incarnationName = IncarnationName(
        generation: opening.generation, incarnation: opening.incarnation)
      try observe(incarnationName, now: now)
    }
  }

  /// Checks a record, which may be the first evidence of another incarnation whose records count as
  /// newer, or may prove that the other one is live now.
  mutating func reviewIncarnation(after record: LatestRecord, now: ClockReading) throws {
    guard record.certificate == local.certificate.hash else { return }
    guard record.order.incarnation != own.writer.incarnation else {
      guard own.isBehind(record.order) else { return }
      return try startIncarnation(
        "a copy of this device's database has published a record", now: now)
    }
    let author = IncarnationName(record.order)
    own.cloneDetector.take(record.otherIncarnations, by: author)
    try observe(author, now: now)
  }

  private mutating func observe(_ incarnationName: IncarnationName, now: ClockReading) throws {
    own.cloneDetector.observe(incarnationName)
    guard incarnationName.generation >= own.writer.generation, own.cloneDetector.mayYield else {
      return
    }
    own.cloneDetector.noteYield()
    try startIncarnation(
      "this device has written in another incarnation of its database",
      above: incarnationName.generation,
      now: now)
  }

  private mutating func startIncarnation(
    _ reason: String, above generation: UInt32 = 0, now: ClockReading
  ) throws {
    try commit(now: now)
    let logs = try store.logs()
    let newest = max(
      generation, OwnDevice.newestGeneration(in: logs, try context.latestRecords(), of: local))
    own.startIncarnation(above: newest, logs: logs)
    own.keepIncarnation(in: &transaction.batch)
    try commit(now: now)
    try run(.startedIncarnation(own.writer.incarnation), now: now)
    transaction.outcome.remarks.append("\(reason): this one starts a new incarnation")
  }

  // MARK: Published records

  /// Publishes that other incarnations are known, and that this device has a live clone.
  mutating func publishCloneRecords(now: ClockReading) throws {
    guard !own.cloneDetector.owes.isEmpty else { return }
    let owed = own.cloneDetector.owes
    var records = own.cloneRecords(beside: engine, now: now.wall)
    if records.contains(where: { $0.kind == .clone }) {
      transaction.outcome.remarks.append(
        "this device has a live clone: its home was copied, or its key was stolen")
    }
    // The record of a greater incarnation stays.
    records.removeAll { record in
      engine.record(record.topic).map { $0.order >= record.order } ?? false
    }
    try publish(records, now: now)
    own.cloneDetector.notePublished(owed)
  }
}
