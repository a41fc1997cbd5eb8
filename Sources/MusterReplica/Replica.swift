internal import MusterCrypto
public import MusterModel
public import MusterStore

/// One device's replica of an operation: it combines the sync engine, the store, the geofences and
/// the permissions. Synchronous, and without a clock, a socket or randomness of its own: the node
/// drives it with real ones, the simulator drives the same type with virtual ones.
///
///     datagrams ─▶ SyncEngine ─▶ frames ─▶ FrameReader ─▶ Transaction ─▶ Store (log + view)
///     commands, fixes ─▶ LogWriter ──────────┘                 │
///                                                 outgoing ◀───┘ only after the commit
///     queries ─▶ ReadContext ─▶ read models
///
/// Each call is one transaction over `ReplicaCore`, which keeps the log, the view and the engine in
/// step. What a call decides is in a type of its own, such as a `WriteRequest`, `OwnPositions`,
/// `BundleMerger` or `AlertReview`.
///
/// - Everything that it returns to be sent depends only on durable data, or on newest records of
///   other devices, which are durable within seconds (`ReceivedRecords`).
/// - A failed commit changes nothing: the engine and the logs' heads are restored from the store,
///   and the caller may retry when there is space.
public struct Replica: Sendable {
  var core: ReplicaCore
  /// The positions of this device and of its trackers.
  var positions: OwnPositions

  /// Opens the replica of a store.
  ///
  /// - Parameters:
  ///   - start: whether to continue the store's own incarnation, if it has one, or to start a new
  ///     one, as when the database may have been restored or cloned.
  ///   - seed: 32 bytes from the operating system, used nowhere else.
  ///   - systemBoot: the system's id of the current boot: the same as at the last start if, and
  ///     only if, `now.boot` continues from there.
  public init(
    store: Store, credentials: Credentials, start: Start, seed: [UInt8], systemBoot: [UInt8],
    now: ClockReading
  ) throws {
    let local = credentials.local
    let boot = BootID(
      operation: local.operation, device: local.device, systemBoot: systemBoot)
    var random = DeterministicRandom(seed: seed)
    random.stir(now.entropy)
    let logs = try store.logs()
    positions = try OwnPositions(in: store)
    core = try ReplicaCore(
      store: store, local: local, boot: boot, start: start, logs: logs, random: random, now: now)
    // What was withdrawn or used up since a backup is open in it.
    if core.own.hasBegunIncarnation { try core.store.withdrawInvite(nil, at: now.wall) }
    try core.feedEvidence(now: now)
    try core.replayControlLogs(logs, now: now)
    try core.listStoredBlobs(now: now)
    let isRebuilt = try !core.isViewCurrent
    try core.rebuildViewIfNeeded()
    try core.commit(now: now)
    try core.findJoinable()
    try SalvageJoiner.join(into: &core, now: now)
    // Only now the authors of all records are known, also after a repair.
    try core.restoreStaged(now: now)
    try core.foldStaged(now: now)
    if isRebuilt {
      core.transaction.batch.positions = try store.records().compactMap(core.opener.position)
      try core.commit(now: now)
    }
    try KeyRequests.askForWaiting(in: &core, now: now)
    try core.adoptBlobFiles(now: now)
    try Admitter.informOfInvites(in: &core, now: now)
    core.schedules.review(core.receiptState, now: now.instant)
    core.own.askForHeads(now: now.instant)
    if local.author.role.reads { core.records.startPresence(now: now.instant) }
  }

  /// The operation of the replica.
  public var operation: OperationID { core.local.operation }

  /// The device of the replica.
  public var device: DeviceID { core.local.device }

  /// The user of the device.
  public var user: UserID { core.local.author.user }

  /// The role of the device, whether or not it is revoked.
  public var role: Role { core.local.author.role }

  /// How often a replica has opened this store, including this time.
  public var starts: UInt64 { core.own.starts }

  /// The record for the sentinel, after each commit.
  public var incarnationState: IncarnationState { core.own.incarnationState }

  /// Set by the node.
  public var home: HomeCondition {
    get { core.recovery.home }
    set { core.recovery.home = newValue }
  }

  /// The number of rebuilds of the whole view since the start.
  package var viewRebuilds: Int { core.derived.rebuilds }

  /// Whether this device may continue its own logs: false for a moment after a start, until each
  /// peer in reach has reported what it holds of them. Without known peers it does not wait.
  ///
  /// A writer on this replica waits for it, up to `answerDue`. Writing without waiting may fork a
  /// log, which loses no data.
  public mutating func mayWrite(now: Instant) -> Bool {
    core.own.mayWrite(by: core.engine, now: now)
  }

  /// The time until which the peers' answers are awaited; nil if none are.
  public var answerDue: Instant? { core.own.answerDue(by: core.engine) }

  /// When `passDeadlines` is to be called.
  public var nextDeadline: Instant? {
    guard let next = core.deadlines.compactMap(\.self).min() else { return nil }
    return core.recovery.failure.map { max(next, $0.restEnds) } ?? next
  }
}
