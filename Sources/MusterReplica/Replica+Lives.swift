internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// The lives of this device's own database: one goes on where another has written, and two that are
/// in use at once find one another. See `LifeWatch`.
extension Replica {
  // MARK: What comes of this device

  /// After frames that came from others: this device's own logs must have come from itself alone.
  /// A copy of its database that writes in the same log makes a fork; one that writes in a later
  /// life shows that this one was restored.
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

  /// A record may be the first that is heard of another life, whose records count for newer; and it
  /// may show that the other is in use at this moment.
  mutating func reviewLife(after record: LatestRecord, now: ClockReading) throws {
    guard record.certificate == local.certificate.hash else { return }
    guard record.order.incarnation != writer.incarnation else {
      guard record.order.counter > recordCounter else { return }
      recordCounter = record.order.counter
      return try beginAnew("a copy of this device's database has told something", now: now)
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
      "this device has written in another life of its database", above: life.generation, now: now)
  }

  private mutating func beginAnew(
    _ reason: String, above generation: UInt32 = 0, now: ClockReading
  ) throws {
    try commit(now: now)
    let logs = try store.logs()
    let newest = max(
      generation, Self.newestGeneration(in: logs, try store.records(), of: local))
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
    held.remarks.append("\(reason): this one begins a new life")
  }

  // MARK: What is told

  /// Tells the other lives that they were heard of, and everybody that there are two.
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
      held.remarks.append(
        "this device is in use twice: its home was copied, or its key was stolen")
    }
    // What a greater life has said stays.
    told.removeAll { record in
      engine.record(record.topic).map { $0.order >= record.order } ?? false
    }
    batch.records += told
    try commit(now: now)
    lives.noteTold(owed)
    if !told.isEmpty { try run(.recorded(told), now: now) }
  }

  /// That of a record which is about to be signed: above all that this life has given.
  mutating func nextRecordOrder() -> RecordOrder {
    recordCounter += 1
    return RecordOrder(
      generation: writer.generation, incarnation: writer.incarnation, counter: recordCounter)
  }

  /// Whether it was said already of lives that were begun here since the start: by the other one.
  private var isCloneTold: Bool {
    let topic = RecordTopic(
      operation: local.operation, certificate: local.certificate.hash, kind: .clone)
    guard let record = engine.record(topic), let report = record.clone else { return false }
    return lives.begun.contains(record.order.incarnation)
      || lives.begun.contains(report.other.incarnation)
  }

  // MARK: What is known

  /// Devices that are in use twice, as they say themselves, until they are revoked.
  func clones() throws(StoreError) -> [CloneSummary] {
    var clones: [CloneSummary] = []
    for record in engine.cloneRecords {
      guard let report = record.clone, let author = control.author(of: record.certificate),
        !control.isRevoked(author.device)
      else { continue }
      clones.append(
        CloneSummary(
          device: author.device, callsign: try callsign(of: author.user),
          life: LifeMark(record.order), other: report.other, noticedAt: report.noticedAt))
    }
    return clones.sorted { ($0.device, $1.noticedAt) < ($1.device, $0.noticedAt) }
  }

  /// The highest that a device's logs and records show; 0 where it has none.
  static func newestGeneration(
    in logs: [LogSummary], _ records: [LatestRecord], of local: LocalDevice
  ) -> UInt32 {
    let own = local.certificate.hash
    let written = logs.filter { $0.opening.certificate == own }.map(\.opening.generation).max() ?? 0
    let told = records.filter { $0.certificate == own }.map(\.order.generation).max() ?? 0
    return max(written, told)
  }

  static func generation(after newest: UInt32) -> UInt32 { min(newest + 1, Limits.lastGeneration) }

  /// Notes for the next commit which life writes from then on.
  mutating func keepLife() {
    batch.local[Self.incarnationKey] = writer.incarnation.bytes
    batch.local[Self.generationKey] = withUnsafeBytes(of: writer.generation.bigEndian) { Array($0) }
  }
}
