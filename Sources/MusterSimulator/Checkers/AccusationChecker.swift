import MusterModel
import MusterReplica

/// Checks for false stall reports: no honest node reports an honest peer as stalled because it is
/// partitioned, asleep, slow or behind.
///
/// Exempt are nodes that withhold, flood or forge by the scenario, and revoked devices and clones.
final class AccusationChecker: Checker {
  private let saboteurs: Set<String>

  init(_ scenario: Scenario) {
    var names: Set<String> = []
    for entry in scenario.timeline {
      switch entry.event {
      case .withhold(let name, _), .flood(let name, _, _), .forger(let name, _, _),
        .overfill(let name, _, _):
        names.insert(name)
      default: break
      }
    }
    saboteurs = names
  }

  func took(_ outcome: Replica.Outcome, at node: SimulatedNode, in world: World) throws {
    guard !outcome.accused.isEmpty, isHonest(node, in: world) else { return }
    for accused in outcome.accused {
      guard let other = world.nodes.first(where: { $0.credentials.device == accused.device }),
        isHonest(other, in: world)
      else { continue }
      let what = accused.kind == .asksForNothing ? "requests nothing" : "withholds data"
      world.report(
        "no honest peer is reported as stalled", "\(node.name) reports that \(other.name) \(what)")
    }
  }

  private func isHonest(_ node: SimulatedNode, in world: World) -> Bool {
    !saboteurs.contains(node.name) && !world.isRevoked(node)
      && !world.faulty.forkers.contains(node.index)
  }
}
