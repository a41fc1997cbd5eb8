import MusterAttackers
import MusterModel
import MusterReplica

/// An attack of a member with real keys and a modified program, repeated at an interval.
enum MemberAttack {
  /// It signs unauthorized operations, and permitted ones that are meant to mislead.
  case cheat
  /// It forges frames, records and certificates, and replays recorded ones.
  case forge
  /// It sends valid data beyond every bound.
  case overfill
  /// It sends invalid signatures, which all nodes have to verify or rate-limit.
  case flood
}

/// The attackers of a run: members with real keys and a modified program, and outsiders.
///
/// What they send is not an acknowledged write: no node may store or show a forgery, and none may
/// show an unauthorized operation, and none may be misled by a permitted one.
///
/// A class, since an attack is a command of a node, whose datagrams come back here.
final class Attackers {
  private var insider: Insider
  private let acts: InsiderActs
  private var forger: Forger
  private var overfiller: Overfiller
  private var eavesdropper: Eavesdropper
  /// Whether recorded datagrams are ever replayed, since recording costs time.
  private let isRecording: Bool
  /// By node, until when it is a relay that forwards nothing.
  private var withholding: [Int: Instant] = [:]

  /// No smaller datagram carries a write of another device.
  private static let leastWriteBytes = 160
  private static let outsider = SimulatedNode.endpoint(index: 60_000, move: 255)

  init(seed: UInt64, isRecording: Bool) {
    insider = Insider(seed: seed)
    acts = InsiderActs(seed: seed)
    forger = Forger(seed: seed)
    overfiller = Overfiller(seed: seed)
    eavesdropper = Eavesdropper(seed: seed)
    self.isRecording = isRecording
  }

  // MARK: Members

  /// Attacks, and schedules the next time.
  func attack(
    _ attack: MemberAttack, by node: SimulatedNode, everyMicroseconds: Int64, until: Instant,
    in world: World
  ) throws {
    guard world.now < until, world.phase == .story else { return }
    world.schedule.push(
      .attack(attack, by: node.index, everyMicroseconds: everyMicroseconds, until: until),
      afterMicroseconds: everyMicroseconds)
    guard node.isRunning else { return }
    switch attack {
    case .cheat: try cheat(node, in: world)
    case .forge: try forge(node, in: world)
    case .overfill: try overfill(node, in: world)
    case .flood:
      world.record.fire(.flood)
      try world.command(node) { ((), try MaliciousMember.forgeFrame(&$0, isSigned: true, now: $1)) }
    }
  }

  private func cheat(_ node: SimulatedNode, in world: World) throws {
    let (operations, lane) = try insider.attempt(by: node, among: world.nodes)
    world.record.fire(.insider)
    try world.command(node) { replica, clock in
      ((), try MaliciousMember.author(&replica, unchecked: operations, lane: lane, now: clock))
    }
    if let impostor = try insider.impostor(by: node) {
      try world.command(node) { replica, clock in
        ((), try MaliciousMember.author(&replica, unchecked: impostor, lane: lane, now: clock))
      }
    }
    try acts.act(by: node, in: world)
  }

  /// The epochs whose keys no node may use.
  var madeUpEpochs: Set<EpochID> { acts.epochs }

  private func forge(_ node: SimulatedNode, in world: World) throws {
    let attempt = forger.attempt()
    let old = attempt == .oldRecords ? try forger.records(of: node) : []
    world.record.fire(.forger)
    try world.command(node) { ((), try attempt.perform(on: &$0, recorded: old, now: $1)) }
  }

  private func overfill(_ node: SimulatedNode, in world: World) throws {
    guard let (attempt, count) = overfiller.attempt(by: node) else { return }
    let (lane, generation) = (overfiller.lane(), overfiller.generation())
    if attempt == .rotation { return try rotate(in: world) }
    world.record.fire(.overfilling)
    try world.command(node) { replica, clock in
      let outcome = try attempt.perform(
        on: &replica, count: count, lane: lane, generation: generation, now: clock)
      return ((), outcome)
    }
  }

  /// The founder makes a new epoch, and writes under it from now on.
  private func rotate(in world: World) throws {
    let founder = world.nodes[0]
    guard founder.isRunning else { return }
    guard try world.command(founder, { ((), try $0.rotateEpoch(now: $1)) }) != nil else { return }
    world.note(.wrote, at: founder)
    guard try founder.change({ try $0.queries.writingEpoch })??.isOwn != true else { return }
    world.report(
      "a rotation takes effect", "\(founder.name) continues under an epoch of another device")
  }

  /// Command revokes the devices that exhaust their quotas, unless they are revoked already. These
  /// then request admission again, with their original request.
  func revokeOverfillers(in world: World) throws {
    for node in world.nodes where world.faulty.overfillers.contains(node.index) {
      if !world.isRevoked(node) {
        try world.revocations.revoke(node, by: world.nodes[0], in: world)
      }
      if world.isRevoked(node) { try admitAgain(node, in: world) }
    }
  }

  private func admitAgain(_ node: SimulatedNode, in world: World) throws {
    guard node.isRunning, let (enrolment, request) = node.admission.enrolment else { return }
    world.record.fire(.readmission)
    let granted = try world.command(world.nodes[0]) { replica, clock in
      let admitted = try replica.admit(request: request, role: node.plan.role, now: clock)
      return (admitted.grant, admitted.outcome)
    }
    guard let granted else { return }
    let (_, keys) = try enrolment.join(grant: granted.result)
    try world.command(node) { ((), try $0.keep(keys, now: $1)) }
  }

  /// Sends two frames for one position, so that nodes hold different branches, and forks a control
  /// log more often than counts.
  func equivocate(_ node: SimulatedNode, in world: World) throws {
    guard node.isRunning else { return }
    let done = try world.command(node) { ((), try MaliciousMember.equivocate(&$0, now: $1)) }
    if done != nil { world.record.fire(.equivocation) }
    try world.command(node) { ((), try MaliciousMember.forkPastBound(&$0, now: $1)) }
  }

  // MARK: Relays

  func withhold(_ node: SimulatedNode, until: Instant) { withholding[node.index] = until }

  /// Returns whether a node withholds a datagram that it should relay.
  func isWithheld(_ bytes: [UInt8], by node: SimulatedNode, in world: World) -> Bool {
    guard !withholding.isEmpty, let until = withholding[node.index], world.now < until,
      world.phase == .story, bytes.count >= Self.leastWriteBytes
    else { return false }
    world.record.fire(.withholding)
    return true
  }

  // MARK: Outsiders

  /// Overhears a datagram.
  func capture(_ bytes: [UInt8]) { if isRecording { eavesdropper.capture(bytes) } }

  /// Sends a datagram of an outsider to a random node, and schedules the next time.
  func intrude(noise: Bool, everyMicroseconds: Int64, until: Instant, in world: World) {
    guard world.now < until, world.phase == .story else { return }
    if let bytes = noise ? eavesdropper.noise() : eavesdropper.repetition() {
      world.record.fire(noise ? .garbage : .replay)
      let victim = eavesdropper.victim(of: world.nodes.count)
      world.schedule.push(
        .arrival(to: victim, bytes: bytes, from: Self.outsider), afterMilliseconds: 1)
    }
    world.schedule.push(
      .intrude(noise: noise, everyMicroseconds: everyMicroseconds, until: until),
      afterMicroseconds: everyMicroseconds)
  }
}
