public import MusterModel
import MusterReplica

/// A simulated mesh, determined by one seed: real replicas with real cryptography on real
/// databases, in a simulated environment, in one thread and virtual time.
///
///     Scenario ─┐                     ┌─▶ SimulatedNode: Replica, Store, clocks, movement
///     seed ─────┴─▶ World ─ events ───┼─▶ Network: delivery, delay, damage
///                     │               ├─▶ Workload: actions of users
///                     ▼               └─▶ timeline: faults
///           checkers examine it during the run, and at its end
///
/// A run has three phases: a *warm-up* on a faultless network; the *story* with faults, in which
/// safety promises are checked; and after a *heal* the *settling*, in which all nodes must converge
/// in time.
///
/// - Every choice comes from the seed by named streams, so a seed gives the same run every time,
///   down to the last byte: `TraceHash` proves it.
/// - It reads no clock and draws no other randomness.
/// - A class, since checkers examine it while it runs.
public final class World {
  /// The scenario of this run.
  public let scenario: Scenario
  /// The nodes of which checkers expect less.
  let faulty: FaultyNodes
  var schedule = Schedule<ScheduledEvent>()
  var mesh: Mesh
  var network: Network
  var workload: Workload
  let attackers: Attackers
  let revocations: Revocations
  let checkers: CheckerSuite
  let record: RunRecord
  /// For replica seeds, start times, and other choices of the world itself.
  var random: RandomStream
  /// Called from time to time to show progress.
  public var onProgress: ((World) -> Void)?

  /// The phase of a run.
  public enum Phase: String, Sendable {
    case warmUp = "warming up"
    case story
    case settling
    case over
  }

  /// A future event.
  enum ScheduledEvent {
    case arrival(to: Int, bytes: [UInt8], from: Endpoint)
    case read(Int)
    case alarm(Int)
    case fix(Int)
    case work(WorkKind)
    case timeline(TimelineEvent)
    case wake(Int, outage: Int)
    case flap([[String]], isCut: Bool, everyMilliseconds: Int64, until: Instant)
    case attack(MemberAttack, by: Int, everyMicroseconds: Int64, until: Instant)
    case intrude(noise: Bool, everyMicroseconds: Int64, until: Instant)
    case repair(Int, fault: Int)
    case look
    case examine
    case review(Int)
    case examineCheckIns(Int)
  }

  /// Founds the operation and enrols all nodes by file.
  public init(_ scenario: Scenario, seed: UInt64) throws {
    self.scenario = scenario
    faulty = FaultyNodes(scenario)
    network = Network(scenario.network, names: scenario.nodes.map(\.name), seed: seed)
    workload = Workload(scenario.workload, seed: seed)
    attackers = Attackers(
      seed: seed, isRecording: scenario.configuredKnobs.contains(.replay))
    checkers = CheckerSuite(scenario, faulty: faulty)
    record = RunRecord(seed: seed)
    let founding = try Founding(scenario, seed: seed)
    mesh = founding.mesh
    random = founding.random
    revocations = Revocations(rootKey: founding.rootKey)
  }

  // MARK: State

  /// The seed of all choices.
  public var seed: UInt64 { record.seed }
  /// The time of the world, from 0; no node's clock shows it.
  public var now: Instant { schedule.now }
  /// The start of the story, at the end of the warm-up.
  public var storyStart: Instant { schedule.storyStart }
  /// The current phase.
  public var phase: Phase { schedule.phase }

  /// Data for a report; nil, the default, records nothing.
  public var recording: Recording? {
    get { record.recording }
    set { record.recording = newValue }
  }

  /// The time since the story began, in milliseconds.
  public var storyMilliseconds: Int64 {
    phase == .warmUp ? -scenario.warmUpMilliseconds : now.milliseconds(since: storyStart)
  }

  var nodes: [SimulatedNode] { mesh.nodes }

  func node(_ name: String) -> SimulatedNode { mesh.node(name) }

  /// Returns whether it was revoked or may have been, whichever nodes know.
  func isRevoked(_ node: SimulatedNode) -> Bool {
    revocations.isRevoked(node.credentials.device)
  }

  /// Returns false for revoked devices and clones.
  func isPromisedOthersWork(_ node: SimulatedNode) -> Bool {
    node.isRunning && !isRevoked(node) && !faulty.forkers.contains(node.index)
  }

  /// Notes an event of a node in the trace.
  func note(_ kind: TraceHash.Kind, at node: SimulatedNode, _ bytes: [UInt8] = []) {
    record.note(kind, at: now, node: node.index, bytes)
  }

  func report(_ promise: String, _ detail: String) {
    record.add(Violation(promise: promise, detail: detail, atMilliseconds: storyMilliseconds))
  }

  // MARK: Runs

  /// Runs a scenario. An error that ends the run early counts as a violation too.
  public static func play(_ scenario: Scenario, seed: UInt64) -> RunResult {
    let world: World
    do {
      world = try World(scenario, seed: seed)
    } catch {
      preconditionFailure("an operation cannot be founded: \(error)")
    }
    do {
      return try world.run()
    } catch let broken as BrokenInvariant {
      world.report("the product's own invariants hold", broken.description)
      return world.result
    } catch {
      world.report("a run comes to its end", "\(error)")
      return world.result
    }
  }

  /// Runs the scenario from start to end.
  public func run() throws -> RunResult {
    try warmUp()
    try play()
    try settle()
    schedule.begin(.over)
    try record.recording?.look(at: self, isLast: true)
    try checkers.conclude(self)
    checkKnobs()
    checkBytes()
    return result
  }

  // MARK: Phases

  private func warmUp() throws {
    for node in nodes where node.plan.joinsAtMilliseconds == 0 && !faulty.lost.contains(node.index)
    {
      try switchOn(node)
    }
    for node in nodes where node.plan.admittedBy != nil && node.isRunning {
      record.fire(.lostAdmitter)
    }
    for _ in 0..<scenario.workload.fences { try perform(workload.newFence(), at: nodes[0]) }
    try advance(to: now.advanced(byMilliseconds: scenario.warmUpMilliseconds))
    let patience = now.advanced(byMilliseconds: Self.warmUpPatienceMilliseconds)
    while try !isInAgreement() {
      guard now < patience else {
        return report(
          "everybody meets on a good network", "not after ten minutes: \(try disagreement())")
      }
      try advance(to: now.advanced(byMilliseconds: 1000))
    }
  }

  private static let warmUpPatienceMilliseconds: Int64 = 600_000

  private func play() throws {
    schedule.begin(.story)
    network.isFaultless = false
    for node in nodes {
      if node.plan.joinsAtMilliseconds > 0 {
        wakeLater(node, after: node.plan.joinsAtMilliseconds)
      }
      if scenario.workload.positionsEveryMilliseconds != nil, node.positions.canMove {
        schedule.push(.fix(node.index), at: fixTime(after: now, isFirst: true))
      }
      if node.plan.skewMilliseconds != 0 { record.fire(.skew) }
      if node.plan.driftPerMillion != 0 { record.fire(.drift) }
    }
    for kind in WorkKind.allCases {
      if let next = workload.next(kind, after: now) { schedule.push(.work(kind), at: next) }
    }
    for entry in scenario.timeline {
      schedule.push(.timeline(entry.event), afterMilliseconds: entry.atMilliseconds)
    }
    schedule.push(.look, at: now)
    try advance(to: storyEnd)
  }

  var storyEnd: Instant { storyStart.advanced(byMilliseconds: scenario.durationMilliseconds) }

  private func settle() throws {
    schedule.begin(.settling)
    network.heal()
    try updateAddresses()
    network.weatherPerMillion = nil
    network.isGathered = true
    repairDisks()
    for node in nodes where node.power != .on { try wake(node) }
    try attackers.revokeOverfillers(in: self)
    let healed = now
    let budget = scenario.settleMilliseconds + (try FloodBacklog(of: self).milliseconds)
    while try !revocations.haveUsurpersBeenRevoked(in: self) || !isInAgreement() {
      guard now.milliseconds(since: healed) < budget else {
        return report(
          "all agree after the heal",
          "not within \(Quantity.duration(budget)): \(try disagreement())")
      }
      try record.recording?.look(at: self, isLast: false)
      try advance(to: now.advanced(byMilliseconds: Self.agreementStepMilliseconds))
    }
    let needed = now.milliseconds(since: healed)
    record.converge(afterMilliseconds: needed)
    record.note(.agreed, at: now, node: -1, try nodes[0].replica?.stateHash().bytes ?? [])
    if let most = scenario.expectations.convergesWithinMilliseconds, needed > most {
      report("converges_within", "took \(Quantity.duration(needed))")
    }
    let wait = max(scenario.settleMilliseconds, CloneChecker.patienceMilliseconds)
    while now < healed.advanced(byMilliseconds: wait), try !checkers.clones.isReported(in: self) {
      try advance(to: now.advanced(byMilliseconds: Self.cloneStepMilliseconds))
    }
  }

  private static let cloneStepMilliseconds: Int64 = 1000

  private static let agreementStepMilliseconds: Int64 = 100

  /// Processes all events up to a time.
  func advance(to end: Instant) throws {
    while let event = schedule.next(until: end) { try take(event) }
  }
}
