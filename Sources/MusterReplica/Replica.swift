internal import MusterCRDT
internal import MusterCrypto
internal import MusterGeo
public import MusterModel
public import MusterStore
internal import MusterSync

/// One device's replica of an operation: joins the sync engine, the store, the geofences and the
/// rules of who may do what. Synchronous, and without a clock, a socket or randomness of its own:
/// the node drives it with real ones, the simulator drives the same type with virtual ones.
///
///     datagrams ─▶ SyncEngine ─▶ frames ─▶ FrameReader ─▶ Store (log + view, one transaction)
///     commands, fixes ─▶ LogWriter ──────────┘                 │
///                                                 outgoing ◀───┘ only after the commit
///
/// - What it returns to be sent depends on nothing that is not durable.
/// - A commit that fails changes nothing: the engine and the logs' heads are put back to what the
///   store holds, and the caller may try again when there is space.
public struct Replica {
  let store: Store
  let local: LocalDevice
  /// Of this machine.
  let boot: BootID
  var engine: SyncEngine
  var control: ControlPlane
  var keyring: Keyring
  var reader: FrameReader
  var writer: LogWriter
  var monitor: GeofenceMonitor
  var untold: UntoldPositions
  var random: DeterministicRandom
  var receipts = ReceiptDesk()
  var neighbours = NeighbourDesk()
  var ages: AgeTracker
  var presence = PresenceSchedule()
  var statusModel = StatusModel()
  var recordCounter: UInt64
  var announceCounter: UInt64
  var linkRate: LinkRate?
  /// Revoked devices that have asked to be admitted again.
  var readmissions = ReadmissionLog()
  /// When this device makes an epoch that shuts out who was revoked, unless one comes before.
  var epochDue: Instant?

  /// What is being put together for the next commit, and what may be said once it is durable.
  var batch = Batch()
  var held: Outcome = Outcome()
  /// Whether what the author of the call at hand wrote is durable.
  var hasWritten = false
  /// What came of the bundle at hand; nil but while one is merged.
  var tally: BundleTally?
  /// Nil but while several commands are put into one transaction.
  var gathering: Gathering?
  /// What frames count for has changed: the view is derived anew after the commit.
  var isViewStale = false
  /// Of a forked log, something came by which cuts may leave other frames than before.
  var isLineageStale = false
  /// Epochs that held frames wait for the keys of; some may have been waited for before.
  var epochsWaitedFor: Set<EpochID> = []
  /// How often the engine was told who counts, and how far.
  var rostersFed = 0
  /// Of this device's other lives, since the start.
  var lives = LifeWatch()
  /// Nil once the peers in reach have said how much they hold of this device's logs.
  var question: HeadsQuestion?
  /// Nil until it is asked for, and after everything was derived anew.
  var stateTree: StateTree?
  /// Demands that `locationDemands` has told of.
  var knownDemands: Set<RowID> = []
  /// Nil while the disk works.
  var diskFailure: DiskFailure?
  /// Why the folder of the sentinel cannot be written, and what to do, in one line; nil while it
  /// can. The node sets it, for `status` and the alert.
  public var stateFolderProblem: String?
  /// Logs of which damage set frames aside, and those of them that may be joined on now.
  var setAside: Set<LogID> = []
  var joinable: Set<JoinableLog> = []

  /// What came of a call, to be acted on in order.
  public struct Outcome: Sendable {
    /// To be sent now; all that it acknowledges is durable.
    public var outgoing: [Outgoing] = []
    /// Crossings that are new to this node, in arrival order.
    public var crossings: [ArrivedCrossing] = []
    /// Datagrams that were dropped, why, and by whose address: to be counted.
    public var rejections: [(reason: String, from: Endpoint)] = []
    /// For the log: one line each.
    public var remarks: [String] = []
    var contacts: [RememberedPeer] = []
    /// Rows whose state is another now, sorted within each commit.
    public var changedRows: [RowKey] = []
    /// Whether somebody's position is another now.
    public var hasMovement = false
    /// Whether somebody was met or lost, or told whom they hear.
    public var hasMeshChanged = false
    /// Directives that want to know where this device is, which this node has not told of since
    /// its start: a fresh fix answers them.
    public var locationDemands: [RowID] = []
    /// Whether `uplinkCertificates` answers something else now.
    public var haveUplinksChanged = false
    /// Uplinks at whose other ends somebody proved to belong to the operation.
    public var provenUplinks: [Endpoint] = []
    /// Peers that are said to withhold from now on.
    public var accused: [(device: DeviceID, kind: StandstillSummary.Kind)] = []
    /// Alerts that came and went, in the order of their ids.
    public var alertChanges: [AlertChange] = []

    /// Nothing came of it.
    public init() {}
  }

  /// A datagram on its way out.
  public enum Outgoing: Hashable, Sendable {
    /// By the link where its addressee was heard last; the route decides where that is unknown.
    case to(Endpoint, LinkID, [UInt8])
    /// To the announce groups of one link, or of every link.
    case multicast(LinkID?, [UInt8])
  }

  /// Which life of this device's database is writing, and how far: what the sentinel remembers.
  public struct Life: Hashable, Sendable {
    /// Drawn at random when this life began.
    public let incarnation: Incarnation
    /// 1 for a device's first life; at most `Limits.lastGeneration`.
    public let generation: UInt32
    /// This device's newest sequence in each lane.
    public let sequences: [Lane: UInt64]

    /// What somebody remembers of it.
    public init(incarnation: Incarnation, generation: UInt32, sequences: [Lane: UInt64]) {
      self.incarnation = incarnation
      self.generation = generation
      self.sequences = sequences
    }
  }

  /// How a replica takes up its store.
  public enum Start: Hashable, Sendable {
    case goesOn
    /// With a generation above every one that the store knows, and above this one, which somebody
    /// else remembers; 0 when nobody does.
    case beginsAnew(above: UInt32)
  }

  static let incarnationKey = "incarnation"
  static let generationKey = "generation"
  static let bootsKey = "boots"
  static let viewKey = "view"
  static let provenKey = "proven"
  static let grantedEpochKey = "granted epoch"
  /// Of what frames do to the view: raised when a version understands more, so that the view is
  /// derived anew from frames that were held before.
  static let viewVersion: UInt8 = 2

  /// What a view was derived under: what frames do to it, and the rules by which they are judged.
  var viewStamp: [UInt8] { [Self.viewVersion, local.rulesVersion.raw] }

  /// Opens the database file of a replica, or makes it.
  ///
  /// - Parameter seed: 32 bytes for the nonces of its pages, used nowhere else.
  public static func openStore(
    at path: String, of credentials: Credentials, seed: [UInt8]
  ) throws(StoreError) -> Store {
    try Store.open(path: path, seal: credentials.pageSeal(seed: seed))
  }

  /// The life that a store was last written by; nil before its first.
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

  /// Opens the replica that a store holds.
  ///
  /// - Parameters:
  ///   - start: whether to go on with the store's own incarnation, if it has one, or to begin anew,
  ///     as when the database may have been restored or cloned.
  ///   - seed: 32 bytes from the operating system, used nowhere else.
  ///   - systemBoot: what the system calls its present boot: the same as at the last start if, and
  ///     only if, `now.boot` goes on from there.
  public init(
    store: Store, credentials: Credentials, start: Start, seed: [UInt8], systemBoot: [UInt8],
    now: ClockReading
  ) throws {
    self.store = store
    local = credentials.local
    boot = BootID(
      operation: local.operation, device: local.device, systemBoot: systemBoot)
    random = DeterministicRandom(seed: seed)
    let (logs, records) = (try store.logs(), try store.records())
    control = try Self.control(in: store, local: local)
    reader = FrameReader(operation: local.operation)
    ages = try AgeTracker(store: store, observer: local.device, boot: boot, now: now)
    monitor = GeofenceMonitor()
    untold = try Self.untold(in: store)
    #if Canary
      let start = Canary.reuseIncarnation.isPlanted ? .goesOn : start
    #endif
    let certificate = local.certificate.hash
    var life: Life?
    var newest = Self.newestGeneration(in: logs, records, of: local)
    switch start {
    case .goesOn:
      life = try Self.life(in: store, of: credentials)
      // A crash came between a fork of an own log and the life that was to begin with it.
      if let known = life, logs.contains(where: { $0.isFork(of: known.incarnation, certificate) }) {
        life = nil
      }
    case .beginsAnew(let generation): newest = max(newest, generation)
    }
    #if Canary
      if Canary.reuseGeneration.isPlanted { newest = 0 }
    #endif
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
    batch.local[Self.bootsKey] = withUnsafeBytes(of: (boots + 1).bigEndian) { Array($0) }
    try replayControlLogs(logs, now: now)
    let isDerivedAnew = try store.local(Self.viewKey) != viewStamp
    try rebuildViewIfNeeded()
    try commit(now: now)
    try findJoinable()
    try joinSetAside(now: now)
    if isDerivedAnew {
      batch.positions = try store.records().compactMap(opened)
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
    control.restore(certificates)
    _ = control.evaluate()
    return control
  }

  /// Moves certificates to where they are kept since version 6 of the database.
  private mutating func keepProven() throws {
    guard let bytes = try store.local(Self.provenKey) else { return }
    batch.certificates = try SignedCertificate.decoded(proven: bytes).map { StoredCertificate($0) }
    batch.forgotten.insert(Self.provenKey)
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

  /// The one that it is of.
  public var operation: OperationID { local.operation }
  /// The one that this replica writes as.
  public var device: DeviceID { local.device }
  /// How often a replica has taken up this store, this time counted in.
  public var starts: UInt64 { announceCounter >> 32 }
  /// For the sentinel, after each commit.
  public var life: Life {
    Life(
      incarnation: writer.incarnation, generation: writer.generation,
      sequences: writer.heads.mapValues(\.sequence))
  }
  /// When `passDeadlines` is wanted.
  public var nextDeadline: Instant? {
    let wanted = [
      engine.nextDeadline, receipts.nextDeadline, neighbours.nextDeadline, epochDue,
      presence.due,
    ].compactMap(\.self)
    guard let next = wanted.min() else { return nil }
    return diskFailure.map { max(next, $0.restEnds) } ?? next
  }

  // MARK: Opening

  /// The control plane is a function of the control logs, which are read anew at each start.
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
    try refreshLineage(logs)
    _ = control.evaluate()
    for key in found { try learn(key, now: now) }
    try feedRoster(now: now)
    try reviewEpoch(now: now)
  }

  /// Adds what a control frame says, and answers the keys that it carries for this device.
  private mutating func takeControl(
    _ frame: Frame, opening: Opening
  ) throws(StoreError) -> [EpochKey] {
    let reading = try reader.read(
      frame, opening: opening, standing: .unknown, keyring: keyring, lookup: { _ in nil })
    guard case .control(let operations) = reading else { return [] }
    control.add(operations, of: frame, in: opening)
    return sealedKeys(in: operations)
  }

  /// Derives the view anew from the log after an upgrade, also one of the rules alone, or when
  /// `verify` found it wrong.
  mutating func rebuildViewIfNeeded() throws {
    guard try store.local(Self.viewKey) != viewStamp else { return }
    try rebuildView()
  }

  /// Derives the view anew from the log: after an upgrade, and when a cut says that other frames
  /// count than before.
  mutating func rebuildView() throws {
    var reader = FrameReader(operation: local.operation)
    let (control, keyring) = (control, keyring)
    var waitedFor: Set<EpochID> = []
    let outcome = try store.rebuildView { opening, frame, lookup in
      // A log's names are of no use to the next.
      if frame.sequence == 0 { reader.forgetSome() }
      let reading = try reader.read(
        frame, opening: opening,
        standing: control.standing(of: frame, opening: opening), keyring: keyring,
        lookup: lookup)
      guard case .view(let application, let completes, _) = reading else {
        return Reapplication(.nothing)
      }
      if case .waiting(.key(let epoch)) = application { waitedFor.insert(epoch) }
      return Reapplication(
        application, released: completes.map { ReleasedFrame(place: $0, application: .nothing) })
    }
    self.reader = reader
    epochsWaitedFor = waitedFor
    note(outcome)
    stateTree = nil
    monitor.fencesChanged()
    batch.local[Self.viewKey] = viewStamp
  }

  /// Frames that waited for something that is at hand now: a key that came just before a crash, or
  /// an operation that this version understands. Keys that they still need are asked for again.
  private mutating func resumeWaiting(now: ClockReading) throws {
    try askForWaiting(now: now)
  }
}
