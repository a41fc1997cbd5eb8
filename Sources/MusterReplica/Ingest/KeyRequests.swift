internal import MusterModel
internal import MusterStore
internal import MusterSync

/// The epochs whose keys frames wait for, by author.
typealias MissingEpochs = [CertificateHash: Set<EpochID>]

/// Requests the epoch keys that this device is missing from its peers, through the engine, which
/// bounds them: those of one author by a share of the table, those of announced epochs by a limit
/// of their own.
enum KeyRequests {
  /// Requests keys that frames need.
  ///
  /// - Parameter author: the author of frames under these epochs.
  static func ask(
    for missing: Set<EpochID>, of author: CertificateHash, in core: inout ReplicaCore,
    now: ClockReading
  ) throws {
    guard !missing.isEmpty, core.local.author.role.reads else { return }
    try core.run(.keysMissing(missing.sorted(), of: author), now: now)
    let counting = missing.filter { core.control.epochs[$0] != nil }
    if !counting.isEmpty { try askForAnnounced(including: counting, in: &core, now: now) }
  }

  /// Requests keys that frames of several authors need.
  static func ask(
    for missing: MissingEpochs, in core: inout ReplicaCore, now: ClockReading
  ) throws {
    for (author, epochs) in missing.sorted(by: { $0.key < $1.key }) {
      try ask(for: epochs, of: author, in: &core, now: now)
    }
  }

  /// Requests the key of a record that arrived: it may be all that its author wrote under an epoch,
  /// such as the last position before a laptop was lost.
  static func ask(
    for record: LatestRecord, in core: inout ReplicaCore, now: ClockReading
  ) throws {
    guard lacksKey(of: record, in: core),
      !core.engine.isRequesting(record.epoch, of: record.certificate)
    else { return }
    try ask(for: [record.epoch], of: record.certificate, in: &core, now: now)
  }

  private static func lacksKey(of record: LatestRecord, in core: ReplicaCore) -> Bool {
    record.epoch != .none && !core.epochKeys.keyring.holds(record.epoch)
  }

  /// The keys that newest records need.
  private static func missingForRecords(in core: ReplicaCore) throws(StoreError) -> MissingEpochs {
    var missing: MissingEpochs = [:]
    for record in try core.context.latestRecords() where lacksKey(of: record, in: core) {
      missing[record.certificate, default: []].insert(record.epoch)
    }
    return missing
  }

  /// Requests the keys of announced epochs: the one for writing, and those that frames wait for,
  /// commanders' first. They have their own limit, since an author's share may be full of epochs
  /// that are not announced.
  ///
  /// - Parameter known: epochs that frames in the batch wait for.
  static func askForAnnounced(
    including known: Set<EpochID> = [], in core: inout ReplicaCore, now: ClockReading
  ) throws {
    guard core.local.author.role.reads else { return }
    let best = core.control.ledger.bestEligible?.announcement.id
    let candidates = core.epochKeys.waitedFor.union(known).union([best].compactMap(\.self))
      .filter { !core.epochKeys.keyring.holds($0) }
    var idle: [EpochID] = []
    let wanted = try core.control.epochs.ordered(
      first: Limits.wantedEpochs, among: candidates
    ) { id in
      if id == best || known.contains(id) { return true }
      let isWaitedFor = try !core.store.waiting(for: id, after: nil, limit: 1).isEmpty
      if !isWaitedFor { idle.append(id) }
      return isWaitedFor
    }
    // Frames of the batch may wait for them.
    if core.transaction.batch.frames.isEmpty { core.epochKeys.waitedFor.subtract(idle) }
    try core.run(.keysMissing(wanted, of: nil), now: now)
  }

  /// Reads all waiting frames, and requests the keys that they and records still need. After a
  /// start they may have waited for a key that arrived just before a crash, or for a version that
  /// reads them.
  static func askForWaiting(in core: inout ReplicaCore, now: ClockReading) throws {
    var missing = try core.release(for: nil, now: now)
    try core.commit(now: now)
    missing.merge(try missingForRecords(in: core)) { $0.union($1) }
    try ask(for: missing, in: &core, now: now)
  }

  /// Requests the next keys of authors whose epochs exceeded the limit of missing keys.
  static func askForMore(in core: inout ReplicaCore, now: ClockReading) throws {
    let authors = core.engine.takeRefillableAuthors()
    guard !authors.isEmpty else { return }
    let ofRecords = try missingForRecords(in: core)
    for author in authors {
      let ofFrames = try core.store.epochsWaitedFor(
        by: author, limit: Limits.missingKeysPerAuthor)
      let missing = (ofRecords[author] ?? []).union(ofFrames)
      try ask(for: missing, of: author, in: &core, now: now)
    }
  }
}
