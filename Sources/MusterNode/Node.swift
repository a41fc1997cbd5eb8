internal import Foundation
public import Logging
public import MusterModel
internal import MusterReplica
public import MusterTransport

/// The only actor that owns domain state: it connects a replica to the network, clock and disk.
///
///     transport ─▶ receive ──┐
///     timer ─▶ deadlines ────┼─▶ Replica ─▶ outcome ─▶ transport, followers, sentinel, log
///     commands, fixes ───────┘
///
/// It runs on its own queue, since SQLite blocks. Between reading and writing the replica there is
/// no suspension: what a command sees is what it changes.
public actor Node {
  let executor: QueueExecutor
  let ports: NodePorts
  let logger: Logger
  private var opened: OpenedHome
  private var timer = NodeTimer()
  private var contacts = Contacts()
  private var hasStopped = false
  private var rejected: [String: UInt64] = [:]
  /// Commands that wait.
  var writes = WriteQueue()
  var location: LocationInput
  var changeNotifier: ChangeNotifier
  /// The change counts, for callers that cannot wait for this queue.
  nonisolated let tally: ChangeTally
  let snapshots = SnapshotPlaces()

  /// What a replica is configured with at the start, and again after a repair.
  private struct Contacts {
    var peers: [Endpoint] = []
    var linkRate: LinkRate?
  }

  /// A separate queue: SQLite blocks, and must not delay Swift's shared threads.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// - Parameters:
  ///   - transport: nil for a node that only performs commands.
  ///   - uplinks: nil for a node that uses no command post over HTTPS, and is none.
  public init(
    _ opened: consuming sending OpenedHome, transport: UDPTransport?,
    uplinks: UplinkSwitch? = nil, logger: Logger
  ) {
    ports = NodePorts(transport: transport, uplinks: uplinks)
    changeNotifier = ChangeNotifier(starts: opened.replica.starts)
    tally = changeNotifier.tally
    location = LocationInput(
      proximity: ProximityRecorder(
        ProximityFolder(opened.home, credentials: opened.credentials),
        warn: { logger.warning("\($0)") }))
    self.opened = opened
    self.logger = logger
    executor = QueueExecutor(label: "muster.node")
  }

  // MARK: Running

  /// Starts timers and contacts peers: the given and the remembered addresses.
  public func start(peers: [Endpoint], linkRate: LinkRate?) {
    timer.start(on: executor.queue) { [weak self] in
      self?.assumeIsolated { $0.passDeadlines() }
    }
    if let reason = opened.newIncarnationReason {
      logger.warning("this database starts a new incarnation: \(reason)")
    }
    let remarks = [opened.repairRemark, opened.stateFolderProblem].compactMap(\.self)
    for remark in remarks { logger.warning("\(remark)") }
    contacts = Contacts(peers: peers, linkRate: linkRate)
    followSettings()
    readBattery()
    ports.uplinks?.take(certificates: opened.replica.queries.uplinkCertificates)
    beginContacts()
  }

  private func beginContacts() {
    let contacts = contacts
    act { try $0.startHistory(now: $1) }
    if let rate = contacts.linkRate { act { try $0.limitLinks(to: rate, now: $1) } }
    act { replica, now in
      var outcome = try replica.contact(contacts.peers, now: now)
      let remembered = try replica.queries.rememberedEndpoints()
      let second = try replica.contact(remembered, now: now)
      outcome.outgoing += second.outgoing
      return outcome
    }
  }

  /// Handles new or lost paths: all peers are contacted again at once.
  public func networkChanged(_ change: NetworkChange) {
    switch change {
    case .interfaces: logger.info("the network changed")
    case .woke:
      logger.info("awake again")
      changeNotifier.hasten()
    }
    act { replica, now in try replica.linkUp(now: now) }
    ports.uplinks?.hasten()
  }

  /// Stops the node: ends the event streams, stops the timer, closes the database. Later commands
  /// are rejected.
  public func stop() {
    guard !hasStopped else { return }
    hasStopped = true
    timer.stop()
    changeNotifier.finish()
    writeNearby(isLast: true)
    writes.peersAnswered()
    do {
      if !opened.replica.mayDifferFromDisk { try opened.writeHoldings() }
    } catch {
      logger.warning("\(error)")
    }
    do {
      try opened.replica.close()
    } catch {
      logger.warning("the database could not be closed; the next start checks it: \(error)")
    }
  }

  private func requireRunning() throws(NodeError) {
    guard !hasStopped else { throw .stopped }
  }

  /// Processes the datagrams that arrived together in one transaction, in their order.
  public func receive(_ batch: [ReceivedDatagram]) {
    act { replica, now in
      try replica.receive(
        batch.map { (bytes: $0.bytes, from: $0.from, link: $0.link) }, now: now)
    }
  }

  private func passDeadlines() {
    timer.fired()
    readBattery()
    writeNearby()
    publishDue()
    ProximityHandler.reviewIfDue(at: self)
    act { replica, now in try replica.passDeadlines(now: now) }
    reviewAlertsIfDue()
    announcePhotosIfDue()
  }

  func act(_ work: (inout Replica, ClockReading) throws -> Replica.Outcome) {
    do {
      try attempt(work)
    } catch {
      logger.error("\(error)")
    }
  }

  /// Repairs a damaged database: no datagram can be processed before it is replaced.
  private func repair(_ damage: String) {
    do {
      guard try opened.repair(damage) else { return }
      if let remark = opened.repairRemark { logger.warning("\(remark)") }
      beginContacts()
    } catch {
      logger.error("the damaged database could not be repaired: \(error)")
    }
  }

  /// Performs a piece of work on the replica, and its effects.
  func attempt(_ work: (inout Replica, ClockReading) throws -> Replica.Outcome) throws {
    try requireRunning()
    defer { armTimer() }
    let outcome: Replica.Outcome
    do {
      outcome = try work(&opened.replica, SystemClock.reading)
    } catch {
      repairIfDamaged(error)
      throw error
    }
    keepWitness()
    ports.send(outcome.outgoing)
    for device in outcome.lostPeers { ports.uplinks?.doubt(device) }
    for (endpoint, device) in outcome.provenUplinks { ports.uplinks?.prove(endpoint, as: device) }
    if outcome.haveUplinksChanged {
      ports.uplinks?.take(certificates: opened.replica.queries.uplinkCertificates)
    }
    for rejection in outcome.rejections {
      rejected[rejection.reason, default: 0] += 1
      logger.debug("dropped a datagram from \(rejection.from): \(rejection.reason)")
    }
    for remark in outcome.remarks { logger.info("\(remark)") }
    if outcome.changedRows.contains(where: { $0.kind == .settings }) { followSettings() }
    location.withExposures { $0.note(outcome) }
    if !outcome.locationDemands.isEmpty { location.watch.locate(now: SystemClock.instant) }
    changeNotifier.note(outcome, now: SystemClock.instant)
    if !outcome.crossings.isEmpty {
      changeNotifier.crossings.send(try outcome.crossings.map(opened.replica.queries.summary))
    }
  }

  /// Writes the sentinel and the holdings. A state folder that cannot be written is logged once.
  private func keepWitness() {
    let before = opened.stateFolderProblem
    do {
      try opened.writeSentinel()
      try opened.writeHoldingsIfDue(now: SystemClock.instant)
    } catch {
      logger.warning("\(error)")
    }
    guard opened.stateFolderProblem != before else { return }
    if let problem = opened.stateFolderProblem {
      logger.warning("\(problem)")
    } else {
      logger.info("the state folder can be written again")
    }
  }

  // MARK: Before the first append

  /// Waits until the peers have reported what they hold of this device's logs, a few seconds at
  /// most after a start. A device whose disk was restored must not continue its logs before that.
  func untilPeersAnswered() async {
    guard isRunning, !opened.replica.mayWrite(now: SystemClock.instant) else { return }
    await withCheckedContinuation { waiter in
      writes.awaitPeers(waiter)
      armTimer()
    }
  }

  func armTimer() {
    if writes.awaitsPeers, opened.replica.mayWrite(now: SystemClock.instant) {
      writes.peersAnswered()
    }
    let due = writes.awaitsPeers ? opened.replica.answerDue : nil
    timer.arm(
      for: [
        opened.replica.nextDeadline, location.watch.nextDeadline, due, changeNotifier.reviewDue,
        changeNotifier.photosDue,
      ].compactMap(\.self))
  }

  /// Whether the node synchronizes, besides performing commands.
  var isRunning: Bool { timer.isRunning }

  // MARK: Reading

  /// Streams crossings in the order of their arrival numbers: those after `arrival` and all later
  /// ones, or with nil only later ones. Bounded: a reader that is more than `ChangeNotifier.bound`
  /// batches behind misses some.
  public func crossings(after arrival: Int64?) -> AsyncStream<[CrossingSummary]> {
    var known: [CrossingSummary] = []
    if let arrival {
      do {
        try requireRunning()
        known = try opened.replica.queries.crossings(after: arrival, limit: 100_000)
      } catch {
        logger.error("\(error)")
      }
    }
    return changeNotifier.crossings.add(beginningWith: known.isEmpty ? nil : known)
  }

  /// Counts dropped datagrams by reason, in the engine and in the transport.
  func rejections() -> [String: UInt64] {
    var counts = rejected
    ports.addDropped(to: &counts)
    return counts
  }

  /// Returns the disk space that users other than root may still use on the database's disk.
  func diskFreeBytes() -> UInt64? {
    do {
      let attributes = try FileManager.default.attributesOfFileSystem(
        forPath: opened.home.dataDirectory)
      return (attributes[.systemFreeSize] as? NSNumber)?.uint64Value
    } catch {
      logger.debug("\(error)")
      return nil
    }
  }

  func read<Result>(_ body: (inout Replica, ClockReading) throws -> Result) throws -> Result {
    try requireRunning()
    do {
      return try body(&opened.replica, SystemClock.reading)
    } catch {
      repairIfDamaged(error)
      throw error
    }
  }

  /// Repairs a database that an error shows to be damaged.
  func repairIfDamaged(_ error: any Error) {
    guard !hasStopped, let damage = ReplicaDatabase.damage(in: error) else { return }
    repair(damage)
  }
}
