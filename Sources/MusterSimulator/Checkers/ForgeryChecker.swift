import MusterModel
import MusterReplica
import MusterStore
import MusterSync

/// Checks that nothing forged is stored on any node: its author wrote every frame and signed every
/// record; and at the end every hash, chain, signature and rule is verified again.
final class ForgeryChecker: Checker {
  private let promise = "nothing appears that its author did not write"
  private let ledger: LostWriteChecker
  private var turn = 0
  /// The last verified record of each topic.
  private var proven: [RecordTopic: LatestRecord] = [:]

  init(ledger: LostWriteChecker) { self.ledger = ledger }

  func look(_ world: World) throws {
    turn += 1
    for node in world.mesh.someNodes(turn: turn) { try check(node, in: world) }
  }

  private func check(_ node: SimulatedNode, in world: World) throws {
    try checkHeads(of: node, in: world)
    try checkRecords(of: node, in: world)
  }

  private func checkRecords(of node: SimulatedNode, in world: World) throws {
    for record in try node.store.records() where proven[record.topic] != record {
      let author = world.nodes.first { $0.credentials.certificate == record.certificate }
      let isSigned =
        author.map { author in
          record.isSigned(
            by: author.credentials.verifyingKey, operation: author.credentials.operation,
            sharing: world.mesh.verifications)
        } ?? false
      guard isSigned else {
        world.report(promise, "\(node.name) holds a record without a signer")
        continue
      }
      proven[record.topic] = record
    }
  }

  private func checkHeads(of node: SimulatedNode, in world: World) throws {
    // The world does not track these logs.
    let untracked = world.faulty.forkers.union(world.faulty.overfillers)
    let forking = Set(untracked.map { world.nodes[$0].credentials.certificate })
    for log in try node.store.logs()
    where log.opening.certificate != .root && !forking.contains(log.opening.certificate) {
      var entry = ledger.ledger[log.head.log]
      if entry.map({ $0.written.sequence < log.head.sequence }) ?? true,
        let author = world.nodes.first(where: {
          $0.credentials.certificate == log.opening.certificate
        })
      {
        try ledger.noteWhatWasKept(by: author)
        entry = ledger.ledger[log.head.log]
      }
      guard let entry else {
        world.report(promise, "\(node.name) holds log \(log.head.log.short) without an author")
        continue
      }
      if log.head.sequence == entry.written.sequence {
        if log.head.hash != entry.written.hash {
          world.report(promise, "\(node.name) holds another head of \(log.head.log.short)")
        }
      } else if log.head.sequence > entry.written.sequence {
        world.report(promise, "\(node.name) holds more of \(log.head.log.short) than was written")
      }
    }
  }

  func conclude(_ world: World) throws {
    for node in world.nodes where node.isRunning {
      try check(node, in: world)
      try node.replica?.checkInvariants()
    }
    // Verification is expensive and they hold the same data: a few nodes suffice.
    for node in world.nodes.prefix(3) where node.isRunning && node.reads {
      for problem in try node.replica?.verify().problems ?? [] {
        world.report(promise, "\(node.name): \(problem)")
      }
    }
  }
}
