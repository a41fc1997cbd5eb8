import MusterModel
import MusterReplica
import MusterStore

/// Checks that positions never go backwards: on its disk a node replaces a device's record only
/// with a newer one. If the scenario sets a limit, also that they arrive in time.
final class PositionChecker: Checker {
  private let promise = "positions never go backwards"
  private let behindMilliseconds: Int64?
  private var turn = 0
  private var known: [Int: [RecordTopic: RecordOrder]] = [:]
  /// When each node took the fixes that the others should have received.
  private var fixes: [DeviceID: [(time: Instant, sample: Timestamp)]] = [:]

  init(_ expectations: Expectations) {
    behindMilliseconds = expectations.positionsBehindMilliseconds
  }

  func restored(_ node: SimulatedNode, from lost: Store, in world: World) throws {
    known[node.index] = nil
  }

  func ingested(
    _ fix: Fix, crossings: [ArrivedCrossing], at node: SimulatedNode, in world: World
  ) throws {
    guard behindMilliseconds != nil else { return }
    let device = node.credentials.device
    let old = world.now.advanced(byMilliseconds: -2 * (behindMilliseconds ?? 0))
    fixes[device]?.removeAll { $0.time < old }
    fixes[device, default: []].append((world.now, fix.sampleTime))
  }

  func look(_ world: World) throws {
    turn += 1
    for node in world.mesh.someNodes(turn: turn) {
      let before = known[node.index] ?? [:]
      var after: [RecordTopic: RecordOrder] = [:]
      for record in try node.store.records() {
        after[record.topic] = record.order
        guard let old = before[record.topic], record.order < old else { continue }
        world.report(promise, "\(node.name) took an older record of \(record.topic.short)")
      }
      for topic in before.keys.sorted() where after[topic] == nil {
        world.report(promise, "\(node.name) has forgotten the record of \(topic.short)")
      }
      known[node.index] = after
      if node.reads { try checkAge(at: node, in: world) }
    }
  }

  private func checkAge(at node: SimulatedNode, in world: World) throws {
    guard let behindMilliseconds else { return }
    let due = world.now.advanced(byMilliseconds: -behindMilliseconds)
    let shown = try node.replica?.queries.devicePositions() ?? []
    for device in fixes.keys.sorted()
    where !world.nodes.contains(where: {
      $0.credentials.device == device && world.isRevoked($0)
    }) {
      let old = (fixes[device] ?? []).filter { $0.time <= due }
      guard let newest = old.last else { continue }
      let position = shown.first { $0.device == device }
      guard position.map({ $0.report.fix.sampleTime >= newest.sample }) ?? false else {
        let late = Quantity.duration(behindMilliseconds)
        world.report("positions_behind", "\(node.name) is over \(late) behind \(device.short)")
        continue
      }
    }
  }

  func conclude(_ world: World) throws { try look(world) }
}
