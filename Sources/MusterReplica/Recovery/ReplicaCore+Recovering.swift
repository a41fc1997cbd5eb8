internal import MusterModel
internal import MusterStore
internal import MusterSync

extension ReplicaCore {
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
    try epochKeys.reload(from: store, of: local)
    derived.restoreCalls(try store.local(DuressLedger.key))
    own.writer.reset(to: logs)
    try records.reload(from: store, of: local.device, boot: own.boot, now: now)
    monitor = GeofenceMonitor()
    own.takeAnnounceCounters()
    engine = SyncEngine(
      of: own, roster: try control.roster(in: store), logs: logs, records: try store.records(),
      keys: epochKeys.keyring.all, seed: own.random.bytes(32), now: now)
    try feedEvidence(now: now)
    try replayControlLogs(logs, now: now)
    try listStoredBlobs(now: now)
    try restoreStaged(now: now)
    try rebuildViewIfNeeded()
    try findJoinable()
    try KeyRequests.askForWaiting(in: &self, now: now)
    try Admitter.informOfInvites(in: &self, now: now)
    try run(.linkRate(recovery.linkRate), now: now)
    schedules.review(receiptState, now: now.instant)
    try run(.contacts(recovery.failure?.contacts ?? []), now: now)
    let failure = recovery.failure
    try commit(now: now)
    recovery.noteRecovered(from: failure)
  }

  /// Marks all salvaged frames to be tried.
  mutating func findJoinable() throws(StoreError) {
    recovery.setAside(try SalvagedFrames(context: context).logs())
  }
}
