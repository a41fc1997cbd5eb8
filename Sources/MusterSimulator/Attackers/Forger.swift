import MusterAttackers
import MusterModel
import MusterReplica
import MusterStore

/// A member with real keys and a modified program, which forges frames, records and certificates,
/// and replays recorded ones.
struct Forger {
  private var random: RandomStream
  /// The records that each forger recorded earlier.
  private var recorded: [Int: [LatestRecord]] = [:]

  init(seed: UInt64) { random = RandomStream(seed: seed, named: "forger") }

  /// The next attempt.
  enum Attempt: CaseIterable {
    case frame
    case unsignedFrame
    case position
    case oldRecords
    case certificate
    case row

    /// - Parameter recorded: the records to replay.
    func perform(
      on replica: inout Replica, recorded: [LatestRecord], now: ClockReading
    ) throws -> Replica.Outcome {
      switch self {
      case .frame: try MaliciousMember.forgeFrame(&replica, isSigned: true, now: now)
      case .unsignedFrame: try MaliciousMember.forgeFrame(&replica, isSigned: false, now: now)
      case .position: try MaliciousMember.forgePosition(&replica, now: now)
      case .oldRecords: try MaliciousMember.sendAgain(&replica, recorded, now: now)
      case .certificate: try MaliciousMember.certifyAnother(&replica, now: now)
      case .row: try MaliciousMember.squat(&replica, now: now)
      }
    }
  }

  mutating func attempt() -> Attempt { random.element(of: Attempt.allCases) ?? .frame }

  /// Returns recorded records to replay; records the current ones from time to time.
  mutating func records(of node: SimulatedNode) throws -> [LatestRecord] {
    if let old = recorded[node.index], random.below(4) > 0 { return old }
    let held = try node.store.records().filter { $0.kind == .position }
    recorded[node.index] = held
    return held
  }
}
