import MusterModel
import MusterReplica
import MusterStore

/// A fork is not passed over in silence: where two frames for one place went out and some hold the
/// one, some the other, somebody is told so.
final class ForkChecker: Checker {
  func conclude(_ world: World) throws {
    guard world.fired(.equivocation) > 0, try isForked(world) else { return }
    guard !world.nodes.contains(where: { $0.forksTold > 0 }) else { return }
    world.report("a fork is told", "honest nodes hold different branches, and nobody was told")
  }

  private func isForked(_ world: World) throws -> Bool {
    let forking = Set(world.forkers.map { world.nodes[$0].credentials.certificate })
    var heads: [LogID: Set<FrameHash>] = [:]
    for node in world.nodes where node.isRunning && !world.forkers.contains(node.index) {
      for log in try node.store.logs() where forking.contains(log.opening.certificate) {
        heads[log.head.log, default: []].insert(log.head.hash)
      }
    }
    return heads.values.contains { $0.count > 1 }
  }
}
