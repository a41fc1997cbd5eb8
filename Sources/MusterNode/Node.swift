internal import Dispatch
internal import Foundation
public import Logging
internal import MusterGeo
internal import MusterLocation
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
  private var opened: OpenedHome
  let transport: UDPTransport?
  let uplinks: UplinkSwitch?
  let logger: Logger
  /// This device's position source, on its way to the replica.
  var watch = LocationWatch(
    profile: .foreground,
    silenceMilliseconds: Limits.usualSilenceMilliseconds)
  /// The trackers that this node records; nil until the first report.
  var desk: TrackerDesk?
  /// Whether the foreground or the background sampling settings apply.
  var inForeground = true
  /// The name and the state of that source.
  var source: (name: String, state: SourceState)?
  /// Nil while the node is not running.
  private var timer: (any DispatchSourceTimer)?
  private var armed: Instant?
  private var peers: [Endpoint] = []
  private var linkRate: LinkRate?
  private var hasStopped = false
  private var repairs = 0
  /// More repairs in one run mean that the disk is failing, and each keeps a copy of the database.
  private static let mostRepairs = 3
  private var rejected: [String: UInt64] = [:]
  /// Commands that write rows, in the order of arrival.
  var gathered: [Gathered] = []
  /// Writers that wait until the peers have reported what they hold of this device's logs.
  private var unanswered: [CheckedContinuation<Void, Never>] = []
  var news: NewsDesk
  /// The change counts, for callers that cannot wait for this queue.
  nonisolated let tally: ChangeTally

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
    self.uplinks = uplinks
    news = NewsDesk(starts: opened.replica.starts)
    tally = news.tally
    self.opened = opened
    self.transport = transport
    self.logger = logger
    executor = QueueExecutor(label: "muster.node")
  }

  // MARK: Running

  /// Starts timers and contacts peers: the given and the remembered addresses.
  public func start(peers: [Endpoint], linkRate: LinkRate?) {
    let timer = DispatchSource.makeTimerSource(queue: executor.queue)
    timer.setEventHandler { [weak self] in
      self?.assumeIsolated { $0.passDeadlines() }
    }
    timer.activate()
    self.timer = timer
    if let reason = opened.newLifeReason {
      logger.warning("this database starts a new incarnation: \(reason)")
    }
    if let remark = opened.repairRemark { logger.warning("\(remark)") }
    if let problem = opened.stateFolderProblem { logger.warning("\(problem)") }
    (self.peers, self.linkRate) = (peers, linkRate)
    followSettings()
    uplinks?.take(certificates: opened.replica.uplinkCertificates)
    beginContacts()
  }

  private func beginContacts() {
    let (peers, linkRate) = (peers, linkRate)
    if let linkRate { act { replica, now in try replica.limitLinks(to: linkRate, now: now) } }
    act { replica, now in
      var outcome = try replica.contact(peers, now: now)
      let remembered = try replica.rememberedEndpoints()
      let second = try replica.contact(remembered, now: now)
      outcome.outgoing += second.outgoing
      return outcome
    }
  }

  /// Handles new or lost paths: all peers are contacted again at once.
  public func networkChanged(_ change: NetworkChange) {
    switch change {
    case .interfaces: logger.info("the network changed")
    case .woke: logger.info("awake again")
    }
    act { replica, now in try replica.linkUp(now: now) }
    uplinks?.hasten()
  }

  /// Stops the node: ends the event streams, stops the timer, closes the database. Later commands
  /// are rejected.
  public func stop() {
    guard !hasStopped else { return }
    hasStopped = true
    timer?.cancel()
    timer = nil
    news.finish()
    letWrite()
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
    armed = nil
    publishDue()
    act { replica, now in try replica.passDeadlines(now: now) }
    reviewAlertsIfDue()
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
    guard repairs < Self.mostRepairs else { return }
    repairs += 1
    do {
      try opened.mend(damage)
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
      if let damage = Replica.damage(in: error) { repair(damage) }
      throw error
    }
    keepWitness()
    send(outcome.outgoing)
    for endpoint in outcome.provenUplinks { uplinks?.prove(endpoint) }
    if outcome.haveUplinksChanged {
      uplinks?.take(certificates: opened.replica.uplinkCertificates)
    }
    for rejection in outcome.rejections {
      rejected[rejection.reason, default: 0] += 1
      logger.debug("dropped a datagram from \(rejection.from): \(rejection.reason)")
    }
    for remark in outcome.remarks { logger.info("\(remark)") }
    if outcome.changedRows.contains(where: { $0.kind == .settings }) { followSettings() }
    if !outcome.locationDemands.isEmpty { watch.locate(now: SystemClock.instant) }
    news.note(outcome, now: SystemClock.instant)
    if !outcome.crossings.isEmpty {
      news.crossings.tell(try outcome.crossings.map(opened.replica.summary))
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

  private func send(_ outgoing: [Replica.Outgoing]) {
    var datagrams: [OutboundDatagram] = []
    datagrams.reserveCapacity(outgoing.count)
    for datagram in outgoing {
      switch datagram {
      case .to(let endpoint, _, let bytes) where endpoint.isUplink:
        uplinks?.send(bytes, to: endpoint)
      case .to(let endpoint, let link, let bytes):
        datagrams.append(OutboundDatagram(bytes: bytes, to: .endpoint(endpoint, link)))
      case .multicast(let link, let bytes):
        datagrams.append(OutboundDatagram(bytes: bytes, to: .multicast(link)))
      }
    }
    if !datagrams.isEmpty { transport?.send(datagrams) }
  }

  // MARK: Before the first append

  /// Waits until the peers have reported what they hold of this device's logs, a few seconds at
  /// most after a start. A device whose disk was restored must not continue its logs before that.
  func untilPeersAnswered() async {
    guard timer != nil, !opened.replica.mayWrite(now: SystemClock.instant) else { return }
    await withCheckedContinuation { waiter in
      unanswered.append(waiter)
      armTimer()
    }
  }

  private func letWrite() {
    let waiters = unanswered
    unanswered = []
    for waiter in waiters { waiter.resume() }
  }

  func armTimer() {
    if !unanswered.isEmpty, opened.replica.mayWrite(now: SystemClock.instant) { letWrite() }
    let due = unanswered.isEmpty ? nil : opened.replica.answerDue
    let wanted = [
      opened.replica.nextDeadline, watch.nextDeadline, due, news.reviewDue,
    ].compactMap(\.self)
    guard let timer, let deadline = wanted.min(), deadline != armed else { return }
    armed = deadline
    let wait = max(0, deadline.microseconds - SystemClock.instant.microseconds)
    timer.schedule(deadline: .now() + .microseconds(Int(min(wait, 3_600_000_000))))
  }

  /// Whether the node synchronizes, besides performing commands.
  var isRunning: Bool { timer != nil }

  // MARK: Reading

  /// Streams crossings in the order of their arrival numbers: those after `arrival` and all later
  /// ones, or with nil only later ones. Bounded: a reader that is more than `NewsDesk.bound`
  /// batches behind misses some.
  public func crossings(after arrival: Int64?) -> AsyncStream<[CrossingSummary]> {
    var known: [CrossingSummary] = []
    if let arrival {
      do {
        try requireRunning()
        known = try opened.replica.crossings(after: arrival, limit: 100_000)
      } catch {
        logger.error("\(error)")
      }
    }
    return news.crossings.add(beginningWith: known.isEmpty ? nil : known)
  }

  /// Counts dropped datagrams by reason, in the engine and in the transport.
  func rejections() -> [String: UInt64] {
    var counts = rejected
    guard let counters = transport?.counters else { return counts }
    for reason in DropReason.allCases where counters.dropped(reason) > 0 {
      counts[reason.rawValue, default: 0] += counters.dropped(reason)
    }
    if let dropped = uplinks?.dropped, dropped > 0 { counts["uplinkFull"] = dropped }
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

  /// Returns the addresses of this node for an invite.
  func ownEndpoints() -> [Endpoint] { transport?.localEndpoints() ?? [] }

  /// Returns this machine's name for a link; empty if unknown.
  func interfaceName(of link: LinkID) -> String {
    link == .uplink ? "uplink" : transport?.interfaceName(of: link) ?? ""
  }

  func read<Result>(_ body: (inout Replica, ClockReading) throws -> Result) throws -> Result {
    try requireRunning()
    do {
      return try body(&opened.replica, SystemClock.reading)
    } catch {
      if let damage = Replica.damage(in: error) { repair(damage) }
      throw error
    }
  }
}
