internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// The state of a replica after a disk failure, until it has written again.
struct DiskFailure: Sendable {
  /// Whether memory may differ from the disk: true until everything has been read again.
  var isBehind = true
  /// Whether a write or a sync failed, so that the contents of the write-ahead log on disk are
  /// unknown.
  var mayHaveLostWrites = false
  /// Addresses that were being tried, for the new engine.
  var contacts: [Endpoint] = []
  /// Until then it accepts no data from peers: it could not be stored, and peers would retransmit
  /// it at once.
  var restEnds = Instant(microseconds: 0)
  var restMilliseconds: Int64 = 0

  static let firstRestMilliseconds: Int64 = 1000
  static let lastRestMilliseconds: Int64 = 32_000
}

extension Replica {
  /// Whether the disk has failed, and memory may differ from it until everything has been read
  /// again.
  public var mayDifferFromDisk: Bool { diskFailure?.isBehind ?? false }

  /// Pauses the replica after a disk failure, longer each time, except for its user's commands.
  mutating func noteFailure(_ error: any Error, now: ClockReading) {
    var failure = diskFailure ?? DiskFailure()
    failure.isBehind = true
    if case .io? = error as? StoreError { failure.mayHaveLostWrites = true }
    if error is StoreError, failure.restEnds <= now.instant {
      failure.restMilliseconds = min(
        max(failure.restMilliseconds * 2, DiskFailure.firstRestMilliseconds),
        DiskFailure.lastRestMilliseconds)
      failure.restEnds = now.instant.advanced(byMilliseconds: failure.restMilliseconds)
    }
    if failure.contacts.isEmpty { failure.contacts = engine.contactEndpoints }
    diskFailure = failure
  }

  func isResting(now: ClockReading) -> Bool {
    diskFailure.map { now.instant < $0.restEnds } ?? false
  }

  static func passedOver(
    _ datagrams: [(bytes: [UInt8], from: Endpoint, link: LinkID)]
  ) -> Outcome {
    var outcome = Outcome()
    outcome.rejections = datagrams.map { ("disk fails", $0.from) }
    return outcome
  }

  /// Recovers after a failure, when memory may be ahead of the disk: everything derived is read
  /// again. Sessions end; peers reconnect after the pause.
  ///
  /// If the disk cannot be read, memory must not be used: the next call tries to recover again.
  mutating func recover(now: ClockReading) throws {
    transaction = Transaction()
    unsettled = UnsettledEvidence()
    stateTree = nil
    statusModel.markAllStale()
    if diskFailure?.mayHaveLostWrites == true {
      try store.settleLog()
      diskFailure?.mayHaveLostWrites = false
    }
    let logs = try store.logs()
    control = try Self.control(in: store, local: local)
    keyring = try Self.keyring(in: store, operation: local.operation)
    reader = FrameReader(operation: local.operation)
    writer.reset(to: logs)
    ages = try AgeTracker(store: store, observer: local.device, boot: boot, now: now)
    monitor = GeofenceMonitor()
    unpublished = try Self.unpublished(in: store)
    announceCounter += 1 << 16
    engine = Self.engine(
      local: local, writer: writer, announceCounter: announceCounter,
      roster: try Self.roster(of: control, in: store),
      logs: logs, records: try store.records(), keys: keyring.all, seed: random.bytes(32),
      now: now)
    received = ReceivedRecords()
    try feedEvidence(now: now)
    try replayControlLogs(logs, now: now)
    try restoreStaged(now: now)
    try rebuildViewIfNeeded()
    try findJoinable()
    try askForWaiting(now: now)
    try refreshInvites(now: now)
    try run(.linkRate(linkRate), now: now)
    reviewReceipts(now: now)
    try run(.contacts(diskFailure?.contacts ?? []), now: now)
    let failure = diskFailure
    try commit(now: now)
    diskFailure = failure
    diskFailure?.isBehind = false
    diskFailure?.contacts = []
  }
}
