import MusterModel
import MusterReplica
import MusterStore

/// Checks that memory and queues are bounded, and that memory matches the disk.
final class BoundsChecker: Checker {
  private let promise = "memory and queues are bounded"
  private var inputs = 0
  private var turn = 0
  /// The engine's tables are checked at this interval of inputs, since a check costs their size.
  private static let inputsBetweenChecks = 64

  func took(_ outcome: Replica.Outcome, at node: SimulatedNode, in world: World) throws {
    inputs += 1
    guard inputs % Self.inputsBetweenChecks == 0 else { return }
    _ = try node.change { $0.checkEngine() }
  }

  func look(_ world: World) throws {
    turn += 1
    for node in world.mesh.someNodes(turn: turn) {
      try node.replica?.checkInvariants()
      let counts = try node.store.counts()
      if counts.logs > Limits.logs {
        world.report(promise, "\(node.name) holds \(counts.logs) logs")
      }
    }
  }
}
