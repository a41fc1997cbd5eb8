internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Epoch keys that arrive, and those that this device creates.
extension ReplicaCore {
  // MARK: Receiving

  /// Stores a key, and passes it to the engine. What is sealed under it is read once its epoch may
  /// be used, or at once where this device sealed it.
  mutating func learn(_ key: EpochKey, now: ClockReading) throws {
    guard epochKeys.keyring.add(key, operation: local.operation), let raw = Bytes32(key.key) else {
      return
    }
    transaction.batch.epochKeys.append(StoredEpochKey(id: key.id, key: raw))
    #if Canary
      if Canary.forgetKey.isPlanted { transaction.batch.epochKeys = [] }
    #endif
    // Frames before this key may have made others usable.
    try open(updateUsableKeys().union([key.id]), now: now)
    try run(.keyLearned(key), now: now)
    try KeyRequests.askForMore(in: &self, now: now)
  }

  /// Reads what waited for keys that may be used now.
  mutating func openUsable(now: ClockReading) throws { try open(updateUsableKeys(), now: now) }

  /// Returns the epochs whose keys may be used from now on.
  @discardableResult
  mutating func updateUsableKeys() -> Set<EpochID> {
    let (opened, hasLost) = epochKeys.keyring.use(control.ledger)
    if hasLost { transaction.markViewStale() }
    return opened
  }

  /// Reads the frames and records that waited for held keys, as far as these may be used.
  private mutating func open(_ epochs: Set<EpochID>, now: ClockReading) throws {
    guard !epochs.isEmpty else { return }
    try commit(now: now)
    epochKeys.waitedFor.subtract(epochs)
    for epoch in epochs.sorted() { try release(for: epoch, now: now) }
    let opener = opener
    for record in try context.latestRecords() where epochs.contains(record.epoch) {
      guard let opened = opener.opened(record) else { continue }
      let name = StampedRecordID(record, operation: local.operation)
      records.date(opened, named: name, now: now)
      if let position = opened.position {
        transaction.batch.positions.append(position)
        HistoryIntake.record(position, from: record, in: &self, now: now)
      }
      noteTelemetry(of: record)
    }
  }

  /// Reads waiting frames again: those for a key, or all. Returns the keys that they still need, by
  /// author.
  @discardableResult
  mutating func release(
    for epoch: EpochID?, now: ClockReading
  ) throws -> MissingEpochs {
    var place: FramePosition?
    var missing: MissingEpochs = [:]
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

  // MARK: Epochs

  /// The epoch that seals new frames.
  var currentEpoch: (id: EpochID, key: SealingKey)? { epochKeys.current(by: control) }

  /// A write does not wait for a key: if none is suitable, this device creates one.
  mutating func ensureEpoch(now: ClockReading) throws {
    guard needsEpoch else { return }
    try makeEpoch(now: now)
  }

  /// Whether no epoch is suitable for writing, and this device may create one.
  var needsEpoch: Bool {
    currentEpoch == nil && !epochKeys.keyring.isEmpty && local.author.role.reads
      && !control.isRevoked(local.device)
  }

  /// Requests the epoch for writing after a change of the control plane, and schedules a new one if
  /// necessary.
  mutating func reviewEpoch(now: ClockReading) throws {
    try KeyRequests.askForAnnounced(in: &self, now: now)
    epochKeys.schedule(
      isNeeded: needsEpoch, of: local.author.role, random: &own.random, now: now.instant)
  }

  mutating func makeDueEpoch(now: ClockReading) throws {
    guard epochKeys.takeDue(now: now.instant) else { return }
    try ensureEpoch(now: now)
  }

  mutating func makeEpoch(now: ClockReading) throws {
    let key = own.random.bytes(SealingKey.byteCount)
    let id = EpochID(operation: local.operation, key: key)
    let announcement = control.announcement(
      of: id, sealed: control.sealed(key, drawing: &own.random))
    try learn(EpochKey(id: id, key: key), now: now)
    try append([[.epoch(announcement)]], lane: .control, now: now)
  }
}
