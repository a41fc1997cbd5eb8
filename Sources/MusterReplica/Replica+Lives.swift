internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// The incarnations of this device's own database: it yields to one that has written, and detects a
/// live clone. See `LifeWatch`.
extension Replica {
  // MARK: Incarnations of this device

  /// Checks frames that other devices sent: only this program may write this device's own logs. A
  /// copy of its database that writes to the same log creates a fork; one that writes in a later
  /// incarnation proves that this one was restored.
  mutating func reviewLife(
    after frames: [Frame], opening: Opening, now: ClockReading
  ) throws {
    guard opening.certificate == local.certificate.hash else { return }
    if opening.incarnation == writer.incarnation {
      let isWritten = frames.allSatisfy { frame in
        writer.heads[opening.lane].map { frame.sequence <= $0.sequence && $0.log == frame.strand }
          ?? false
      }
      guard !isWritten else { return }
      try beginAnew("a copy of this device's database has written", now: now)
    } else {
      let life = LifeMark(generation: opening.generation, incarnation: opening.incarnation)
      try hear(life, now: now)
    }
  }

  /// Checks a record, which may be the first evidence of another incarnation whose records count as
  /// newer, or may prove that the other one is live now.
  mutating func reviewLife(after record: LatestRecord, now: ClockReading) throws {
    guard record.certificate == local.certificate.hash else { return }
    guard record.order.incarnation != writer.incarnation else {
      guard record.order.counter > recordCounter else { return }
      recordCounter = record.order.counter
      return try beginAnew("a copy of this device's database has published a record", now: now)
    }
    let speaker = LifeMark(record.order)
    lives.take(record.otherLives, by: speaker)
    try hear(speaker, now: now)
  }

  private mutating func hear(_ life: LifeMark, now: ClockReading) throws {
    lives.hear(life)
    guard life.generation >= writer.generation, lives.mayYield else { return }
    lives.noteYield()
    try beginAnew(
      "this device has written in another incarnation of its database", above: life.generation,
      now: now)
  }

  private mutating func beginAnew(
    _ reason: String, above generation: UInt32 = 0, now: ClockReading
  ) throws {
    try commit(now: now)
    let logs = try store.logs()
    let newest = max(
      generation, Self.newestGeneration(in: logs, try latestRecords(), of: local))
    let life = LifeMark(
      generation: Self.generation(after: max(newest, writer.generation)),
      incarnation: Incarnation(raw: random.bytes16()))
    writer = LogWriter(
      local: local, incarnation: life.incarnation, generation: life.generation, logs: logs)
    lives.begin(life)
    keepLife()
    question = nil
    try commit(now: now)
    try run(.begunAnew(life.incarnation), now: now)
    transaction.outcome.remarks.append("\(reason): this one starts a new incarnation")
  }

  // MARK: Published records

  /// Publishes that other incarnations are known, and that this device has a live clone.
  mutating func tellLives(now: ClockReading) throws {
    guard !lives.owes.isEmpty else { return }
    let owed = lives.owes
    var told: [LatestRecord] = []
    if owed.contains(.livesHeard) {
      told.append(
        .livesHeard(
          lives.heard, operation: local.operation, certificate: local.certificate.hash,
          order: nextRecordOrder(), signedBy: local.signingKey))
    }
    if owed.contains(.clone), let proof = lives.proof, !isCloneTold {
      told.append(
        .clone(
          CloneReport(other: proof, noticedAt: now.wall), operation: local.operation,
          certificate: local.certificate.hash, order: nextRecordOrder(), signedBy: local.signingKey)
      )
      transaction.outcome.remarks.append(
        "this device has a live clone: its home was copied, or its key was stolen")
    }
    // The record of a greater incarnation stays.
    told.removeAll { record in
      engine.record(record.topic).map { $0.order >= record.order } ?? false
    }
    transaction.batch.records += told
    try commit(now: now)
    lives.noteTold(owed)
    if !told.isEmpty { try run(.recorded(told), now: now) }
  }

  /// Returns the order of a record that is about to be signed: above all earlier ones of this
  /// incarnation.
  mutating func nextRecordOrder() -> RecordOrder {
    recordCounter += 1
    return RecordOrder(
      generation: writer.generation, incarnation: writer.incarnation, counter: recordCounter)
  }

  /// Whether the other one has already reported a clone of an incarnation begun here since the
  /// start.
  private var isCloneTold: Bool {
    let topic = RecordTopic(
      operation: local.operation, certificate: local.certificate.hash, kind: .clone)
    guard let record = engine.record(topic), let report = record.clone else { return false }
    return lives.begun.contains(record.order.incarnation)
      || lives.begun.contains(report.other.incarnation)
  }

  // MARK: Clones

  /// Returns the highest generation of a device's logs and records; 0 without any.
  static func newestGeneration(
    in logs: [LogSummary], _ records: [LatestRecord], of local: LocalDevice
  ) -> UInt32 {
    let own = local.certificate.hash
    let written = logs.filter { $0.opening.certificate == own }.map(\.opening.generation).max() ?? 0
    let told = records.filter { $0.certificate == own }.map(\.order.generation).max() ?? 0
    return max(written, told)
  }

  static func generation(after newest: UInt32) -> UInt32 {
    #if Canary
      if Canary.reuseGeneration.isPlanted { return 1 }
    #endif
    return min(newest + 1, Limits.lastGeneration)
  }

  /// Stores with the next commit which incarnation writes from then on.
  mutating func keepLife() {
    transaction.batch.local[Self.incarnationKey] = writer.incarnation.bytes
    transaction.batch.local[Self.generationKey] = withUnsafeBytes(of: writer.generation.bigEndian) {
      Array($0)
    }
  }
}
