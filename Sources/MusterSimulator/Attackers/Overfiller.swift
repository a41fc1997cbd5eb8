import MusterAttackers
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

    /// Sends that much of it. A rotation is a command of the founder.
    func perform(
      on replica: inout Replica, count: Int, lane: Lane, generation: UInt32, now: ClockReading
    ) throws -> Replica.Outcome {
      switch self {
      case .openedLogs: return try MaliciousMember.openLogs(&replica, count, lane: lane, now: now)
      case .sentLogs: return try MaliciousMember.floodLogs(&replica, count, lane: lane, now: now)
      case .bareLogs:
        return try MaliciousMember.openLogs(&replica, count, lane: lane, areBare: true, now: now)
      case .controlLogs:
        return try MaliciousMember.openLogs(&replica, count, lane: .control, now: now)
      case .madeUpEpochs:
        return try MaliciousMember.sealUnderMadeUpEpochs(&replica, count, now: now)
      case .announcement:
        return try MaliciousMember.announceEpoch(
          &replica, generation: generation, excludesRevocations: true, tries: 64, now: now)
      case .trackers:
        let place = Terrain.coordinate(of: GroundPoint(north: 1, east: 1))
        return try MaliciousMember.trackMadeUpPhones(&replica, count, at: place, now: now)
      case .receipts: return try MaliciousMember.receiptMadeUpLogs(&replica, count, now: now)
      case .rotation: return Replica.Outcome()
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
