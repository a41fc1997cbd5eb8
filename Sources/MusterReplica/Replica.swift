internal import MusterCRDT
internal import MusterCrypto
internal import MusterGeo
public import MusterModel
public import MusterStore
internal import MusterSync

/// One device's replica of an operation: it combines the sync engine, the store, the geofences and
/// the permissions. Synchronous, and without a clock, a socket or randomness of its own: the node
/// drives it with real ones, the simulator drives the same type with virtual ones.
///
///     datagrams ─▶ SyncEngine ─▶ frames ─▶ FrameReader ─▶ Transaction ─▶ Store (log + view)
///     commands, fixes ─▶ LogWriter ──────────┘                 │
///                                                 outgoing ◀───┘ only after the commit
///     queries ─▶ ReadContext ─▶ read models
///
/// Each property is a part with its own state. This type passes what one part emits to the others,
/// and decides when the transaction is committed.
///
/// - Everything that it returns to be sent depends only on durable data, or on newest records of
///   other devices, which are durable within seconds (`ReceivedRecords`).
/// - A failed commit changes nothing: the engine and the logs' heads are restored from the store,
///   and the caller may retry when there is space.
public struct Replica {
  let store: Store
  var own: OwnDevice
  var engine: SyncEngine
  var control: ControlPlane
  var epochKeys: EpochKeys
  var records: DatedRecords
  var derived: DerivedState
  var location: OwnPositions
  var schedules = RecordSchedules()
  var recovery = RecoveryState()
  /// What the current call changes.
  var transaction = Transaction()

  static let viewKey = "view"
  /// The version of the frames' effects on the view: raised when a version understands more, so
  /// that the view is derived again from held frames.
  static let viewVersion: UInt8 = 2

  /// The versions under which a view was derived: of the frames' effects, and of the rules.
  var viewStamp: [UInt8] { [Self.viewVersion, local.rulesVersion.raw] }

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
    self.store = store
    let local = credentials.local
    let boot = BootID(
      operation: local.operation, device: local.device, systemBoot: systemBoot)
    var random = DeterministicRandom(seed: seed)
    random.stir(now.entropy)
    let (logs, newest) = (try store.logs(), try store.records())
    control = try ControlPlane(in: store, of: local)
    derived = DerivedState(operation: local.operation, opener: DuressOpener(of: local))
    derived.restoreCalls(try store.local(DuressLedger.key))
    records = try DatedRecords(in: store, of: local.device, boot: boot, now: now)
    location = try OwnPositions(in: store)
    own = try OwnDevice(
      local: local, boot: boot, store: store, start: start, logs: logs, records: newest,
      random: random)
    epochKeys = try EpochKeys(in: store, operation: local.operation)
    engine = SyncEngine(
      of: own, roster: try control.roster(in: store), logs: logs, records: newest,
      keys: epochKeys.keyring.all, seed: own.random.bytes(32), now: now)
    own.keepIncarnation(in: &transaction.batch)
    try keepProven()
    own.keepStart(in: &transaction.batch)
    try feedEvidence(now: now)
    try listStoredBlobs(now: now)
    try replayControlLogs(logs, now: now)
    let isRebuilt = try store.local(Self.viewKey) != viewStamp
    try rebuildViewIfNeeded()
    try commit(now: now)
    try findJoinable()
    try joinSetAside(now: now)
    // Only now the authors of all records are known, also after a repair.
    try restoreStaged(now: now)
    try foldStaged(now: now)
    if isRebuilt {
      transaction.batch.positions = try store.records().compactMap(opener.position)
      try commit(now: now)
    }
    try askForWaiting(now: now)
    try adoptBlobFiles(now: now)
    try refreshInvites(now: now)
    reviewReceipts(now: now)
    own.askForHeads(now: now.instant)
    if local.author.role.reads { records.startPresence(now: now.instant) }
  }

  /// Moves certificates to their place since version 6 of the database.
  private mutating func keepProven() throws {
    guard let proven = try SignedCertificate.proven(in: store) else { return }
    transaction.batch.certificates = proven.map { StoredCertificate($0) }
    transaction.batch.forgotten.insert(SignedCertificate.provenKey)
  }

  var local: LocalDevice { own.local }
  /// Decrypts records, with the keys and authors that are known now.
  var opener: RecordOpener {
    RecordOpener(operation: local.operation, keyring: epochKeys.keyring, control: control)
  }
  /// The operation of the replica.
  public var operation: OperationID { local.operation }
  /// The device of the replica.
  public var device: DeviceID { local.device }
  /// How often a replica has opened this store, including this time.
  public var starts: UInt64 { own.starts }
  /// The record for the sentinel, after each commit.
  public var incarnationState: IncarnationState { own.incarnationState }
  /// Set by the node.
  public var home: HomeCondition {
    get { recovery.home }
    set { recovery.home = newValue }
  }
  /// The number of rebuilds of the whole view since the start.
  package var viewRebuilds: Int { derived.rebuilds }
  /// Whether this device may continue its own logs: false for a moment after a start, until each
  /// peer in reach has reported what it holds of them. Without known peers it does not wait.
  ///
  /// A writer on this replica waits for it, up to `answerDue`. Writing without waiting may fork a
  /// log, which loses no data.
  public mutating func mayWrite(now: Instant) -> Bool { own.mayWrite(by: engine, now: now) }
  /// The time until which the peers' answers are awaited; nil if none are.
  public var answerDue: Instant? { own.answerDue(by: engine) }
  /// When `passDeadlines` is to be called.
  public var nextDeadline: Instant? {
    let due = [
      engine.nextDeadline, epochKeys.due, derived.photos.reviewAt,
    ]
    let wanted = (due + records.deadlines + schedules.deadlines).compactMap(\.self)
    guard let next = wanted.min() else { return nil }
    return recovery.failure.map { max(next, $0.restEnds) } ?? next
  }

  // MARK: Opening

  /// Replays the control logs: the control plane is a function of them, and is derived at each
  /// start.
  mutating func replayControlLogs(_ logs: [LogSummary], now: ClockReading) throws {
    var found: [EpochKey] = []
    for summary in logs where summary.opening.lane == .control {
      var next = max(summary.first, 1)
      while next <= summary.head.sequence {
        let frames = try store.frames(
          log: summary.head.log, from: next, maxBytes: 1 << 20, maxFrames: 1024)
        guard let last = frames.last else { break }
        for frame in frames { found += try takeControl(frame, opening: summary.opening) }
        next = last.sequence + 1
      }
    }
    try control.settleLineage(logs, in: store)
    derived.statusModel.markRosterStale()
    try proveForks(logs, now: now)
    for key in found { try learn(key, now: now) }
    try feedRoster(now: now)
    try reviewEpoch(now: now)
  }

  /// Adds a control frame's operations, and returns the keys that it contains for this device.
  private mutating func takeControl(
    _ frame: Frame, opening: Opening
  ) throws(StoreError) -> [EpochKey] {
    let reading = try derived.reader.read(
      frame, opening: opening, standing: .unknown, keyring: epochKeys.keyring, lookup: { _ in nil })
    guard case .control(let operations) = reading else { return [] }
    control.add(operations, of: frame, in: opening)
    return epochKeys.sealed(in: operations, to: local)
  }

  /// Derives the view again after an upgrade, including one of the rules only, or when `verify`
  /// found it wrong.
  mutating func rebuildViewIfNeeded() throws {
    guard try store.local(Self.viewKey) != viewStamp else { return }
    try rebuildView()
  }

  /// Derives the view again from the log: after an upgrade, and when a cut-off changes which frames
  /// count.
  ///
  /// - Parameter beginsIndex: whether later changes cost only the rows that they concern.
  mutating func rebuildView(beginsIndex: Bool = false) throws {
    let derivation = try derived.rebuildView(
      of: store, by: control, keyring: epochKeys.keyring, beginsIndex: beginsIndex)
    epochKeys.waitedFor = derivation.waitedFor
    publish(derivation.outcome)
    location.monitor.fencesChanged()
    transaction.markViewCurrent(viewStamp)
  }

  /// Derives the rows again that frames wrote; returns false if the whole view must be rebuilt.
  mutating func rederive(_ ranges: [FrameRange]) throws -> Bool {
    let derivation = try derived.rederive(
      ranges, of: store, by: control, keyring: epochKeys.keyring)
    guard let derivation else { return false }
    epochKeys.waitedFor.formUnion(derivation.waitedFor)
    publish(derivation.outcome)
    transaction.markViewCurrent(viewStamp)
    return true
  }
}
