internal import MusterCRDT
internal import MusterCrypto
internal import MusterModel
internal import MusterStatus
internal import MusterStore
internal import MusterSync

/// Membership evidence: stored, evaluated and passed on.
extension ReplicaCore {
  /// Adds an item whose signatures hold. It counts from the next commit on, so the items of a batch
  /// of datagrams cost one commit and one evaluation. Returns false if it is not held.
  @discardableResult
  mutating func note(_ item: EvidenceItem) -> Bool {
    let change = control.add(item)
    guard let added = change.added else { return false }
    transaction.batch.evidence.removeAll { change.removed.contains($0.id) }
    transaction.batch.evidence.append(StoredEvidence(added))
    transaction.batch.replacedEvidence += change.removed
    transaction.unsettled.note(added, removed: change.removed)
    return true
  }

  /// Adds an item that counts on return. Returns false if it is not held.
  @discardableResult
  mutating func take(_ item: EvidenceItem, now: ClockReading) throws -> Bool {
    let isHeld = note(item)
    try commit(now: now)
    return isHeld
  }

  /// Informs the engine of what is durable.
  mutating func informOfEvidence(now: ClockReading) throws {
    let changes = transaction.unsettled.takeChanges()
    guard !changes.added.isEmpty || !changes.removed.isEmpty else { return }
    try run(.evidenceChanged(changes.added, changes.removed), now: now)
  }

  /// Informs the engine, after a start, of the held data.
  mutating func feedEvidence(now: ClockReading) throws {
    let items = control.membership.items
    if !items.isEmpty { try run(.evidenceChanged(items, []), now: now) }
  }

  // MARK: Fork proofs

  var prover: ForkProver {
    ForkProver(store: store, control: control, operation: local.operation)
  }

  /// Makes a proof where more branches of a log are held than count.
  mutating func proveFork(of log: LogID, opening: Opening, now: ClockReading) throws {
    guard let proof = try prover.proof(of: log, opening: opening) else { return }
    try take(EvidenceItem(proof, operation: local.operation), now: now)
  }

  /// Makes a stronger proof where frames show that a log with too many branches forks further down.
  ///
  /// - Parameters:
  ///   - place: what they follow.
  ///   - frames: verified; the last one is signed.
  mutating func proveLowerFork(
    at place: FramePosition, with frames: [Frame], now: ClockReading
  ) throws {
    guard let proof = try prover.proof(at: place, with: frames) else { return }
    try take(EvidenceItem(proof, operation: local.operation), now: now)
  }

  /// Databases from before proofs were made hold branches alone.
  mutating func proveForks(_ logs: [LogSummary], now: ClockReading) throws {
    for summary in logs where summary.base == nil && summary.isParted {
      try proveFork(of: summary.head.log, opening: summary.opening, now: now)
    }
  }
}

/// What is known of forks and membership evidence and was not evaluated yet.
struct UnsettledEvidence: Sendable {
  /// Whether new frames of a forked log, or evidence, may change which frames are within cut-offs.
  var isLineageStale = false
  var added: [EvidenceItem] = []
  var removed: [EvidenceID] = []

  mutating func note(_ item: EvidenceItem, removed ids: [EvidenceID]) {
    added.removeAll { ids.contains($0.id) }
    added.append(item)
    removed += ids
    isLineageStale = true
  }

  /// Takes the items of which the engine has not been informed.
  mutating func takeChanges() -> (added: [EvidenceItem], removed: [EvidenceID]) {
    defer { (added, removed) = ([], []) }
    return (added, removed)
  }
}
