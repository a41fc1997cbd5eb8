import MusterModel
import MusterReplica
import MusterStore

/// A member with real keys and a changed program, who forges whole frames, records and
/// certificates, and sends again what was recorded.
struct Forger {
  private var random: RandomStream
  /// What each forger recorded a while ago.
  private var recorded: [Int: [LatestRecord]] = [:]

  init(seed: UInt64) { random = RandomStream(seed: seed, named: "forger") }

  /// What to try next.
  enum Attempt: CaseIterable {
    case frame
    case unsignedFrame
    case position
    case oldRecords
    case certificate
    case row
  }

  mutating func attempt() -> Attempt { random.element(of: Attempt.allCases) ?? .frame }

  /// What is to be sent again; a while later, what is held now.
  mutating func records(of node: SimulatedNode) throws -> [LatestRecord] {
    if let old = recorded[node.index], random.below(4) > 0 { return old }
    let held = try node.store.records().filter { $0.kind == .position }
    recorded[node.index] = held
    return held
  }
}

extension World {
  /// What is forged is no acknowledged write: nobody may hold or show anything of it.
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
