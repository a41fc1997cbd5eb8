import MusterModel
import MusterReplica
import MusterStore

/// The part of a node's program: start, stop, and carry out the replica's effects.
extension World {
  // MARK: Commands

  /// Runs a command on a node, and carries out the effects; nil if it was refused, or not made
  /// durable.
  @discardableResult
  func command<T>(
    _ node: SimulatedNode,
    _ body: (inout Replica, ClockReading) throws -> (T, Replica.Outcome)
  ) throws -> (result: T, outcome: Replica.Outcome)? {
    try input(node, body) { try node.recordIncarnation() }
  }

  /// Processes an input that arrives or becomes due.
  @discardableResult
  private func input<T>(
    _ node: SimulatedNode,
    _ body: (inout Replica, ClockReading) throws -> (T, Replica.Outcome),
    then note: () throws -> Void
  ) throws -> (result: T, outcome: Replica.Outcome)? {
    do {
      let clock = node.clock.reading(at: now)
      guard let (result, outcome) = try node.change({ try body(&$0, clock) }) else { return nil }
      if try hasLostPower(node) { return nil }
      try note()
      try carryOut(outcome, at: node)
      return (result, outcome)
    } catch is Refusal {
      setAlarm(of: node)
      return nil
    } catch let error as StoreError {
      node.counters.noteFailure(error)
      // A call that commits in steps is kept up to the step that fails.
      try node.recordIncarnation()
      if try !hasLostPower(node) { setAlarm(of: node) }
      return nil
    }
  }

  /// Only revoked devices and those with forked logs write without a command: the key of a new
  /// epoch, or the opening of a new incarnation.
  private func noteUnaskedWrites(of node: SimulatedNode) throws {
    if !faulty.doubtful.isEmpty { try node.recordIncarnation() }
  }

  private func carryOut(_ outcome: Replica.Outcome, at node: SimulatedNode) throws {
    for outgoing in outcome.outgoing { send(outgoing, from: node) }
    for rejection in outcome.rejections { node.counters.noteRejection(rejection.reason) }
    try checkers.took(outcome, at: node, in: self)
    requestReview(of: node, after: outcome)
    setAlarm(of: node)
  }

  /// Carries out a user's action, and records that it was acknowledged.
  @discardableResult
  func perform(_ act: Act, at node: SimulatedNode) throws -> Bool {
    let done = try command(node) { replica, clock in
      let (made, outcome) = try act.perform(on: &replica, now: clock)
      return (made, outcome)
    }
    guard let done else {
      if node.mayHaveKeptMore { checkers.tried(act, at: node) }
      return false
    }
    record.acknowledge(writes: 1)
    if let made = done.result { workload.made(made) }
    if case .delete(let report) = act { workload.removed(report) }
    note(.wrote, at: node)
    try checkers.wrote(act, made: done.result, at: node, in: self)
    return true
  }

  /// Carries out several actions in one transaction: all are acknowledged, or none.
  func perform(_ acts: [Act], at node: SimulatedNode) throws {
    var made: [RowKey?] = []
    let done = try command(node) { replica, clock in
      (
        (),
        try replica.gather(now: clock) { replica in
          for act in acts { made.append(try act.perform(on: &replica, now: clock).made) }
        }
      )
    }
    guard done != nil else { return }
    record.acknowledge(writes: acts.count)
    for (act, row) in zip(acts, made) {
      if let row { workload.made(row) }
      note(.wrote, at: node)
      try checkers.wrote(act, made: row, at: node, in: self)
    }
  }

  func ingest(_ fix: Fix, at node: SimulatedNode) throws {
    note(.moved, at: node)
    let done = try command(node) { replica, clock in ((), try replica.ingest(fix, now: clock)) }
    guard let done else { return }
    record.acknowledge(writes: done.outcome.crossings.count)
    try checkers.ingested(fix, crossings: done.outcome.crossings, at: node, in: self)
  }

  // MARK: Arrivals and deadlines

  /// How long a datagram waits in the socket while the program is busy.
  private static let serviceMicroseconds: ClosedRange<Int64> = 50...400
  /// How long the next batch waits after one.
  private static let batchMicroseconds: Int64 = 100

  func arrive(_ bytes: [UInt8], from: Endpoint, at node: SimulatedNode) {
    guard node.isRunning, node.interface.receive(bytes, from: from) else { return }
    schedule.push(.read(node.index), afterMicroseconds: random.within(Self.serviceMicroseconds))
  }

  func read(at node: SimulatedNode) throws {
    let batch = node.interface.read(isRunning: node.isRunning)
    guard !batch.isEmpty else { return }
    for datagram in batch { note(.arrived, at: node, datagram.bytes) }
    try input(node) { replica, clock in
      ((), try replica.receive(batch, now: clock))
    } then: {
      try noteUnaskedWrites(of: node)
    }
    guard node.interface.scheduleRead() else { return }
    schedule.push(.read(node.index), afterMicroseconds: Self.batchMicroseconds)
  }

  private func setAlarm(of node: SimulatedNode) {
    guard node.isRunning, let due = node.timers.deadline.schedule(after: now, by: node.clock)
    else { return }
    schedule.push(.alarm(node.index), at: due)
  }

  func soundAlarm(of node: SimulatedNode) throws {
    guard node.timers.deadline.fire(at: now), node.isRunning else { return }
    guard node.timers.deadline.isDue(at: now, by: node.clock) else {
      return setAlarm(of: node)
    }
    try input(node) { replica, clock in
      ((), try replica.passDeadlines(now: clock))
    } then: {
      try noteUnaskedWrites(of: node)
    }
  }

  // MARK: Power

  /// The retry interval of a start that failed.
  private static let startAgainMilliseconds: Int64 = 10_000

  func switchOn(_ node: SimulatedNode, start: Replica.Start = .continues) throws {
    let isFirst = node.power == .absent
    let stopped = node.machine.interruptedAt
    node.machine.turnOn(at: now)
    node.timers.cancel()
    node.interface.clear()
    node.clock.boot(
      at: now, offsetMicroseconds: random.below(1 << 40),
      downMicroseconds: reviewsAlerts ? stopped.map { now.microseconds - $0.microseconds } : nil)
    do {
      node.replica = try Replica(
        store: node.store, credentials: node.credentials, start: start, seed: random.seed32(),
        systemBoot: node.clock.systemBoot, now: node.clock.reading(at: now))
    } catch let error as StoreError {
      node.counters.noteFailure(error)
      node.machine.failToStart()
      if try !hasLostPower(node) { wakeLater(node, after: Self.startAgainMilliseconds) }
      return
    }
    note(.changed, at: node, [1])
    try checkers.started(node, in: self)
    if isFirst, let keys = node.admission.keys {
      try command(node) { replica, clock in ((), try replica.keep(keys, now: clock)) }
    }
    if let linkRate = scenario.network.linkRate {
      try command(node) { replica, clock in
        ((), try replica.limitLinks(to: linkRate, now: clock))
      }
    }
    let peers = endpoints(givenTo: node)
    try command(node) { replica, clock in
      let known = try replica.queries.rememberedEndpoints() + peers
      return ((), try replica.contact(known, now: clock))
    }
    if isFirst, node.reads {
      try command(node) { replica, clock in
        ((), try replica.write(PersonRequests.setCallsign(node.name), now: clock))
      }
    }
    requestReview(of: node, at: now)
  }

  /// The current addresses of the nodes that its user knows.
  private func endpoints(givenTo node: SimulatedNode) -> [Endpoint] {
    node.plan.peers.map { self.node($0).interface.endpoint }
  }

  /// Gives all nodes their configured peers' current addresses: one that moved before the first
  /// contact could not be found.
  func updateAddresses() throws {
    for node in nodes where node.isRunning && !node.plan.peers.isEmpty {
      let peers = endpoints(givenTo: node)
      try command(node) { replica, clock in ((), try replica.contact(peers, now: clock)) }
    }
  }

  /// Cuts the power: everything that is not on the disk is lost.
  func crash(_ node: SimulatedNode) throws {
    guard node.power == .on || node.power == .asleep || node.storage.hasLostPower else { return }
    note(.changed, at: node, [2])
    node.replica = nil
    node.machine.interrupt(.off, at: now)
    node.interface.clear()
    if node.storage.hasDisk { try restartDisk(of: node) }
  }

  /// Applies the damage that a node finds when it is switched on again.
  private func restartDisk(of node: SimulatedNode) throws {
    let kinds = SimulatedDisk.Damage.allCases
    let damage = kinds[Int(random.below(Int64(kinds.count)))]
    if let problem = try node.storage.restart(damage, seed: random.next()) {
      report("a database survives a power cut", "\(node.name): \(problem)")
    }
  }

  /// Returns whether the power failed during the last call: then it was not acknowledged, even if
  /// the commit succeeded.
  private func hasLostPower(_ node: SimulatedNode) throws -> Bool {
    guard node.storage.hasLostPower else { return false }
    record.fire(.powerCut)
    try crash(node)
    wakeLater(node, after: node.storage.outageMilliseconds)
    return true
  }

  func sleep(_ node: SimulatedNode) {
    guard node.power == .on else { return }
    note(.changed, at: node, [3])
    node.machine.interrupt(.asleep, at: now)
    node.interface.clear()
  }

  func wake(_ node: SimulatedNode) throws {
    switch node.power {
    case .on: return
    case .absent: try switchOnFirst(node)
    case .off: try switchOn(node)
    case .asleep:
      node.machine.turnOn(at: now)
      node.timers.cancel()
      try command(node) { replica, clock in ((), try replica.linkUp(now: clock)) }
      requestReview(of: node, at: now)
    }
  }

  /// A clone starts with the state of its original, sentinel included: nothing reveals to it that
  /// it is a clone.
  private func switchOnFirst(_ node: SimulatedNode) throws {
    guard !faulty.lost.contains(node.index) else { return }
    if node.plan.admittedBy != nil { record.fire(.lostAdmitter) }
    guard let original = node.plan.cloneOf else {
      return try switchOn(node, start: .startsIncarnation(above: 0))
    }
    try node.storage.copy(from: self.node(original).storage)
    record.fire(.clone)
    try switchOn(node)
  }

  /// Restores the disk of the backup. The sentinel, which is stored elsewhere, reveals to the node
  /// that its database is not the newest.
  func restore(_ node: SimulatedNode) throws {
    guard node.storage.hasBackup, let incarnationState = node.incarnationState else { return }
    try crash(node)
    guard let lost = try node.storage.restore() else { return }
    try checkers.restored(node, from: lost, in: self)
    try revocations.forgetLostVotes(in: self)
    try switchOn(node, start: .startsIncarnation(above: incarnationState.generation))
  }

  // MARK: Transmission

  private func send(_ outgoing: Replica.Outgoing, from node: SimulatedNode) {
    switch outgoing {
    case .to(let endpoint, _, let bytes):
      guard let sent = transmit(bytes, from: node), let sentAt = sent.end,
        let index = mesh.index(of: endpoint), index != node.index, !sent.covered.contains(index)
      else { return }
      deliver(bytes, from: node, to: index, sentAt: sentAt)
    case .multicast(_, let bytes):
      guard let sent = transmit(bytes, from: node), let sentAt = sent.end, network.hasMulticast
      else { return }
      for index in nodes.indices where index != node.index && !sent.covered.contains(index) {
        deliver(bytes, from: node, to: index, sentAt: sentAt)
      }
    }
  }

  private func transmit(_ bytes: [UInt8], from node: SimulatedNode) -> Channel.Transmission? {
    guard !attackers.isWithheld(bytes, by: node, in: self) else { return nil }
    node.interface.noteSent(bytes: bytes.count, inStory: phase == .story)
    attackers.capture(bytes)
    return network.transmit(bytes.count, from: node.index, now: now, distance: distance)
  }

  private func distance(from: Int, to: Int) -> Double {
    nodes[from].positions.place(at: now).distance(to: nodes[to].positions.place(at: now))
  }

  private func deliver(_ bytes: [UInt8], from node: SimulatedNode, to: Int, sentAt: Instant) {
    let receiver = nodes[to]
    guard receiver.power != .absent else { return }
    let passages = network.pass(
      bytes.count, from: node.index, to: to,
      distance: distance(from: node.index, to: to),
      sentAt: sentAt)
    for passage in passages {
      let arrived = passage.isCorrupt ? network.damaged(bytes) : bytes
      schedule.push(
        .arrival(to: to, bytes: arrived, from: node.interface.endpoint), at: passage.arrival)
    }
  }
}
