internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

extension Replica {
  /// Whether the disk has failed, and memory may differ from it until everything has been read
  /// again.
  public var mayDifferFromDisk: Bool { recovery.isBehind }

  /// Recovers after a failure, when memory may be ahead of the disk: everything derived is read
  /// again. Sessions end; peers reconnect after the pause.
  ///
  /// If the disk cannot be read, memory must not be used: the next call tries to recover again.
  mutating func recover(now: ClockReading) throws {
    transaction = Transaction()
    derived.forget()
    if recovery.failure?.mayHaveLostWrites == true {
      try store.settleLog()
      recovery.noteLogSettled()
    }
    let logs = try store.logs()
    control = try ControlPlane(in: store, of: local)
    try epochKeys.reload(from: store, operation: local.operation)
    derived.restoreCalls(try store.local(DuressLedger.key))
    own.writer.reset(to: logs)
    try records.reload(from: store, of: local.device, boot: own.boot, now: now)
    try location.reload(from: store)
    own.takeAnnounceCounters()
    engine = SyncEngine(
      of: own, roster: try control.roster(in: store), logs: logs, records: try store.records(),
      keys: epochKeys.keyring.all, seed: own.random.bytes(32), now: now)
    try feedEvidence(now: now)
    try listStoredBlobs(now: now)
    try replayControlLogs(logs, now: now)
    try restoreStaged(now: now)
    try rebuildViewIfNeeded()
    try findJoinable()
    try askForWaiting(now: now)
    try refreshInvites(now: now)
    try run(.linkRate(recovery.linkRate), now: now)
    reviewReceipts(now: now)
    try run(.contacts(recovery.failure?.contacts ?? []), now: now)
    let failure = recovery.failure
    try commit(now: now)
    recovery.noteRecovered(from: failure)
  }
}
