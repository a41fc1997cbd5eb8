package import MusterModel
internal import MusterStore
internal import MusterSync

/// Membership evidence: stored, evaluated and passed on.
extension Replica {
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

  /// Makes a proof where more branches of a log are held than count.
  mutating func proveFork(of log: LogID, opening: Opening, now: ClockReading) throws {
    guard control.forkEnd(of: log) == nil else { return }
    let strands = try store.strands(of: log)
    guard strands.count(where: { !$0.isParted }) > Limits.branchesPerLog else { return }
    var witnesses: [ForkProof.Witness] = []
    for strand in strands where strand.base != nil {
      if let witness = try witness(from: strand.first, along: strand, of: strands) {
        witnesses.append(witness)
      }
    }
    try takeProof(of: opening, witnesses, now: now)
  }

  /// Makes a stronger proof where frames show that a log with too many branches forks further down.
  ///
  /// - Parameters:
  ///   - place: what they follow.
  ///   - frames: verified; the last one is signed.
  mutating func proveLowerFork(
    at place: FramePlace, with frames: [Frame], now: ClockReading
  ) throws {
    guard let log = frames.first?.log, let known = control.membership.forkProof(of: log),
      place.sequence + 1 < known.lowestFork
    else { return }
    let strands = try store.strands(of: log)
    let signed = frames.firstIndex { $0.signature != nil }
    guard let held = strands.first(where: { $0.head.log == place.log }), let signed,
      let other = ForkProof.Witness(Array(frames[...signed])),
      let own = try witness(from: place.sequence + 1, along: held, of: strands)
    else { return }
    try takeProof(of: known.opening, known.witnesses + [own, other], now: now)
  }

  /// Databases from before proofs were made hold branches alone.
  mutating func proveForks(_ logs: [LogSummary], now: ClockReading) throws {
    for summary in logs where summary.base == nil && summary.isParted {
      try proveFork(of: summary.head.log, opening: summary.opening, now: now)
    }
  }

  private mutating func takeProof(
    of opening: Opening, _ witnesses: [ForkProof.Witness], now: ClockReading
  ) throws {
    var chain: [SignedCertificate] = []
    if opening.certificate != .root {
      guard let leaf = control.signed(opening.certificate), let known = control.chain(of: leaf)
      else { return }
      chain = known
    }
    guard
      let proof = ForkProof(
        opening: opening, chain: chain, witnesses: witnesses, operation: local.operation)
    else { return }
    try take(EvidenceItem(proof, operation: local.operation), now: now)
  }

  /// Proves one frame of a strand, by frames of the strand and of one that goes on from it.
  private func witness(
    from sequence: UInt64, along strand: LogSummary, of strands: [LogSummary]
  ) throws(StoreError) -> ForkProof.Witness? {
    let frames = try path(from: sequence, along: strand, of: strands)
    guard let signed = frames.firstIndex(where: { $0.signature != nil }) else { return nil }
    return ForkProof.Witness(Array(frames[...signed]))
  }

  /// Frames from a sequence on, of a strand and of one of those that go on from it: as many as hold
  /// a signed one.
  private func path(
    from sequence: UInt64, along strand: LogSummary, of strands: [LogSummary]
  ) throws(StoreError) -> [Frame] {
    var tip = strand
    while tip.isParted,
      let next = strands.filter({ $0.base?.parent == tip.head.log })
        .min(by: { $0.head.log < $1.head.log })
    {
      tip = next
    }
    return try store.frames(
      log: tip.head.log, from: sequence, maxBytes: .max,
      maxFrames: Int(Limits.signatureInterval))
  }

  /// Frames for a peer, and those after them up to a signed one: where a log with more branches
  /// than count ends in an unsigned frame, a branch proves it.
  func proved(_ frames: [Frame], of log: LogID) throws(StoreError) -> [Frame] {
    guard let last = frames.last, last.signature == nil, last.log == log,
      control.forkEnd(of: log) != nil
    else { return frames }
    let strands = try store.strands(of: log)
    guard let trunk = strands.first(where: { $0.head.log == log }), trunk.isParted,
      trunk.head.sequence == last.sequence
    else { return frames }
    var proved = frames
    for frame in try path(from: last.sequence + 1, along: trunk, of: strands) {
      proved.append(frame)
      if frame.signature != nil { return proved }
    }
    return frames
  }

  /// The membership evidence and the counting certificates, for checkers: nodes with equal evidence
  /// have the same members once they hold the same frames.
  package var membership: (evidence: [EvidenceID], members: Set<CertificateHash>) {
    (control.membership.items.map(\.id), Set(control.admissions.map(\.signed.hash)))
  }
}

/// What is known of forks and membership evidence and was not evaluated yet.
struct UnsettledEvidence: Sendable {
  /// Whether new frames of a forked log, or evidence, may change which frames are within cut-offs.
  var isLineageStale = false
  private var added: [EvidenceItem] = []
  private var removed: [EvidenceID] = []

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
