import MusterModel
import MusterReplica

/// Checks that an alert is raised once while its cause lasts, and ends only after it was raised.
final class AlertChecker: Checker {
  private let promise = "an alert is raised once"
  /// The alerts of each node since its start. Earlier ones are unknown.
  private var standing: [Int: [AlertID: Bool]] = [:]

  /// A crash between evaluation and commit may raise one again.
  func started(_ node: SimulatedNode, in world: World) throws { standing[node.index] = nil }

  func took(_ outcome: Replica.Outcome, at node: SimulatedNode, in world: World) throws {
    for change in outcome.alertChanges {
      let (id, isRaised): (AlertID, Bool)
      switch change {
      case .raised(let alert): (id, isRaised) = (alert.id, true)
      case .acknowledged: continue
      case .cleared(let alert): (id, isRaised) = (alert.id, false)
      }
      if standing[node.index]?[id] == isRaised {
        world.report(promise, "\(node.name): \(id) is \(isRaised ? "raised" : "over") twice")
      }
      standing[node.index, default: [:]][id] = isRaised
    }
  }
}
