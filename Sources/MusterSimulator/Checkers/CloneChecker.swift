import MusterModel
import MusterReplica

/// Checks clone detection: all nodes report a cloned device within a minute of contact with both
/// clones, and no other device, whatever was restored.
///
/// One of the two must have written since: a clone that sends nothing cannot be detected. Without
/// other faults they are in contact from the start, otherwise from the heal.
final class CloneChecker: Checker {
  private let promise = "a device in use twice is reported"
  /// By clone: how far both had written when it was made, and when they were seen to have written
  /// more.
  private var pairs: [Int: Pair] = [:]

  private struct Pair {
    let device: DeviceID
    let incarnationState: Replica.IncarnationState?
    var since: Instant?
  }

  private var inOrder: [Pair] { pairs.sorted { $0.key < $1.key }.map(\.value) }

  static let patienceMilliseconds: Int64 = 60_000

  func started(_ node: SimulatedNode, in world: World) throws {
    guard let name = node.plan.cloneOf, pairs[node.index] == nil else { return }
    pairs[node.index] = Pair(
      device: node.credentials.device, incarnationState: world.node(name).incarnationState,
      since: nil)
  }

  func look(_ world: World) throws {
    try noteWriting(in: world)
    guard world.scenario.timeline.isEmpty, world.scenario.network.rangeMetres == nil else { return }
    for pair in inOrder {
      guard let since = pair.since,
        world.now.milliseconds(since: since) > Self.patienceMilliseconds
      else { continue }
      try demand(pair.device, in: world)
    }
  }

  private func noteWriting(in world: World) throws {
    for (index, pair) in pairs where pair.since == nil {
      let copy = world.nodes[index]
      let both = [copy] + [copy.plan.cloneOf.map(world.node)].compactMap(\.self)
      guard both.allSatisfy(\.isRunning),
        both.contains(where: {
          $0.incarnationState != pair.incarnationState && $0.incarnationState != nil
        })
      else { continue }
      pairs[index]?.since = world.now
    }
  }

  /// Returns whether all nodes that should report it do: for a run that has healed.
  func isReported(in world: World) throws -> Bool {
    try noteWriting(in: world)
    return try inOrder.allSatisfy { pair in
      try pair.since == nil || silent(about: pair.device, in: world).isEmpty
    }
  }

  /// Returns the nodes that should report it and do not.
  private func silent(
    about device: DeviceID, in world: World
  ) throws -> [SimulatedNode] {
    guard !world.nodes.contains(where: { $0.credentials.device == device && world.isRevoked($0) })
    else { return [] }
    return try world.nodes.filter { node in
      try node.isRunning && !world.isRevoked(node)
        && clones(reportedBy: node, in: world)?.contains(device) == false
    }
  }

  private func clones(reportedBy node: SimulatedNode, in world: World) throws -> [DeviceID]? {
    try node.replica?.status(now: node.clock.reading(at: world.now)).clones.map(\.device)
  }

  private func demand(_ device: DeviceID, in world: World) throws {
    for node in try silent(about: device, in: world) {
      world.report(promise, "\(node.name) does not report that \(device.short) is in use twice")
    }
  }

  func conclude(_ world: World) throws {
    if world.record.convergedMilliseconds != nil {
      for pair in inOrder where pair.since != nil { try demand(pair.device, in: world) }
    }
    // A device that opens logs without limit does so in many incarnations. An insider may sign two
    // records with one order.
    let modified =
      world.faulty.overfillers.map { world.nodes[$0] }
      + world.scenario.namesOfInsiders.map(world.node)
    let copied = Set(pairs.values.map(\.device) + modified.map(\.credentials.device))
    for node in world.nodes where node.isRunning {
      for device in try clones(reportedBy: node, in: world) ?? [] where !copied.contains(device) {
        world.report(
          "no other device is reported as in use twice", "\(node.name) reports \(device.short)")
      }
    }
  }
}
