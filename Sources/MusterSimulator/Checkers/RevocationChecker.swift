import MusterCRDT
import MusterModel
import MusterReplica
import MusterStore

/// Checks that a revocation takes effect on all nodes: in the end nothing of a revoked device past
/// the cut-off is visible, all nodes list the same revoked devices, and none of them holds a key
/// that was rotated to exclude it.
///
/// The cut-off is what the revoker held at that moment, by the world's own tracking; with several
/// revocations of one device, what all of them held. A revocation that a restore took from its
/// author, and that no unrevoked device holds, is lost like any write.
final class RevocationChecker: Checker {
  private let promise = "a revocation takes effect everywhere"
  private var restored: Set<Int> = []

  func restored(_ node: SimulatedNode, from lost: Store, in world: World) {
    restored.insert(node.index)
  }

  func conclude(_ world: World) throws {
    guard world.record.convergedMilliseconds != nil, !world.revocations.acknowledged.isEmpty else {
      return
    }
    let bounds = bounds(of: try owed(in: world), in: world)
    for node in world.nodes where world.isPromisedOthersWork(node) {
      let revoked = try revokedDevices(of: node)
      for device in bounds.keys.sorted() where !revoked.contains(device) {
        world.report(promise, "\(node.name) does not know that \(device.short) is revoked")
      }
      if node.reads { try checkRows(of: node, bounds, in: world) }
      try checkKeys(node, of: bounds.keys.sorted(), in: world)
    }
    try checkAgreement(in: world)
  }

  private func owed(in world: World) throws -> [Revoked] {
    let asked = world.nodes.filter { !world.isRevoked($0) }.map(\.store)
    return try world.revocations.acknowledged.filter { revocation in
      guard restored.contains(revocation.by) else { return true }
      guard let frame = revocation.frame else { return false }
      return try asked.contains { try $0.frame(frame) != nil }
    }
  }

  /// Returns, by device, the frames that may count. Only for revocations that are certainly valid:
  /// the founder's, and those among equals that the founder has not revoked.
  private func bounds(of revocations: [Revoked], in world: World) -> [DeviceID: Set<Bytes16>] {
    let dismissed = Set(revocations.filter { $0.by == 0 }.map(\.target))
    var bounds: [DeviceID: Set<Bytes16>] = [:]
    for revocation in revocations where !dismissed.contains(revocation.by) {
      let device = world.nodes[revocation.target].credentials.device
      bounds[device] = bounds[device]?.intersection(revocation.held) ?? revocation.held
    }
    return bounds
  }

  private func revokedDevices(of node: SimulatedNode) throws -> Set<DeviceID> {
    Set(try node.change { try $0.queries.devices() }?.filter(\.isRevoked).map(\.id) ?? [])
  }

  private func checkAgreement(in world: World) throws {
    var expected: Set<DeviceID>?
    for node in world.nodes where world.isPromisedOthersWork(node) {
      let revoked = try revokedDevices(of: node)
      if let expected, expected != revoked {
        world.report(
          promise, "\(node.name) takes \(revoked.count) devices for revoked, others do not")
      }
      expected = expected ?? revoked
    }
  }

  private func checkRows(
    of node: SimulatedNode, _ bounds: [DeviceID: Set<Bytes16>], in world: World
  ) throws {
    var authors: [LogID: DeviceID] = [:]
    for world in world.nodes where bounds[world.credentials.device] != nil {
      for log in try node.store.logs()
      where log.opening.certificate == world.credentials.certificate {
        authors[log.head.log] = world.credentials.device
      }
    }
    for kind in EntityKind.allCases {
      for row in try node.store.rows(kind) {
        let frames = Field.allCases.flatMap { row.values(of: $0) }.map(\.dot.frame)
        for name in Set(frames).sorted() {
          guard let place = try node.store.positions(ofFrames: [name]).first,
            let author = authors[place.log], bounds[author]?.contains(name) == false
          else { continue }
          world.report(
            promise,
            "\(node.name) shows frame \(place.sequence) of revoked \(author.short) in a \(kind)")
        }
      }
    }
  }

  /// Checks that devices that an epoch excludes do not have its key.
  private func checkKeys(
    _ node: SimulatedNode, of devices: [DeviceID], in world: World
  ) throws {
    for device in devices {
      guard
        let excluding = node.replica.map({ ModifiedProgram.epochs(excluding: device, in: $0) }),
        !excluding.isEmpty,
        let target = world.nodes.first(where: { $0.credentials.device == device })
      else { continue }
      for key in try target.store.epochKeys() where excluding.contains(key.id) {
        world.report(promise, "\(target.name) holds the key of epoch \(key.id.short)")
      }
    }
  }
}
