import MusterModel
import MusterReplica
import MusterStore

/// Checks that forks are reported: a node with two frames at one position was notified, and its
/// status shows it. The convergence check covers that all hold the same branches.
final class ForkChecker: Checker {
  func conclude(_ world: World) throws {
    guard world.fired(.equivocation) > 0 else { return }
    for node in world.nodes where node.isRunning {
      guard try node.store.logs().contains(where: \.isParted) else { continue }
      guard try node.replica?.status(now: node.clock.reading(at: world.now)).forks.isEmpty == true
      else { continue }
      world.report("a fork is reported", "\(node.name) holds two branches and does not report it")
    }
  }
}
