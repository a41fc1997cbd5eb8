import MusterModel
import MusterReplica

/// An alert is raised once while its matter stands, and is over only if it was raised.
final class AlertChecker: Checker {
  private let promise = "an alert is raised once"
  /// Of each node since its start, by the matter; what stood before that is not known.
  private var standing: [Int: [AlertID: Bool]] = [:]

  /// A crash between the look and the disk may raise one again.
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
