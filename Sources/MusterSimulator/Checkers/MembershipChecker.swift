import MusterModel
import MusterReplica

/// Checks that membership agrees: in the end all nodes hold the same membership evidence, nodes
/// with the same evidence show the same members, and what a thief with a council member's laptop
/// did has no effect once the council has voted.
final class MembershipChecker: Checker {
  private let promise = "membership agrees"

  func conclude(_ world: World) throws {
    guard world.record.convergedMilliseconds != nil else { return }
    var first: (name: String, evidence: [EvidenceID], members: Set<CertificateHash>)?
    for node in world.nodes where node.isRunning && !world.isRevoked(node) {
      guard let shown = node.replica?.queries.membership else { continue }
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
      if !world.revocations.council.members.isEmpty { try checkRevoked(shownBy: node, in: world) }
    }
  }

  private func checkRevoked(shownBy node: SimulatedNode, in world: World) throws {
    let revoked = try node.change { try $0.queries.devices() }?.filter(\.isRevoked).map(\.id) ?? []
    for device in revoked where !world.revocations.isRevoked(device) {
      world.report(
        promise,
        "\(node.name) shows \(device.short) as revoked, which neither the council nor an "
          + "honest commander revoked")
    }
  }
}
