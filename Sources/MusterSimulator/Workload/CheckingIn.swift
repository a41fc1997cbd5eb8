import MusterModel

/// Timers by which people must check in, and what people do about them, from a separate random
/// stream so that older seeds give the same runs.
///
/// Some check in in time, some too late, some never; some timers are answered by command.
struct CheckingIn {
  private var random: RandomStream

  init(seed: UInt64) { random = RandomStream(seed: seed, named: "check-ins") }

  /// Returns the time of the next action of a kind, after its mean time on average.
  mutating func next(mean: Int64, after now: Instant) -> Instant {
    Instant(microseconds: now.microseconds + random.within(1...mean * 2000))
  }

  mutating func actor(among able: [SimulatedNode]) -> SimulatedNode? { random.element(of: able) }

  mutating func act(
    _ kind: WorkKind, by node: SimulatedNode, among nodes: [SimulatedNode]
  ) -> Act? {
    let other = random.element(of: nodes.filter { $0.reads && $0.plan.cloneOf == nil })
    let isCommand = node.plan.role == .command
    return kind == .checkIns
      ? start(isCommand ? other?.credentials.user : nil, isCommand: isCommand)
      : report(isCommand ? other?.credentials.user : nil)
  }

  private mutating func start(_ other: UserID?, isCommand: Bool) -> Act {
    let seconds = random.below(2) == 0 ? random.within(1...30) : random.within(20...240)
    let draft = CheckInDraft(
      durationSeconds: UInt32(seconds),
      repeats: random.below(2) == 0, graceSeconds: UInt32(random.within(0...45)),
      reminderSeconds: UInt32(random.within(0...60)),
      note: random.below(3) == 0 ? "North ridge" : "")
    guard isCommand else { return .startCheckIns(draft, .users([])) }
    switch random.below(5) {
    case 0, 1: return .startCheckIns(draft, .users(other.map { [$0] } ?? []))
    case 2: return .startCheckIns(draft, .everyone(random.below(3) == 0 ? .command : .member))
    default: return .startCheckIns(draft, .users([]))
    }
  }

  /// - Parameter other: a person that command may answer for.
  private mutating func report(_ other: UserID?) -> Act {
    let user = random.below(3) == 0 ? other : nil
    switch random.below(8) {
    case 0: return .checkIn(.stop, user, seconds: 0)
    case 1, 2: return .checkIn(.extend, user, seconds: UInt32(random.within(1...90)))
    default: return .checkIn(.ok, user, seconds: 0)
    }
  }
}
