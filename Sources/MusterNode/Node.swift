internal import Dispatch
internal import Foundation
public import Logging
internal import MusterGeo
internal import MusterLocation
public import MusterModel
internal import MusterReplica
public import MusterTransport

/// The one actor that owns domain state: it puts a replica to the real network, clock and disk.
///
///     transport ─▶ receive ──┐
///     timer ─▶ deadlines ────┼─▶ Replica ─▶ outcome ─▶ transport, followers, sentinel, log
///     commands, fixes ───────┘
///
/// It runs on a queue of its own, since SQLite blocks. Between reading and writing the replica
/// there is no suspension: what a command sees is what it changes.
public actor Node {
  let executor: QueueExecutor
  private var opened: OpenedHome
  let transport: UDPTransport?
  let uplinks: UplinkSwitch?
  let logger: Logger
  /// What this device's location source says, on its way to the replica.
  var watch = LocationWatch(
    profile: .foreground,
    silenceMilliseconds: Limits.usualSilenceMilliseconds)
  /// The phones that this node speaks for; nil until the first is heard.
  var desk: TrackerDesk?
  /// Whether the profile for a laptop that somebody looks at counts, or the one for a sleepy one.
  var inForeground = true
  /// What that source is called, and how it stands.
  var source: (name: String, state: SourceState)?
  /// Nil while the node does not run.
  private var timer: (any DispatchSourceTimer)?
  private var armed: Instant?
  private var peers: [Endpoint] = []
  private var linkRate: LinkRate?
  private var hasStopped = false
  private var repairs = 0
  /// More in one run mean that the disk is dying, and each keeps a copy of the database.
  private static let mostRepairs = 3
  private var rejected: [String: UInt64] = [:]
  /// Commands that change rows, in the order in which they came.
  var gathered: [Gathered] = []
  /// Who would write, and waits until the peers have said how much they hold of this device's logs.
  private var unanswered: [CheckedContinuation<Void, Never>] = []
  var news: NewsDesk
  /// What `news` has counted, for those who cannot wait for this queue.
  nonisolated let tally: ChangeTally

  /// A queue of its own: SQLite blocks, and must not hold up Swift's shared threads.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// - Parameters:
  ///   - transport: nil for a node that only answers commands.
  ///   - uplinks: nil for a node that goes to no command post over HTTPS, and is none.
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

  /// Begins to watch deadlines and to try addresses: those given, and those remembered.
  public func start(peers: [Endpoint], linkRate: LinkRate?) {
    let timer = DispatchSource.makeTimerSource(queue: executor.queue)
    timer.setEventHandler { [weak self] in
      self?.assumeIsolated { $0.passDeadlines() }
    }
    timer.activate()
    self.timer = timer
    if let reason = opened.newLifeReason {
      logger.warning("this database begins a new life: \(reason)")
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

  /// Paths may have come or gone: everybody is tried again at once.
  public func networkChanged(_ change: NetworkChange) {
    switch change {
    case .interfaces: logger.info("the network changed")
    case .woke: logger.info("awake again")
    }
    act { replica, now in try replica.linkUp(now: now) }
    uplinks?.hasten()
  }

  /// Everything ends: followers are told, the timer stops, the database is closed. Commands that
  /// come later are refused.
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
      logger.warning("the database could not be closed; the next start looks through it: \(error)")
    }
  }

  private func requireRunning() throws(NodeError) {
    guard !hasStopped else { throw .stopped }
  }

  /// Takes what arrived together into one transaction, in the order in which it came.
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

  /// After damage was met: nothing more can be taken in until there is another database.
  private func repair(_ damage: String) {
    guard repairs < Self.mostRepairs else { return }
    repairs += 1
    do {
      try opened.mend(damage)
      if let remark = opened.repairRemark { logger.warning("\(remark)") }
      beginContacts()
    } catch {
      logger.error("the damaged database could not be mended: \(error)")
    }
  }

  /// Runs a piece of work on the replica and acts on what came of it.
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
      logger.debug("dropped a datagram of \(rejection.from): \(rejection.reason)")
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

  /// A laptop whose disk was put back must not go on with its logs before it has heard what its
  /// peers hold of them: whatever writes waits here, for a moment after a start at most.
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

  /// Whether it does more than answer commands.
  var isRunning: Bool { timer != nil }

  // MARK: Asking

  /// Crossings in the order in which this node learns of them: those after an arrival number and
  /// what comes later, or with nil what comes later only. Bounded: a reader that falls more than
  /// `NewsDesk.bound` batches behind misses some.
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

  /// What datagrams were dropped for, in the engine and in the transport.
  func rejections() -> [String: UInt64] {
    var counts = rejected
    guard let counters = transport?.counters else { return counts }
    for reason in DropReason.allCases where counters.dropped(reason) > 0 {
      counts[reason.rawValue, default: 0] += counters.dropped(reason)
    }
    if let dropped = uplinks?.dropped, dropped > 0 { counts["uplinkFull"] = dropped }
    return counts
  }

  /// What others than the superuser may still write where the database is.
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

  /// Addresses for an invite: where this node can be reached.
  func ownEndpoints() -> [Endpoint] { transport?.localEndpoints() ?? [] }

  /// What this machine calls a link; empty where it cannot tell.
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
