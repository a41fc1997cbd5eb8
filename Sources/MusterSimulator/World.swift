public import MusterModel
import MusterReplica
import MusterStore
import MusterSync

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
  /// The seed of all choices.
  public let seed: UInt64
  /// The time of the world, from 0; no node's clock shows it.
  public internal(set) var now = Instant(microseconds: 0)
  /// The start of the story, at the end of the warm-up.
  public internal(set) var storyStart = Instant(microseconds: 0)
  /// The current phase.
  public internal(set) var phase = Phase.warmUp

  var nodes: [SimulatedNode] = []
  var indexByEndpoint: [Endpoint: Int] = [:]
  var network: Network
  var queue = EventQueue<Happening>()
  var trace = TraceHash()
  /// Hundreds of nodes verify the same signatures: the results are shared.
  let findings = SharedFindings()
  var workload: Workload
  var eavesdropper: Eavesdropper
  var insider: Insider
  var forger: Forger
  var overfiller: Overfiller
  /// Whether recorded datagrams are ever replayed, since recording costs time.
  let hasEavesdropper: Bool
  var tally = KnobTally()
  let namesWithDisks: Set<String>
  /// Nodes whose logs may have two frames at one position.
  let forkers: Set<Int>
  /// Nodes whose own writes may not reach all others.
  let doubtful: Set<Int>
  /// Nodes that exhaust their quotas: others need not agree on their data until they are revoked.
  let overfillers: Set<Int>
  /// Nodes that admitted a device and were destroyed.
  let lost: Set<Int>
  var revocations = RevocationRecord()
  var council = CouncilRecord()
  var acknowledgedWrites = 0
  var convergedMilliseconds: Int64?
  private(set) var violations: [Violation] = []
  /// For replica seeds, start times, and other choices of the world itself.
  var random: RandomStream
  let checkers: [any Checker]
  let promptness: PromptnessChecker
  let clones = CloneChecker()
  let dangers: DangerChecker

  /// Data for a report; nil, the default, records nothing.
  public var recording: Recording?

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
  enum Happening {
    case arrival(to: Int, bytes: [UInt8], from: Endpoint)
    case read(Int)
    case alarm(Int)
    case fix(Int)
    case work(WorkKind)
    case timeline(TimelineEvent)
    case wake(Int, outage: Int)
    case flap([[String]], isCut: Bool, everyMilliseconds: Int64, until: Instant)
    case cheat(Int, everyMilliseconds: Int64, until: Instant)
    case forge(Int, everyMilliseconds: Int64, until: Instant)
    case overfill(Int, everyMilliseconds: Int64, until: Instant)
    case intrude(noise: Bool, everyMicroseconds: Int64, until: Instant)
    case flood(Int, everyMicroseconds: Int64, until: Instant)
    case mend(Int, fault: Int)
    case look
    case examine
  }

  static let mostViolations = 20

  /// Founds the operation and enrols all nodes by file.
  public init(_ scenario: Scenario, seed: UInt64) throws {
    self.scenario = scenario
    self.seed = seed
    network = Network(
      scenario.network, links: scenario.links, names: scenario.nodes.map(\.name), seed: seed)
    workload = Workload(scenario.workload, seed: seed)
    eavesdropper = Eavesdropper(seed: seed)
    insider = Insider(seed: seed)
    forger = Forger(seed: seed)
    overfiller = Overfiller(seed: seed)
    namesWithDisks = scenario.namesWithDisks
    let forking = scenario.namesThatFork
    forkers = Set(scenario.nodes.indices.filter { forking.contains(scenario.nodes[$0].name) })
    let revoked = scenario.namesRevoked
    doubtful = forkers.union(
      scenario.nodes.indices.filter { revoked.contains(scenario.nodes[$0].name) })
    let (filling, lost) = (scenario.namesThatOverfill, scenario.namesLost)
    overfillers = Set(scenario.nodes.indices.filter { filling.contains(scenario.nodes[$0].name) })
    self.lost = Set(scenario.nodes.indices.filter { lost.contains(scenario.nodes[$0].name) })
    hasEavesdropper = scenario.configuredKnobs.contains(.replay)
    random = RandomStream(seed: seed, named: "world")
    let lostWrites = LostWriteChecker(doubtful: doubtful, forkers: forkers.union(self.lost))
    promptness = PromptnessChecker(scenario.expectations)
    dangers = DangerChecker(limitMilliseconds: scenario.expectations.dangersWithinMilliseconds)
    checkers = [
      lostWrites, ForgeryChecker(ledger: lostWrites),
      AuthorityChecker(scenario), ContentChecker(), AnswerChecker(), FenceParityChecker(),
      CrossingChecker(), PositionChecker(scenario.expectations), BoundsChecker(), UnharmedChecker(),
      DeliveryChecker(), NonceChecker(), ForkChecker(), MembershipChecker(),
      RevocationChecker(), TrackChecker(), AlertChecker(), AccusationChecker(scenario),
      promptness, clones, dangers,
    ]
    try found()
  }

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
    phase = .over
    try recording?.look(at: self, isLast: true)
    for checker in checkers { try checker.conclude(self) }
    checkKnobs()
    checkBytes()
    return result
  }

  // MARK: Phases

  private func warmUp() throws {
    for node in nodes where node.plan.joinsAtMilliseconds == 0 && !lost.contains(node.index) {
      try switchOn(node)
    }
    for node in nodes where node.plan.admittedBy != nil && node.isRunning {
      tally.fire(.lostAdmitter)
    }
    for _ in 0..<scenario.workload.fences { try perform(workload.newFence(), at: nodes[0]) }
    try advance(to: now.advanced(byMilliseconds: scenario.warmUpMilliseconds))
    let patience = now.advanced(byMilliseconds: Self.warmUpPatienceMilliseconds)
    while try !haveUsurpersBeenRevoked() || !isInAgreement() {
      guard now < patience else {
        return report(
          "everybody meets on a good network", "not after ten minutes: \(try disagreement())")
      }
      try advance(to: now.advanced(byMilliseconds: 1000))
    }
  }

  private static let warmUpPatienceMilliseconds: Int64 = 600_000

  private func play() throws {
    phase = .story
    storyStart = now
    network.isFaultless = false
    for node in nodes {
      if node.plan.joinsAtMilliseconds > 0 {
        queue.push(
          .wake(node.index, outage: node.outage),
          at: now.advanced(byMilliseconds: node.plan.joinsAtMilliseconds))
      }
      if scenario.workload.positionsEveryMilliseconds != nil, node.movement.canMove {
        queue.push(.fix(node.index), at: fixTime(after: now, isFirst: true))
      }
      if node.plan.skewMilliseconds != 0 { tally.fire(.skew) }
      if node.plan.driftPerMillion != 0 { tally.fire(.drift) }
    }
    for kind in WorkKind.allCases {
      if let next = workload.next(kind, after: now) { queue.push(.work(kind), at: next) }
    }
    for entry in scenario.timeline {
      queue.push(
        .timeline(entry.event), at: now.advanced(byMilliseconds: entry.atMilliseconds))
    }
    queue.push(.look, at: now)
    try advance(to: storyEnd)
  }

  var storyEnd: Instant { storyStart.advanced(byMilliseconds: scenario.durationMilliseconds) }

  private func settle() throws {
    phase = .settling
    network.heal()
    try tellAddresses()
    network.weatherPerMillion = nil
    network.isGathered = true
    mendDisks()
    for node in nodes where node.power != .on { try wake(node) }
    try revokeOverfillers()
    let healed = now
    let end = now.advanced(byMilliseconds: scenario.settleMilliseconds)
    while try !isInAgreement() {
      guard now < end else {
        let budget = Quantity.duration(scenario.settleMilliseconds)
        return report(
          "all agree after the heal", "not within \(budget): \(try disagreement())")
      }
      try recording?.look(at: self, isLast: false)
      try advance(to: now.advanced(byMilliseconds: Self.agreementStepMilliseconds))
    }
    let needed = now.milliseconds(since: healed)
    convergedMilliseconds = needed
    trace.note(.agreed, at: now, node: -1, try nodes[0].replica?.stateHash().bytes ?? [])
    if let most = scenario.expectations.convergesWithinMilliseconds, needed > most {
      report("converges_within", "took \(Quantity.duration(needed))")
    }
    let told = max(scenario.settleMilliseconds, CloneChecker.patienceMilliseconds)
    while now < healed.advanced(byMilliseconds: told), try !clones.isTold(in: self) {
      try advance(to: now.advanced(byMilliseconds: Self.cloneStepMilliseconds))
    }
  }

  private static let cloneStepMilliseconds: Int64 = 1000

  private static let agreementStepMilliseconds: Int64 = 100

  /// Processes all events up to a time.
  func advance(to end: Instant) throws {
    while let next = queue.nextTime, next <= end, let (time, happening) = queue.pop() {
      now = max(now, time)
      try take(happening)
    }
    now = max(now, end)
  }

  // MARK: Violations

  func report(_ promise: String, _ detail: String) {
    guard violations.count < Self.mostViolations else { return }
    violations.append(
      Violation(promise: promise, detail: detail, atMilliseconds: storyMilliseconds))
  }

  /// The time since the story began, in milliseconds.
  public var storyMilliseconds: Int64 {
    phase == .warmUp ? -scenario.warmUpMilliseconds : now.milliseconds(since: storyStart)
  }
}
