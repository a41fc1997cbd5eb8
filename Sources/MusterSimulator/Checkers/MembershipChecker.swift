import MusterModel
import MusterReplica

/// Checks that membership agrees: in the end all nodes hold the same membership evidence, and those
/// that hold the same evidence show the same members.
final class MembershipChecker: Checker {
  private let promise = "membership agrees"

  func conclude(_ world: World) throws {
    guard world.convergedMilliseconds != nil else { return }
    var first: (name: String, evidence: [EvidenceID], members: Set<CertificateHash>)?
    for node in world.nodes where node.isRunning && !world.isRevoked(node) {
      guard let shown = node.replica?.membership else { continue }
      guard let known = first else {
        first = (node.name, shown.evidence, shown.members)
        continue
      }
      if known.evidence != shown.evidence {
        world.report(
          promise,
          "\(known.name) holds \(known.evidence.count) items of evidence, \(node.name) "
            + "\(shown.evidence.count), and not the same")
      } else if known.members != shown.members {
        world.report(
          promise,
          "\(known.name) shows \(known.members.count) members, \(node.name) "
            + "\(shown.members.count), and not the same")
      }
    }
  }
}
