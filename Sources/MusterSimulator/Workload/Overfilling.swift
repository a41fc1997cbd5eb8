import MusterModel
import MusterReplica

/// A member with real keys and a modified program, which sends only signed and valid data, but too
/// much of it: unlimited logs, trackers, receipts, epochs and keys.
///
/// It exceeds every bound by which nodes may differ until the device is revoked. It sends fewer
/// trackers and control logs, which a revocation does not remove from the digests.
struct Overfiller {
  private var random: RandomStream
  /// The count that each node has sent, by node and kind.
  private var sent: [Int: [Attempt: Int]] = [:]

  init(seed: UInt64) { random = RandomStream(seed: seed, named: "overfill") }

  /// The kind of data to send next.
  enum Attempt: CaseIterable {
    case openedLogs
    case sentLogs
    case bareLogs
    case controlLogs
    case madeUpEpochs
    case announcement
    case trackers
    case receipts
    /// Command rotates the epoch.
    case rotation

    /// The maximum for one device.
    fileprivate var most: Int {
      switch self {
      case .openedLogs, .sentLogs: 100
      case .bareLogs: 200
      case .controlLogs: 40
      // With more, late nodes no longer request its own frames under real epochs.
      case .madeUpEpochs: 12
      case .announcement: 24
      case .trackers: 200
      case .receipts: 600
      case .rotation: 48
      }
    }

    /// At once.
    fileprivate var some: Int {
      switch self {
      case .openedLogs, .sentLogs: 25
      case .bareLogs, .trackers, .receipts: 50
      case .controlLogs: 10
      case .madeUpEpochs: 12
      case .announcement, .rotation: 1
      }
    }
  }

  /// Nil where this device has sent as much as it may of what was drawn.
  mutating func attempt(by node: SimulatedNode) -> (attempt: Attempt, count: Int)? {
    guard let attempt = random.element(of: Attempt.allCases) else { return nil }
    let count = min(
      attempt.some, attempt.most - sent[node.index, default: [:]][attempt, default: 0])
    guard count > 0 else { return nil }
    sent[node.index, default: [:]][attempt, default: 0] += count
    return (attempt, count)
  }

  mutating func lane() -> Lane { random.element(of: [Lane.state, .urgent]) ?? .state }

  mutating func generation() -> UInt32 {
    random.element(of: [.max, .max - 1, 1 << 31, Limits.epochStep, Limits.epochStep * 2]) ?? .max
  }
}

extension World {
  func overfill(_ node: SimulatedNode, everyMilliseconds: Int64, until: Instant) throws {
    guard now < until, phase == .story else { return }
    queue.push(
      .overfill(node.index, everyMilliseconds: everyMilliseconds, until: until),
      at: now.advanced(byMilliseconds: everyMilliseconds))
    guard node.isRunning, let (attempt, count) = overfiller.attempt(by: node) else { return }
    let (lane, generation) = (overfiller.lane(), overfiller.generation())
    if attempt == .rotation { return try rotate() }
    tally.fire(.overfilling)
    try command(node) { replica, clock in
      switch attempt {
      case .openedLogs: ((), try replica.openLogs(count, lane: lane, now: clock))
      case .sentLogs: ((), try replica.floodLogs(count, lane: lane, now: clock))
      case .bareLogs: ((), try replica.openLogs(count, lane: lane, areBare: true, now: clock))
      case .controlLogs: ((), try replica.openLogs(count, lane: .control, now: clock))
      case .madeUpEpochs: ((), try replica.sealUnderMadeUpEpochs(count, now: clock))
      case .announcement:
        (
          (),
          try replica.announceEpoch(
            generation: generation, excludesRevocations: true, tries: 64, now: clock)
        )
      case .trackers:
        (
          (),
          try replica.trackMadeUpPhones(
            count, at: Terrain.coordinate(of: GroundPoint(north: 1, east: 1)), now: clock)
        )
      case .receipts: ((), try replica.receiptMadeUpLogs(count, now: clock))
      case .rotation: ((), Replica.Outcome())
      }
    }
  }

  /// The founder makes a new epoch, and writes under it from now on.
  private func rotate() throws {
    let founder = nodes[0]
    guard founder.isRunning else { return }
    let done = try command(founder) { replica, clock in
      ((), try replica.rotateEpoch(now: clock))
    }
    guard done != nil else { return }
    trace.note(.wrote, at: now, node: founder.index, [])
    guard try founder.change({ try $0.writingEpoch })??.isOwn != true else { return }
    report("a rotation takes effect", "\(founder.name) continues under an epoch of another device")
  }

  /// Command revokes the devices that exhaust their quotas, unless they are revoked already. These
  /// then request admission again, with their original request.
  func revokeOverfillers() throws {
    for node in nodes where overfillers.contains(node.index) {
      if !isRevoked(node) { try revoke(node, by: nodes[0]) }
      if isRevoked(node) { try admitAgain(node) }
    }
  }

  private func admitAgain(_ node: SimulatedNode) throws {
    guard node.isRunning, let (enrolment, request) = node.enrolment else { return }
    tally.fire(.readmission)
    let granted = try command(nodes[0]) { replica, clock in
      let (grant, _, outcome) = try replica.admit(
        request: request, role: node.plan.role, now: clock)
      return (grant, outcome)
    }
    guard let granted else { return }
    let (_, keys) = try enrolment.join(grant: granted.result)
    try command(node) { replica, clock in ((), try replica.keep(keys, now: clock)) }
  }
}
