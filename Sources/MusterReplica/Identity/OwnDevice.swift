internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// This device as an author: its keys, the incarnation of its database that writes, and the orders
/// of what it signs.
///
/// - Only this program writes the logs of its incarnation. When another one is seen that has
///   written, this one ends (`startIncarnation`).
/// - Orders of records rise within an incarnation, over restarts too: each start takes a new block
///   of the counters.
struct OwnDevice: Sendable {
  let local: LocalDevice
  /// This machine's current boot.
  let boot: BootID
  var random: DeterministicRandom
  var writer: LogWriter
  /// The other incarnations of this device, since the start.
  var cloneDetector = CloneDetector()
  /// Revoked devices that have requested readmission from this one.
  var readmissions = ReadmissionLog()
  /// The next block of announce counters is taken at each start and each recovery.
  private(set) var announceCounter: UInt64
  private var recordCounter: UInt64
  /// Nil once the peers in reach have reported what they hold of this device's logs.
  private var question: HeadsQuery?

  static let incarnationKey = "incarnation"
  static let generationKey = "generation"
  static let bootsKey = "boots"

  /// Continues the incarnation of the store, or begins a new one.
  init(
    local: LocalDevice, boot: BootID, store: Store, start: Replica.Start, logs: [LogSummary],
    records: [LatestRecord], random: DeterministicRandom
  ) throws {
    self.local = local
    self.boot = boot
    self.random = random
    #if Canary
      let start = Canary.reuseIncarnation.isPlanted ? .continues : start
    #endif
    let certificate = local.certificate.hash
    var incarnationState: Replica.IncarnationState?
    var newest = Self.newestGeneration(in: logs, records, of: local)
    switch start {
    case .continues:
      incarnationState = try Self.incarnationState(in: store, of: local)
      // A crash occurred between a fork of an own log and the new incarnation.
      if let known = incarnationState,
        logs.contains(where: { $0.isFork(of: known.incarnation, certificate) })
      {
        incarnationState = nil
      }
    case .startsIncarnation(let generation): newest = max(newest, generation)
    }
    let drawn = Incarnation(raw: self.random.bytes16())
    let incarnation = incarnationState?.incarnation ?? drawn
    let generation = incarnationState?.generation ?? Self.generation(after: newest)
    writer = LogWriter(
      local: local, incarnation: incarnation, generation: generation, logs: logs)
    if incarnationState == nil {
      cloneDetector.begin(IncarnationName(generation: generation, incarnation: drawn))
    }
    let boots = try store.local(Self.bootsKey)?.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } ?? 0
    announceCounter = (boots + 1) << 32
    recordCounter = announceCounter
    #if Canary
      if Canary.forgetCounter.isPlanted { recordCounter = 0 }
    #endif
  }

  /// Whether the present incarnation was begun since the start: the database is new, or was copied,
  /// restored or damaged.
  var hasBegunIncarnation: Bool { cloneDetector.begun.contains(writer.incarnation) }

  /// How often a replica has opened the store, including this time.
  var starts: UInt64 { announceCounter >> 32 }

  /// Takes a further block of announce counters, for a new engine.
  mutating func takeAnnounceCounters() { announceCounter += 1 << 16 }

  /// Returns the order of a record that is about to be signed: above all earlier ones of this
  /// incarnation.
  mutating func nextRecordOrder() -> RecordOrder {
    recordCounter += 1
    return RecordOrder(
      generation: writer.generation, incarnation: writer.incarnation, counter: recordCounter)
  }

  /// Draws the origin of a new row of this device's user.
  mutating func newOrigin(now: ClockReading) -> RowOrigin {
    random.stir(now.entropy)
    return RowOrigin(owner: local.author.user, nonce: random.bytes16())
  }

  /// Returns the composer of a new row of this device's user.
  mutating func compose(_ kind: EntityKind, now: ClockReading) -> Composer {
    Composer(creating: kind, origin: newOrigin(now: now), operation: local.operation)
  }

  /// Draws a key that is used once.
  mutating func drawKey(now: ClockReading) -> AgreementKey {
    random.stir(now.entropy)
    return random.agreementKey()
  }

  /// Draws the salt of a password hash.
  mutating func drawSalt(now: ClockReading) -> [UInt8] {
    random.stir(now.entropy)
    return random.bytes(PasswordHash.saltBytes)
  }

  // MARK: Incarnations

  /// The record for the sentinel.
  var incarnationState: Replica.IncarnationState {
    Replica.IncarnationState(
      incarnation: writer.incarnation, generation: writer.generation,
      sequences: writer.heads.mapValues(\.sequence))
  }

  /// Returns the incarnation that last wrote to a store; nil before the first.
  static func incarnationState(in store: Store, of local: LocalDevice) throws(StoreError) -> Replica
    .IncarnationState?
  {
    guard let bytes = try store.local(incarnationKey), let incarnation = Incarnation(bytes: bytes)
    else { return nil }
    let generation = try store.local(generationKey).flatMap { bytes -> UInt32? in
      bytes.count == 4 ? bytes.reduce(0) { $0 << 8 | UInt32($1) } : nil
    }
    let writer = LogWriter(
      local: local, incarnation: incarnation, generation: generation ?? 1,
      logs: try store.logs())
    return Replica.IncarnationState(
      incarnation: incarnation, generation: generation ?? 1,
      sequences: writer.heads.mapValues(\.sequence))
  }

  /// Stores with the next commit which incarnation writes from then on.
  func keepIncarnation(in batch: inout Batch) {
    batch.local[Self.incarnationKey] = writer.incarnation.bytes
    batch.local[Self.generationKey] = withUnsafeBytes(of: writer.generation.bigEndian) { Array($0) }
  }

  /// Stores with the next commit that the store was opened once more.
  func keepStart(in batch: inout Batch) {
    batch.local[Self.bootsKey] = withUnsafeBytes(of: starts.bigEndian) { Array($0) }
  }

  /// Begins a new incarnation, with a generation above all that is known.
  mutating func startIncarnation(above newest: UInt32, logs: [LogSummary]) {
    let incarnationName = IncarnationName(
      generation: Self.generation(after: max(newest, writer.generation)),
      incarnation: Incarnation(raw: random.bytes16()))
    writer = LogWriter(
      local: local, incarnation: incarnationName.incarnation,
      generation: incarnationName.generation, logs: logs)
    cloneDetector.begin(incarnationName)
    question = nil
  }

  /// Whether this program wrote all of these frames of its own incarnation.
  func hasWritten(_ frames: [Frame], in lane: Lane) -> Bool {
    frames.allSatisfy { frame in
      writer.heads[lane].map { frame.sequence <= $0.sequence && $0.log == frame.strand } ?? false
    }
  }

  /// Returns whether another program signed a record with a greater order of this incarnation, and
  /// continues above it.
  mutating func isBehind(_ order: RecordOrder) -> Bool {
    guard order.counter > recordCounter else { return false }
    recordCounter = order.counter
    return true
  }

  /// Returns the highest generation of a device's logs and records; 0 without any.
  static func newestGeneration(
    in logs: [LogSummary], _ records: [LatestRecord], of local: LocalDevice
  ) -> UInt32 {
    let own = local.certificate.hash
    let written = logs.filter { $0.opening.certificate == own }.map(\.opening.generation).max() ?? 0
    let published = records.filter { $0.certificate == own }.map(\.order.generation).max() ?? 0
    return max(written, published)
  }

  private static func generation(after newest: UInt32) -> UInt32 {
    #if Canary
      if Canary.reuseGeneration.isPlanted { return 1 }
    #endif
    return min(newest + 1, Limits.lastGeneration)
  }

  /// Signs the records that are due about other incarnations: which are known, and that one of them
  /// is a live clone.
  mutating func cloneRecords(beside engine: SyncEngine, now: Timestamp) -> [LatestRecord] {
    var records: [LatestRecord] = []
    if cloneDetector.owes.contains(.otherIncarnations) {
      records.append(
        .otherIncarnations(
          cloneDetector.received, operation: local.operation, certificate: local.certificate.hash,
          order: nextRecordOrder(), signedBy: local.signingKey))
    }
    if cloneDetector.owes.contains(.clone), let proof = cloneDetector.proof,
      !isCloneReported(to: engine)
    {
      records.append(
        .clone(
          CloneReport(other: proof, noticedAt: now), operation: local.operation,
          certificate: local.certificate.hash, order: nextRecordOrder(),
          signedBy: local.signingKey))
    }
    return records
  }

  /// Whether the other one has already reported a clone of an incarnation begun here since the
  /// start.
  private func isCloneReported(to engine: SyncEngine) -> Bool {
    let topic = RecordTopic(
      operation: local.operation, certificate: local.certificate.hash, kind: .clone)
    guard let record = engine.record(topic), let report = record.clone else { return false }
    return cloneDetector.begun.contains(record.order.incarnation)
      || cloneDetector.begun.contains(report.other.incarnation)
  }

  // MARK: Start

  /// Asks at a start what peers hold of this device's logs, unless nothing was written in this
  /// incarnation.
  mutating func askForHeads(now: Instant) {
    let logs = writer.heads.values.map(\.log).sorted()
    question = logs.isEmpty ? nil : HeadsQuery(logs: logs, asked: now)
  }

  /// Whether this device may continue its own logs.
  mutating func mayWrite(by engine: SyncEngine, now: Instant) -> Bool {
    guard let due = answerDue(by: engine) else { return true }
    guard now < due, engine.haveShown(question?.logs ?? []) != true else {
      question = nil
      return true
    }
    return false
  }

  /// The time until which the peers' answers are awaited; nil if none are.
  func answerDue(by engine: SyncEngine) -> Instant? {
    guard let question else { return nil }
    let answers = engine.haveShown(question.logs)
    guard answers != nil || !engine.contactEndpoints.isEmpty else { return question.asked }
    return question.asked.advanced(
      byMilliseconds: answers == nil
        ? HeadsQuery.aloneMilliseconds : HeadsQuery.lastMilliseconds)
  }
}

extension SyncEngine {
  /// Creates the engine of a device, from what its store holds.
  init(
    of own: OwnDevice, roster: Roster, logs: [LogSummary], records: [LatestRecord],
    keys: [EpochKey], seed: [UInt8], now: ClockReading
  ) {
    self.init(
      local: own.local, incarnation: own.writer.incarnation,
      announceCounter: own.announceCounter, roster: roster, logs: logs, records: records,
      epochKeys: keys, seed: seed, now: now)
  }
}

/// The question that a start asks before this device continues its own logs.
///
/// A restored disk, with everything beside the database, does not detect the restore; the peers do.
/// Logs that it continued before their answer would fork.
struct HeadsQuery: Hashable, Sendable {
  let logs: [LogID]
  let asked: Instant

  /// How long to wait for a first answer to a handshake, and for the complete answers of the peers.
  static let aloneMilliseconds: Int64 = 1000
  static let lastMilliseconds: Int64 = 3000
}
