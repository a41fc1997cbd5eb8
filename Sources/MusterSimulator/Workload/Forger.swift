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

extension World {
  /// A forgery is not an acknowledged write: no node may store or show it.
  func forge(_ node: SimulatedNode, everyMilliseconds: Int64, until: Instant) throws {
    guard now < until, phase == .story else { return }
    queue.push(
      .forge(node.index, everyMilliseconds: everyMilliseconds, until: until),
      at: now.advanced(byMilliseconds: everyMilliseconds))
    guard node.isRunning else { return }
    let attempt = forger.attempt()
    let old = attempt == .oldRecords ? try forger.records(of: node) : []
    tally.fire(.forger)
    try command(node) { replica, clock in
      switch attempt {
      case .frame: ((), try replica.forgeFrame(isSigned: true, now: clock))
      case .unsignedFrame: ((), try replica.forgeFrame(isSigned: false, now: clock))
      case .position: ((), try replica.forgePosition(now: clock))
      case .oldRecords: ((), try replica.sendAgain(old, now: clock))
      case .certificate: ((), try replica.certifyAnother(now: clock))
      case .row: ((), try replica.squat(now: clock))
      }
    }
  }
}
