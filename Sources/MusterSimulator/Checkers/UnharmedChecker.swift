import MusterModel
import MusterReplica
import MusterStore

/// Checks that a device that exhausts its quotas harms no other: each node stores no more of a
/// certificate than its bound, and in the end all authorized readers have command's current key.
///
/// The convergence check covers that the others' writes arrive.
final class UnharmedChecker: Checker {
  private let promise = "no device exhausts the quotas of others"
  private var turn = 0

  private struct Owner: Hashable, Comparable {
    let certificate: CertificateHash
    let lane: Lane

    static func < (left: Owner, right: Owner) -> Bool {
      (left.certificate, left.lane.rawValue) < (right.certificate, right.lane.rawValue)
    }
  }

  func look(_ world: World) throws {
    guard !world.faulty.overfillers.isEmpty else { return }
    turn += 1
    for node in world.mesh.someNodes(turn: turn) { try check(node, in: world) }
  }

  private func check(_ node: SimulatedNode, in world: World) throws {
    // Logs that a revocation names are always stored, and a device may fill its own disk.
    let exempt = Set(
      world.nodes.filter { $0.index == node.index || world.isRevoked($0) }
        .map(\.credentials.certificate))
    var logs: [Owner: Int] = [:]
    for log in try node.store.logs()
    where log.base == nil && log.head.sequence > 0 && !exempt.contains(log.opening.certificate) {
      logs[Owner(certificate: log.opening.certificate, lane: log.opening.lane), default: 0] += 1
    }
    for (owner, count) in logs.sorted(by: { $0.key < $1.key }) where count > Limits.logsPerLane {
      world.report(
        promise, "\(node.name) holds \(count) logs of \(name(owner.certificate, in: world))")
    }
    var trackers: [CertificateHash: Int] = [:]
    var receipts: [CertificateHash: Int] = [:]
    for record in try node.store.records() where !exempt.contains(record.certificate) {
      switch record.kind {
      case .trackerPosition: trackers[record.certificate, default: 0] += 1
      case .receipt: receipts[record.certificate, default: 0] += 1
      default: break
      }
    }
    for (table, counts, most) in [
      ("trackers", trackers, Limits.trackersPerDevice),
      ("receipts", receipts, Limits.receiptsPerDevice),
    ] {
      for (certificate, count) in counts.sorted(by: { $0.key < $1.key }) where count > most {
        world.report(
          promise, "\(node.name) holds \(count) \(table) of \(name(certificate, in: world))")
      }
    }
  }

  private func name(_ certificate: CertificateHash, in world: World) -> String {
    world.nodes.first { $0.credentials.certificate == certificate }?.name ?? "an unknown device"
  }

  func conclude(_ world: World) throws {
    guard !world.faulty.overfillers.isEmpty else { return }
    for node in world.nodes where node.isRunning { try check(node, in: world) }
    guard world.record.convergedMilliseconds != nil,
      let epoch = try world.nodes[0].change({ try $0.queries.writingEpoch })??.id
    else { return }
    for node in world.nodes where world.isPromisedOthersWork(node) && node.reads {
      guard try !node.store.epochKeys().contains(where: { $0.id == epoch }) else { continue }
      world.report(promise, "\(node.name) lacks the key of epoch \(epoch.short)")
    }
  }
}
