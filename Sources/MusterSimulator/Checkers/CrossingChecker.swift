import MusterModel
import MusterReplica
import MusterStore

/// Checks that each fence event exists once on all nodes in the end; and that ENTER and EXIT of one
/// subject and fence alternate without a gap in their numbers.
final class CrossingChecker: Checker {
  private let promise = "one event a crossing"

  private struct Series: Hashable, Comparable {
    let subject: DeviceID
    let fence: RowID

    static func < (left: Series, right: Series) -> Bool {
      left.subject == right.subject
        ? left.fence < right.fence : left.subject < right.subject
    }
  }

  private var shown: [DeviceID: [CrossingID]] = [:]
  private var restoredDevices: [DeviceID] = []

  func restored(_ node: SimulatedNode, from lost: Store, in world: World) throws {
    restoredDevices.append(node.credentials.device)
  }

  func ingested(
    _ fix: Fix, crossings: [ArrivedCrossing], at node: SimulatedNode, in world: World
  ) throws {
    shown[node.credentials.device, default: []] += crossings.map(\.recorded.id)
  }

  func conclude(_ world: World) throws {
    guard world.record.convergedMilliseconds != nil else { return }
    for node in world.nodes where node.mayHaveKeptMore || world.faulty.doubtful.contains(node.index)
    {
      restoredDevices.append(node.credentials.device)
    }
    for node in world.nodes.prefix(3)
    where node.isRunning && node.reads && !world.isRevoked(node) {
      try check(node, in: world)
    }
  }

  private func check(_ node: SimulatedNode, in world: World) throws {
    var ids: [DeviceID: Set<CrossingID>] = [:]
    var series: [Series: [Crossing]] = [:]
    // For a phone, the device that publishes for it.
    var authors: [Series: DeviceID] = [:]
    try node.store.forEachCrossing { recorded in
      let crossing = recorded.crossing
      ids[crossing.subject, default: []].insert(recorded.id)
      let key = Series(subject: crossing.subject, fence: crossing.fence)
      series[key, default: []].append(crossing)
      authors[key] = recorded.author.device
    }
    for device in shown.keys.sorted() where !restoredDevices.contains(device) {
      let expected = shown[device] ?? []
      guard Set(expected) == ids[device] ?? [], Set(expected).count == expected.count else {
        world.report(
          promise,
          "\(node.name) knows \(ids[device]?.count ?? 0) crossings of \(device.short), "
            + "of which there were \(expected.count)")
        continue
      }
    }
    for (key, crossings) in series.sorted(by: { $0.key < $1.key })
    where !restoredDevices.contains(authors[key] ?? key.subject) {
      check(crossings.sorted { $0.transition < $1.transition }, of: key, in: world)
    }
  }

  private func check(_ crossings: [Crossing], of key: Series, in world: World) {
    var isInside = false
    var version: FenceVersion?
    for (index, crossing) in crossings.enumerated() {
      let place = "\(key.subject.short) at fence \(key.fence.short)"
      guard crossing.transition == UInt32(index + 1) else {
        return world.report(promise, "\(place): transition \(crossing.transition) at \(index + 1)")
      }
      // A fence that was deactivated and reactivated starts again: a subject that left meanwhile
      // enters twice.
      let isRestart = crossing.isBaseline || crossing.fenceVersion != version
      let isTurn = crossing.type == .enter ? !isInside || isRestart : isInside
      guard isTurn else {
        return world.report(promise, "\(place): \(crossing.type.name) twice")
      }
      isInside = crossing.type == .enter
      version = crossing.fenceVersion
    }
  }
}
