import MusterCRDT
import MusterModel
import MusterReplica
import MusterStore

/// Checks that delivery status is never false: at least as many devices as shown, or the command
/// post, hold every frame of a report.
final class DeliveryChecker: Checker {
  private let promise = "delivery marks are never false"
  private var turn = 0
  private var isBlind = false
  /// The newest reports, whose delivery status changes.
  private var reports: [RowID] = []
  private static let reportsAtATime = 16
  /// What each node holds, by its name: read once per check.
  private var heads: [String: [LogID: UInt64]] = [:]

  func wrote(_ act: Act, made: RowKey?, at node: SimulatedNode, in world: World) throws {
    guard let made, made.kind == .report else { return }
    reports.append(made.id)
    if reports.count > Self.reportsAtATime { reports.removeFirst() }
  }

  /// A restored node has lost what it confirmed, until it receives it again.
  func restored(_ node: SimulatedNode, from lost: Store, in world: World) throws { isBlind = true }

  func look(_ world: World) throws {
    guard !isBlind, world.faulty.forkers.isEmpty else { return }
    turn += 1
    let node = world.nodes[turn % world.nodes.count]
    guard node.isRunning, node.reads, let replica = node.replica else { return }
    heads = [:]
    for report in reports {
      guard let row = try node.store.row(RowKey(kind: .report, id: report)), row.exists else {
        continue
      }
      let shown = try replica.queries.report(row.key.id).delivery
      let holders = try holders(of: row, asKnownTo: node, in: world)
      if shown.devices > holders.count {
        world.report(
          promise,
          "\(node.name) shows report \(row.key.id.short) on \(shown.devices) devices, and "
            + "\(holders.count) hold it")
      }
      if shown.commandPost, !holders.contains(where: { $0.plan.role == .command }) {
        world.report(promise, "\(node.name) shows report \(row.key.id.short) at the command post")
      }
      if shown.archive, !holders.contains(where: { $0.plan.role == .archive }) {
        world.report(promise, "\(node.name) shows report \(row.key.id.short) at the archive")
      }
    }
  }

  private func holders(
    of row: RowState, asKnownTo node: SimulatedNode, in world: World
  ) throws -> [SimulatedNode] {
    var frames: Set<Bytes16> = []
    for field in Field.allCases {
      for value in row.values(of: field) { frames.insert(value.dot.frame) }
    }
    let places = try node.store.positions(ofFrames: frames.sorted())
    return try world.nodes.filter { other in
      let heads = try heads(of: other)
      return places.allSatisfy { place in heads[place.log].map { $0 >= place.sequence } ?? false }
    }
  }

  private func heads(of node: SimulatedNode) throws -> [LogID: UInt64] {
    if let known = heads[node.plan.name] { return known }
    var held: [LogID: UInt64] = [:]
    for log in try node.store.logs() { held[log.head.log] = log.head.sequence }
    heads[node.plan.name] = held
    return held
  }

  func conclude(_ world: World) throws { try look(world) }
}
