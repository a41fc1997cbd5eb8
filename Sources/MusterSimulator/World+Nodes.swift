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
    try input(node, body) { try node.noteLife() }
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
      node.failures["\(error)", default: 0] += 1
      // A call that commits in steps is kept up to the step that fails.
      try node.noteLife()
      if try !hasLostPower(node) { setAlarm(of: node) }
      return nil
    }
  }

  /// Only revoked devices and those with forked logs write without a command: the key of a new
  /// epoch, or the opening of a new incarnation.
  private func noteUnaskedWrites(of node: SimulatedNode) throws {
    if !doubtful.isEmpty { try node.noteLife() }
  }

  private func carryOut(_ outcome: Replica.Outcome, at node: SimulatedNode) throws {
    for outgoing in outcome.outgoing { send(outgoing, from: node) }
    node.forksTold += outcome.remarks.count { $0.hasSuffix(": a fork") }
    for rejection in outcome.rejections { node.rejections[rejection.reason, default: 0] += 1 }
    for checker in checkers { try checker.took(outcome, at: node, in: self) }
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
      if node.mayHaveKeptMore { for checker in checkers { checker.tried(act, at: node) } }
      return false
    }
    acknowledgedWrites += 1
    if let made = done.result { workload.made(made) }
    if case .delete(let report) = act { workload.removed(report) }
    trace.note(.wrote, at: now, node: node.index, [])
    for checker in checkers { try checker.wrote(act, made: done.result, at: node, in: self) }
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
    acknowledgedWrites += acts.count
    for (act, row) in zip(acts, made) {
      if let row { workload.made(row) }
      trace.note(.wrote, at: now, node: node.index, [])
      for checker in checkers { try checker.wrote(act, made: row, at: node, in: self) }
    }
  }

  func ingest(_ fix: Fix, at node: SimulatedNode) throws {
    trace.note(.moved, at: now, node: node.index, [])
    let done = try command(node) { replica, clock in ((), try replica.ingest(fix, now: clock)) }
    guard let done else { return }
    acknowledgedWrites += done.outcome.crossings.count
    for checker in checkers {
      try checker.ingested(fix, crossings: done.outcome.crossings, at: node, in: self)
    }
  }

  /// Returns running nodes, a few at a time if there are many, since checks are expensive.
  func someNodes(turn: Int) -> [SimulatedNode] {
    let few = min(nodes.count, Self.nodesAtATime)
    return (0..<few).map { nodes[(turn * few + $0) % nodes.count] }.filter(\.isRunning)
  }

  private static let nodesAtATime = 6

  // MARK: Arrivals and deadlines

  /// How long a datagram waits in the socket while the program is busy.
  private static let serviceMicroseconds: ClosedRange<Int64> = 50...400
  private static let inboxDatagrams = 2048

  func arrive(_ bytes: [UInt8], from: Endpoint, at node: SimulatedNode) {
    guard node.isRunning, node.inbox.count < Self.inboxDatagrams else { return }
    node.inbox.append((bytes, from, SimulatedNode.link))
    guard !node.isAboutToRead else { return }
    node.isAboutToRead = true
    let wait = random.within(Self.serviceMicroseconds)
    queue.push(.read(node.index), at: Instant(microseconds: now.microseconds + wait))
  }

  func read(at node: SimulatedNode) throws {
    node.isAboutToRead = false
    guard node.isRunning, !node.inbox.isEmpty else { return }
    let batch = Array(node.inbox.prefix(Limits.inputsPerBatch))
    node.inbox.removeFirst(batch.count)
    for datagram in batch { trace.note(.arrived, at: now, node: node.index, datagram.bytes) }
    try input(node) { replica, clock in
      ((), try replica.receive(batch, now: clock))
    } then: {
      try noteUnaskedWrites(of: node)
    }
    guard !node.inbox.isEmpty else { return }
    node.isAboutToRead = true
    queue.push(.read(node.index), at: Instant(microseconds: now.microseconds + 100))
  }

  /// The minimum interval between two deadline passes.
  private static let alarmMicroseconds: Int64 = 1000

  func setAlarm(of node: SimulatedNode) {
    guard node.power == .on, node.replica != nil, let deadline = node.nextDeadline
    else { return }
    let soon = Instant(microseconds: now.microseconds + Self.alarmMicroseconds)
    let due = max(soon, node.clock.time(of: deadline))
    if let alarm = node.alarm, alarm <= due { return }
    node.alarm = due
    queue.push(.alarm(node.index), at: due)
  }

  func soundAlarm(of node: SimulatedNode) throws {
    guard node.alarm == now else { return }
    node.alarm = nil
    guard node.isRunning else { return }
    guard let deadline = node.nextDeadline,
      deadline <= node.clock.reading(at: now).instant
    else { return setAlarm(of: node) }
    try input(node) { replica, clock in
      ((), try replica.passDeadlines(now: clock))
    } then: {
      try noteUnaskedWrites(of: node)
    }
  }

  // MARK: Power

  /// The retry interval of a start that failed.
  private static let startAgainMilliseconds: Int64 = 10_000

  func switchOn(_ node: SimulatedNode, start: Replica.Start = .goesOn) throws {
    let isFirst = node.power == .absent
    node.power = .on
    node.alarm = nil
    node.inbox = []
    node.ownLogs = [:]
    node.ownSequences = [:]
    node.clock.boot(at: now, offsetMicroseconds: random.below(1 << 40))
    do {
      node.replica = try Replica(
        store: node.store, credentials: node.credentials, start: start, seed: random.seed32(),
        systemBoot: node.clock.systemBoot, now: node.clock.reading(at: now))
    } catch let error as StoreError {
      node.failures["\(error)", default: 0] += 1
      node.power = .off
      if try !hasLostPower(node) { wakeLater(node, after: Self.startAgainMilliseconds) }
      return
    }
    trace.note(.changed, at: now, node: node.index, [1])
    for checker in checkers { try checker.started(node, in: self) }
    if isFirst, let keys = node.keys {
      try command(node) { replica, clock in ((), try replica.keep(keys, now: clock)) }
    }
    if let linkRate = scenario.network.linkRate {
      try command(node) { replica, clock in
        ((), try replica.limitLinks(to: linkRate, now: clock))
      }
    }
    let peers = endpoints(givenTo: node)
    try command(node) { replica, clock in
      let known = try replica.rememberedEndpoints() + peers
      return ((), try replica.contact(known, now: clock))
    }
    if isFirst, node.reads {
      try command(node) { replica, clock in
        ((), try replica.setCallsign(node.name, now: clock))
      }
    }
  }

  /// The current addresses of the nodes that its user knows.
  private func endpoints(givenTo node: SimulatedNode) -> [Endpoint] {
    node.plan.peers.map { self.node($0).endpoint }
  }

  /// Gives all nodes their configured peers' current addresses: one that moved before the first
  /// contact could not be found.
  func tellAddresses() throws {
    for node in nodes where node.isRunning && !node.plan.peers.isEmpty {
      let peers = endpoints(givenTo: node)
      try command(node) { replica, clock in ((), try replica.contact(peers, now: clock)) }
    }
  }

  /// Cuts the power: everything that is not on the disk is lost.
  func crash(_ node: SimulatedNode) throws {
    guard node.power == .on || node.power == .asleep || node.disk?.isOff == true else { return }
    trace.note(.changed, at: now, node: node.index, [2])
    node.replica = nil
    node.power = .off
    node.inbox = []
    node.outage += 1
    if let disk = node.disk { try damage(disk, of: node) }
  }

  func sleep(_ node: SimulatedNode) {
    guard node.power == .on else { return }
    trace.note(.changed, at: now, node: node.index, [3])
    node.power = .asleep
    node.inbox = []
    node.outage += 1
  }

  func wake(_ node: SimulatedNode) throws {
    switch node.power {
    case .on: return
    case .absent: try switchOnFirst(node)
    case .off: try switchOn(node)
    case .asleep:
      node.power = .on
      node.alarm = nil
      try command(node) { replica, clock in ((), try replica.linkUp(now: clock)) }
    }
  }

  /// A clone starts with the state of its original, sentinel included: nothing reveals to it that
  /// it is a clone.
  private func switchOnFirst(_ node: SimulatedNode) throws {
    guard !lost.contains(node.index) else { return }
    if node.plan.admittedBy != nil { tally.fire(.lostAdmitter) }
    guard let original = node.plan.cloneOf else {
      return try switchOn(node, start: .beginsAnew(above: 0))
    }
    node.store = try self.node(original).store.copiedInMemory()
    tally.fire(.clone)
    try switchOn(node)
  }

  /// Restores the disk of the backup. The sentinel, which is stored elsewhere, reveals to the node
  /// that its database is not the newest.
  func restore(_ node: SimulatedNode) throws {
    guard let backup = node.backup, let life = node.life else { return }
    try crash(node)
    let lost = try putBack(backup, on: node)
    for checker in checkers { try checker.restored(node, from: lost, in: self) }
    try switchOn(node, start: .beginsAnew(above: life.generation))
  }
}
