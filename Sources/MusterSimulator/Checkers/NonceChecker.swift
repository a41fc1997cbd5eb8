import MusterModel
import MusterReplica
import MusterStore

/// Checks that no nonce is reused with one key, which would reveal plaintext. Examines frames and
/// the newest positions.
final class NonceChecker: Checker {
  private let promise = "no nonce is used twice"

  private struct Use: Hashable {
    let epoch: EpochID
    let nonce: ArraySlice<UInt8>
  }

  private static let nonceBytes = 24

  func conclude(_ world: World) throws {
    guard let node = world.nodes.first(where: \.isRunning) else { return }
    var uses: Set<Use> = []
    func note(_ epoch: EpochID, _ body: [UInt8], _ what: @autoclosure () -> String) {
      let use = Use(epoch: epoch, nonce: body.prefix(Self.nonceBytes))
      if !uses.insert(use).inserted { world.report(promise, "once more in \(what())") }
    }
    try node.store.forEachFrame { _, frame in
      guard let epoch = frame.epoch else { return }
      note(epoch, frame.body, "frame \(frame.sequence) of log \(frame.log.short)")
    }
    for record in try node.store.records() where record.kind == .position {
      note(record.epoch, record.body, "the position \(record.topic.short)")
    }
  }
}
