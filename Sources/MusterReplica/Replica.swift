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
///     datagrams ─▶ SyncEngine ─▶ frames ─▶ FrameReader ─▶ Store (log + view, one transaction)
///     commands, fixes ─▶ LogWriter ──────────┘                 │
///                                                 outgoing ◀───┘ only after the commit
///
/// - Everything that it returns to be sent depends only on durable data, or on newest records of
///   other devices, which are durable within seconds (`ReceivedRecords`).
/// - A failed commit changes nothing: the engine and the logs' heads are restored from the store,
///   and the caller may retry when there is space.
public struct Replica {
  let store: Store
  let local: LocalDevice
  /// This machine's current boot.
  let boot: BootID
  var engine: SyncEngine
  var control: ControlPlane
  var keyring: Keyring
  var reader: FrameReader
  var writer: LogWriter
  var monitor: GeofenceMonitor
  var unpublished: UnpublishedPositions
  var random: DeterministicRandom
  var receipts = ReceiptDesk()
  var neighbours = NeighbourDesk()
  var ages: AgeTracker
  /// Records of other devices that are not in the tables of newest records yet.
  var received = ReceivedRecords()
  var presence = PresenceSchedule()
  var statusModel = StatusModel()
  var recordCounter: UInt64
  var announceCounter: UInt64
  var linkRate: LinkRate?
  /// Revoked devices that have requested readmission.
  var readmissions = ReadmissionLog()
  /// When this device creates an epoch that excludes revoked devices, unless one arrives before.
  var epochDue: Instant?

  /// What the current call changes.
  var transaction = Transaction()
  /// The number of rebuilds of the whole view since the start.
  private(set) var viewRebuilds = 0
  /// What is known of forks and membership evidence and was not evaluated yet.
  var unsettled = UnsettledEvidence()
  /// Epochs whose keys held frames wait for; some may have been waited for before.
  var epochsWaitedFor: Set<EpochID> = []
  /// How many rosters the engine has received.
  var rostersFed = 0
  /// The other incarnations of this device, since the start.
  var lives = LifeWatch()
  /// Nil once the peers in reach have reported what they hold of this device's logs.
  var question: HeadsQuery?
  /// Nil before the first request, and after the view was derived again.
  var stateTree: StateTree?
  /// Locate directives that `locationDemands` has reported.
  var knownDemands: Set<RowID> = []
  /// Nil while the disk works.
  var diskFailure: DiskFailure?
  /// Why the folder of the sentinel cannot be written, and what to do, in one line; nil while it
  /// can. Set by the node, for `status` and the alert.
  public var stateFolderProblem: String?
  /// Logs with salvaged frames, and those of them whose frames may be joined now.
  var setAside: Set<LogID> = []
  var joinable: Set<JoinableLog> = []

  /// The outcome of a call, to be processed in order.
  public struct Outcome: Sendable {
    /// Datagrams to send now; everything that they acknowledge is durable.
    public var outgoing: [Outgoing] = []
    /// Crossings that are new to this node, in arrival order.
    public var crossings: [ArrivedCrossing] = []
    /// Dropped datagrams with reason and sender, to be counted.
    public var rejections: [(reason: String, from: Endpoint)] = []
    /// Lines for the log.
    public var remarks: [String] = []
    var contacts: [RememberedPeer] = []
    /// Rows whose state has changed, sorted within each commit.
    public var changedRows: [RowKey] = []
    /// Whether a person's position has changed.
    public var hasMovement = false
    /// Whether a peer connected or was lost, or published its neighbours.
    public var hasMeshChanged = false
    /// Open locate directives for this device that were not reported since the start: a fresh fix
    /// answers them.
    public var locationDemands: [RowID] = []
    /// Whether `uplinkCertificates` has changed.
    public var haveUplinksChanged = false
    /// Uplinks whose other end has proved that it belongs to the operation.
    public var provenUplinks: [Endpoint] = []
    /// Peers that were detected as stalled.
    public var accused: [(device: DeviceID, kind: StandstillSummary.Kind)] = []
    /// Alerts raised and cleared, in the order of their ids.
    public var alertChanges: [AlertChange] = []

    /// Creates an empty outcome.
    public init() {}
  }

  /// A datagram to send.
  public enum Outgoing: Hashable, Sendable {
    /// By the link of the recipient's last datagram; if unknown, the routing table decides.
    case to(Endpoint, LinkID, [UInt8])
    /// To the announce groups of one link, or of every link.
    case multicast(LinkID?, [UInt8])
  }

  /// The current incarnation of this device's database and its progress: the sentinel's record.
  public struct Life: Hashable, Sendable {
    /// Drawn at random when this incarnation began.
    public let incarnation: Incarnation
    /// 1 for a device's first incarnation; at most `Limits.lastGeneration`.
    public let generation: UInt32
    /// This device's newest sequence in each lane.
    public let sequences: [Lane: UInt64]

    /// Creates a value from a sentinel's record.
    public init(incarnation: Incarnation, generation: UInt32, sequences: [Lane: UInt64]) {
      self.incarnation = incarnation
      self.generation = generation
      self.sequences = sequences
    }
  }

  /// How a replica opens its store.
  public enum Start: Hashable, Sendable {
    case goesOn
    /// Starts a new incarnation, with a generation above all that the store knows, and above this
    /// one from the sentinel; 0 without a record.
    case beginsAnew(above: UInt32)
  }

  static let incarnationKey = "incarnation"
  static let generationKey = "generation"
  static let bootsKey = "boots"
  static let viewKey = "view"
  static let provenKey = "proven"
  static let grantedEpochKey = "granted epoch"
  /// The version of the frames' effects on the view: raised when a version understands more, so
  /// that the view is derived again from held frames.
  static let viewVersion: UInt8 = 2

  /// The versions under which a view was derived: of the frames' effects, and of the rules.
  var viewStamp: [UInt8] { [Self.viewVersion, local.rulesVersion.raw] }

  /// Opens or creates the database file of a replica.
  ///
  /// - Parameter seed: 32 bytes for the nonces of its pages, used nowhere else.
  public static func openStore(
    at path: String, of credentials: Credentials, seed: [UInt8]
  ) throws(StoreError) -> Store {
    try Store.open(path: path, seal: credentials.pageSeal(seed: seed))
  }

  /// Returns the incarnation that last wrote to a store; nil before the first.
  public static func life(
    in store: Store, of credentials: Credentials
  ) throws(StoreError) -> Life? {
    guard let bytes = try store.local(incarnationKey), let incarnation = Incarnation(bytes: bytes)
    else { return nil }
    let generation = try store.local(generationKey).flatMap { bytes -> UInt32? in
      bytes.count == 4 ? bytes.reduce(0) { $0 << 8 | UInt32($1) } : nil
    }
    let writer = LogWriter(
      local: credentials.local, incarnation: incarnation, generation: generation ?? 1,
      logs: try store.logs())
    return Life(
      incarnation: incarnation, generation: generation ?? 1,
      sequences: writer.heads.mapValues(\.sequence))
  }

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
    local = credentials.local
    boot = BootID(
      operation: local.operation, device: local.device, systemBoot: systemBoot)
    random = DeterministicRandom(seed: seed)
    random.stir(now.entropy)
    let (logs, records) = (try store.logs(), try store.records())
    control = try Self.control(in: store, local: local)
    reader = FrameReader(operation: local.operation)
    ages = try AgeTracker(store: store, observer: local.device, boot: boot, now: now)
    monitor = GeofenceMonitor()
    unpublished = try Self.unpublished(in: store)
    #if Canary
      let start = Canary.reuseIncarnation.isPlanted ? .goesOn : start
    #endif
    let certificate = local.certificate.hash
    var life: Life?
    var newest = Self.newestGeneration(in: logs, records, of: local)
    switch start {
    case .goesOn:
      life = try Self.life(in: store, of: credentials)
      // A crash occurred between a fork of an own log and the new incarnation.
      if let known = life, logs.contains(where: { $0.isFork(of: known.incarnation, certificate) }) {
        life = nil
      }
    case .beginsAnew(let generation): newest = max(newest, generation)
    }
    let drawn = Incarnation(raw: random.bytes16())
    let incarnation = life?.incarnation ?? drawn
    let generation = life?.generation ?? Self.generation(after: newest)
    writer = LogWriter(
      local: local, incarnation: incarnation, generation: generation, logs: logs)
    if life == nil { lives.begin(LifeMark(generation: generation, incarnation: drawn)) }
    let boots = try store.local(Self.bootsKey)?.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } ?? 0
    announceCounter = (boots + 1) << 32
    recordCounter = announceCounter
    #if Canary
      if Canary.forgetCounter.isPlanted { recordCounter = 0 }
    #endif
    keyring = try Self.keyring(in: store, operation: local.operation)
    engine = Self.engine(
      local: local, writer: writer, announceCounter: announceCounter,
      roster: try Self.roster(of: control, in: store),
      logs: logs, records: records, keys: keyring.all, seed: random.bytes(32), now: now)
    keepLife()
    try keepProven()
    transaction.batch.local[Self.bootsKey] = withUnsafeBytes(of: (boots + 1).bigEndian) {
      Array($0)
    }
    try feedEvidence(now: now)
    try replayControlLogs(logs, now: now)
    let isDerivedAnew = try store.local(Self.viewKey) != viewStamp
    try rebuildViewIfNeeded()
    try commit(now: now)
    try findJoinable()
    try joinSetAside(now: now)
    // Only now the authors of all records are known, also after a repair.
    try restoreStaged(now: now)
    try foldStaged(now: now)
    if isDerivedAnew {
      transaction.batch.positions = try store.records().compactMap(opened)
      try commit(now: now)
    }
    try resumeWaiting(now: now)
    try refreshInvites(now: now)
    reviewReceipts(now: now)
    askForHeads(now: now.instant)
    if local.author.role.reads { presence.start(now: now.instant) }
  }

  static func control(in store: Store, local: LocalDevice) throws(StoreError) -> ControlPlane {
    var control = ControlPlane(
      operation: local.operation, rootKey: local.rootKey, ownChain: local.chain)
    var certificates: [SignedCertificate] = []
    for stored in try store.shownCertificates() {
      certificates.append(try SignedCertificate(stored))
    }
    if let bytes = try store.local(provenKey) {
      certificates += try SignedCertificate.decoded(proven: bytes)
    }
    var items: [EvidenceItem] = []
    for stored in try store.evidence() {
      items.append(try EvidenceItem(stored, operation: local.operation))
    }
    control.restore(certificates, items)
    _ = control.evaluate()
    return control
  }

  /// Moves certificates to their place since version 6 of the database.
  private mutating func keepProven() throws {
    guard let bytes = try store.local(Self.provenKey) else { return }
    transaction.batch.certificates = try SignedCertificate.decoded(proven: bytes).map {
      StoredCertificate($0)
    }
    transaction.batch.forgotten.insert(Self.provenKey)
  }

  static func keyring(in store: Store, operation: OperationID) throws(StoreError) -> Keyring {
    var keyring = Keyring()
    for stored in try store.epochKeys() {
      _ = keyring.add(EpochKey(id: stored.id, key: stored.key.bytes), operation: operation)
    }
    keyring.granted = try store.local(grantedEpochKey).flatMap { EpochID(bytes: $0) }
    return keyring
  }

  static func engine(
    local: LocalDevice, writer: LogWriter, announceCounter: UInt64, roster: Roster,
    logs: [LogSummary], records: [LatestRecord], keys: [EpochKey], seed: [UInt8],
    now: ClockReading
  ) -> SyncEngine {
    SyncEngine(
      local: local, incarnation: writer.incarnation, announceCounter: announceCounter,
      roster: roster, logs: logs, records: records, epochKeys: keys, seed: seed, now: now)
  }

  /// The operation of the replica.
  public var operation: OperationID { local.operation }
  /// The device of the replica.
  public var device: DeviceID { local.device }
  /// How often a replica has opened this store, including this time.
  public var starts: UInt64 { announceCounter >> 32 }
  /// The record for the sentinel, after each commit.
  public var life: Life {
    Life(
      incarnation: writer.incarnation, generation: writer.generation,
      sequences: writer.heads.mapValues(\.sequence))
  }
  /// When `passDeadlines` is to be called.
  public var nextDeadline: Instant? {
    let wanted = [
      engine.nextDeadline, receipts.nextDeadline, neighbours.nextDeadline, epochDue,
      presence.due, received.nextDeadline,
    ].compactMap(\.self)
    guard let next = wanted.min() else { return nil }
    return diskFailure.map { max(next, $0.restEnds) } ?? next
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
    try settleLineage(logs)
    statusModel.markRosterStale()
    try proveForks(logs, now: now)
    for key in found { try learn(key, now: now) }
    try feedRoster(now: now)
    try reviewEpoch(now: now)
  }

  /// Adds a control frame's operations, and returns the keys that it contains for this device.
  private mutating func takeControl(
    _ frame: Frame, opening: Opening
  ) throws(StoreError) -> [EpochKey] {
    let reading = try reader.read(
      frame, opening: opening, standing: .unknown, keyring: keyring, lookup: { _ in nil })
    guard case .control(let operations) = reading else { return [] }
    control.add(operations, of: frame, in: opening)
    return sealedKeys(in: operations)
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
    var reader = FrameReader(operation: local.operation)
    let (control, keyring) = (control, keyring)
    var waitedFor: Set<EpochID> = []
    let outcome = try store.rebuildView(beginsIndex: beginsIndex) { opening, frame, lookup in
      // The row names of one log are of no use for the next.
      if frame.sequence == 0 { reader.forgetSome() }
      return try reader.reapply(
        frame, opening: opening, standing: control.standing(of: frame, opening: opening),
        keyring: keyring, waitingFor: &waitedFor, lookup: lookup)
    }
    self.reader = reader
    viewRebuilds += 1
    epochsWaitedFor = waitedFor
    note(outcome)
    stateTree = nil
    statusModel.markAllStale()
    monitor.fencesChanged()
    transaction.markViewCurrent(viewStamp)
  }

  /// Reads frames that waited for something that is available now: a key that arrived just before a
  /// crash, or an entry that this version understands. Keys that they still need are requested
  /// again.
  private mutating func resumeWaiting(now: ClockReading) throws {
    try askForWaiting(now: now)
  }
}
