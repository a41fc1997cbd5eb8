internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// What a replica holds, kept consistent: log and view on disk, the engine, the control plane
/// and the keys. Everything that enters them, from peers or from this device, passes here.
///
///     engine ─ effects ─▶ hold, take ─▶ Transaction ─ commit ─▶ Store
///        ▲                 control plane, keys, forks │
///        └─────────────── run ◀─ what is durable ◀────┘
///
/// Each property is a part with its own state. This type passes what one part emits to the others.
/// It knows no commands and no queries: those are calls of `Replica`, each of which is one
/// transaction.
///
/// - The engine is informed of frames, evidence and own records only after their commit.
/// - After a commit the control plane, the view and the statuses contain what was committed.
/// - After an error of the store memory may be ahead of the disk, until `recover` has read
///   everything again.
struct ReplicaCore: Sendable {
  private(set) var store: Store
  var own: OwnDevice
  var engine: SyncEngine
  var control: ControlPlane
  var epochKeys: EpochKeys
  var records: DatedRecords
  var derived: DerivedState
  /// The zones, and how this device and its trackers stand to them.
  var monitor = GeofenceMonitor()
  var schedules: RecordSchedules
  var recovery = RecoveryState()
  /// What this node learnt of people, and when.
  var history = HistoryRecorder()
  /// What the current call changes.
  var transaction = Transaction()

  static let viewKey = "view"
  /// The version of the frames' effects on the view: raised when a version understands more, so
  /// that the view is derived again from held frames.
  static let viewVersion: UInt8 = 3

  /// Reads the parts of a store.
  ///
  /// - Parameter logs: those of the store.
  init(
    store: Store, local: LocalDevice, boot: BootID, start: Replica.Start, logs: [LogSummary],
    random: DeterministicRandom, now: ClockReading
  ) throws {
    self.store = store
    let newest = try store.records()
    control = try ControlPlane(in: store, of: local)
    derived = DerivedState(operation: local.operation, opener: DuressOpener(of: local))
    derived.restoreCalls(try store.local(DuressLedger.key))
    records = try DatedRecords(in: store, of: local.device, boot: boot, now: now)
    schedules = RecordSchedules(of: local.author.role)
    own = try OwnDevice(
      local: local, boot: boot, store: store, start: start, logs: logs, records: newest,
      random: random)
    epochKeys = try EpochKeys(in: store, of: local)
    engine = SyncEngine(
      of: own, roster: try control.roster(in: store), logs: logs, records: newest,
      keys: epochKeys.keyring.all, seed: own.random.bytes(32), now: now)
    own.keepIncarnation(in: &transaction.batch)
    try keepProven()
    own.keepStart(in: &transaction.batch)
  }

  /// Moves certificates to their place since version 6 of the database.
  private mutating func keepProven() throws {
    guard let proven = try SignedCertificate.proven(in: store) else { return }
    transaction.batch.certificates = proven.map { StoredCertificate($0) }
    transaction.batch.forgotten.insert(SignedCertificate.provenKey)
  }

  var local: LocalDevice { own.local }

  /// The versions under which a view was derived: of the frames' effects, and of the rules.
  var viewStamp: [UInt8] { [Self.viewVersion, local.rulesVersion.raw] }

  /// Whether the view on disk is of this version.
  var isViewCurrent: Bool {
    get throws(StoreError) { try store.local(Self.viewKey) == viewStamp }
  }

  /// When work is due, of each part that has any.
  var deadlines: [Instant?] {
    [engine.nextDeadline, epochKeys.due, derived.photos.reviewAt] + records.deadlines
      + schedules.deadlines
  }

  /// Decrypts records, with the keys and authors that are known now.
  var opener: RecordOpener {
    RecordOpener(operation: local.operation, keyring: epochKeys.keyring, control: control)
  }

  /// What the read models read, now.
  var context: ReadContext {
    ReadContext(
      store: store, local: local, control: control, received: records.received,
      uncommitted: transaction.writeGroup?.rows ?? [:])
  }

  /// The queries of what is held now.
  var queries: Queries {
    Queries(
      context: context, engine: engine, epochKeys: epochKeys, monitor: monitor,
      photoKeeper: derived.photos, excess: derived.excess, heads: own.writer.heads)
  }

  /// Reads a snapshot of the store from now on, as a copy that is only read.
  mutating func read(_ snapshot: Store) { store = snapshot }

  // MARK: Deriving

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
    updateUsableKeys()
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
    guard try !isViewCurrent else { return }
    try rebuildView()
  }

  /// Derives the view again from the log: after an upgrade, and when a cut-off changes which frames
  /// count.
  ///
  /// - Parameter beginsIndex: whether later changes cost only the rows that they concern.
  /// - Returns: the keys that frames wait for.
  @discardableResult
  mutating func rebuildView(beginsIndex: Bool = false) throws -> MissingEpochs {
    let derivation = try derived.rebuildView(
      of: store, by: control, keyring: epochKeys.keyring, beginsIndex: beginsIndex)
    epochKeys.waitedFor = Set(derivation.missing.values.joined())
    publish(derivation.outcome)
    monitor.fencesChanged()
    transaction.markViewCurrent(viewStamp)
    return derivation.missing
  }

  /// Derives the rows again that frames wrote. Returns the keys that they wait for; nil if the
  /// whole view must be rebuilt.
  mutating func rederive(_ ranges: [FrameRange]) throws -> MissingEpochs? {
    let derivation = try derived.rederive(
      ranges, of: store, by: control, keyring: epochKeys.keyring)
    guard let derivation else { return nil }
    epochKeys.waitedFor.formUnion(derivation.missing.values.joined())
    publish(derivation.outcome)
    transaction.markViewCurrent(viewStamp)
    return derivation.missing
  }
}
