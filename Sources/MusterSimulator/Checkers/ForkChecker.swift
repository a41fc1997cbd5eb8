import MusterModel
import MusterReplica
import MusterStore

/// A fork is not passed over in silence: whoever holds two frames for one place was told so, and
/// its status says it. That all hold the same branches is for whoever looks whether they agree.
final class ForkChecker: Checker {
  func conclude(_ world: World) throws {
    guard world.fired(.equivocation) > 0 else { return }
    for node in world.nodes where node.isRunning {
      guard try node.store.logs().contains(where: \.isParted) else { continue }
      guard try node.replica?.status(now: node.clock.reading(at: world.now)).forks.isEmpty == true
      else { continue }
      world.report("a fork is told", "\(node.name) holds two branches, and does not say so")
    }
  }
}
