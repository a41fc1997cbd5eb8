internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Missing epoch keys, and received ones.
extension Replica {
  // MARK: Requesting

  /// - Parameter author: the author of frames under these epochs.
  mutating func ask(
    for missing: Set<EpochID>, of author: CertificateHash, now: ClockReading
  ) throws {
    guard !missing.isEmpty, local.author.role.reads else { return }
    try run(.keysMissing(missing.sorted(), of: author), now: now)
    let counting = missing.filter { control.epochs[$0] != nil }
    if !counting.isEmpty { try askForAnnounced(including: counting, now: now) }
  }

  /// Requests the keys of announced epochs: the one for writing, and those that frames wait for,
  /// commanders' first. They have their own limit, since an author's share may be full of epochs
  /// that are not announced.
  ///
  /// - Parameter known: epochs that frames in the batch wait for.
  mutating func askForAnnounced(
    including known: Set<EpochID> = [], now: ClockReading
  ) throws {
    guard local.author.role.reads else { return }
    let best = control.ledger.bestEligible?.announcement.id
    var idle: [EpochID] = []
    let wanted = try control.epochs.ordered(first: Limits.wantedEpochs) { id in
      guard epochKeys.keyring[id] == nil else { return false }
      if id == best || known.contains(id) { return true }
      guard epochKeys.waitedFor.contains(id) else { return false }
      let isWaitedFor = try !store.waiting(for: id, after: nil, limit: 1).isEmpty
      if !isWaitedFor { idle.append(id) }
      return isWaitedFor
    }
    // Frames of the batch may wait for them.
    if transaction.batch.frames.isEmpty { epochKeys.waitedFor.subtract(idle) }
    try run(.keysMissing(wanted, of: nil), now: now)
  }

  /// Reads all waiting frames, and requests the keys that they still need. After a start they may
  /// have waited for a key that arrived just before a crash, or for a version that reads them.
  mutating func askForWaiting(now: ClockReading) throws {
    let missing = try release(for: nil, now: now)
    try commit(now: now)
    for (author, epochs) in missing.sorted(by: { $0.key < $1.key }) {
      try ask(for: epochs, of: author, now: now)
    }
  }

  /// Requests the next keys of authors whose epochs exceeded the limit of missing keys.
  private mutating func askForMore(now: ClockReading) throws {
    for author in engine.takeRefillableAuthors() {
      let missing = try store.epochsWaitedFor(by: author, limit: Limits.missingKeysPerAuthor)
      try ask(for: Set(missing), of: author, now: now)
    }
  }

  // MARK: Receiving

  /// Stores a key, reads the frames that waited for it, and makes it available to peers.
  mutating func learn(_ key: EpochKey, now: ClockReading) throws {
    guard epochKeys.keyring.add(key, operation: local.operation), let raw = Bytes32(key.key) else {
      return
    }
    transaction.batch.epochKeys.append(StoredEpochKey(id: key.id, key: raw))
    #if Canary
      if Canary.forgetKey.isPlanted { transaction.batch.epochKeys = [] }
    #endif
    try commit(now: now)
    epochKeys.waitedFor.remove(key.id)
    try release(for: key.id, now: now)
    let opener = opener
    for record in try context.latestRecords() where record.epoch == key.id {
      guard let opened = opener.opened(record) else { continue }
      let name = StampedRecordID(record, operation: local.operation)
      records.date(opened, named: name, now: now)
      if let position = opened.position { transaction.batch.positions.append(position) }
      noteTelemetry(of: record)
    }
    try run(.keyLearned(key), now: now)
    try askForMore(now: now)
  }

  /// Reads waiting frames again: those for a key, or all. Returns the keys that they still need, by
  /// author.
  @discardableResult
  mutating func release(
    for epoch: EpochID?, now: ClockReading
  ) throws -> [CertificateHash: Set<EpochID>] {
    var place: FramePosition?
    var missing: [CertificateHash: Set<EpochID>] = [:]
    while true {
      let frames = try store.waiting(for: epoch, after: place, limit: 1024)
      guard let last = frames.last else { return missing }
      for waiting in frames {
        let reading = try read(
          waiting.frame, opening: waiting.opening,
          standing: control.standing(of: waiting.frame, opening: waiting.opening))
        guard case .view(let application, let completes, let stamp) = reading else { continue }
        try date(waiting.frame, of: waiting.opening, application, stamp, now: now)
        if case .waiting(.key(let epoch)) = application {
          epochKeys.waitedFor.insert(epoch)
          missing[waiting.opening.certificate, default: []].insert(epoch)
        }
        if case .waiting(let reason) = application, reason == waiting.reason { continue }
        transaction.batch.released.append(
          ReleasedFrame(place: waiting.frame.place, application: application))
        for place in completes {
          transaction.batch.released.append(ReleasedFrame(place: place, application: .nothing))
        }
      }
      place = last.frame.place
    }
  }
}
