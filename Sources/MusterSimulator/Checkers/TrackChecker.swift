import MusterModel
import MusterReplica
import MusterStore
import MusterSync

/// Checks that no acknowledged fix of a phone's track is lost, and that others show its newest fix;
/// and that a published track contains only fixes that its device took.
final class TrackChecker: Checker {
  private let promise = "tracks are as published"

  private struct Phone: Hashable, Comparable {
    let node: Int
    let name: String

    static func < (left: Phone, right: Phone) -> Bool {
      (left.node, left.name) < (right.node, right.name)
    }
  }

  private var reported: [Phone: [Timestamp: Fix]] = [:]
  private var taken: [UserID: Set<Fix>] = [:]
  private var uncertain: Set<Int> = []

  func restored(_ node: SimulatedNode, from lost: Store, in world: World) throws {
    uncertain.insert(node.index)
  }

  func wrote(_ act: Act, made: RowKey?, at node: SimulatedNode, in world: World) throws {
    guard case .track(let name, let fix) = act else { return }
    // Of two with one time the first is kept.
    let phone = Phone(node: node.index, name: name)
    if reported[phone]?[fix.sampleTime] == nil {
      reported[phone, default: [:]][fix.sampleTime] = fix
    }
  }

  func tried(_ act: Act, at node: SimulatedNode) {
    if case .track = act { uncertain.insert(node.index) }
  }

  func ingested(
    _ fix: Fix, crossings: [ArrivedCrossing], at node: SimulatedNode, in world: World
  ) throws {
    taken[node.credentials.user, default: []].insert(fix)
  }

  func conclude(_ world: World) throws {
    guard world.record.convergedMilliseconds != nil else { return }
    for node in world.nodes where node.mayHaveKeptMore || world.faulty.doubtful.contains(node.index)
    {
      uncertain.insert(node.index)
    }
    for (phone, fixes) in reported.sorted(by: { $0.key < $1.key })
    where !uncertain.contains(phone.node) {
      try check(phone, fixes, in: world)
    }
    let unsure = Set(uncertain.map { world.nodes[$0].credentials.user })
    for node in world.nodes.prefix(3) where node.isRunning && node.reads {
      guard let replica = node.replica else { continue }
      for (user, fixes) in taken.sorted(by: { $0.key < $1.key }) where !unsure.contains(user) {
        for fix in try replica.queries.sharedTrack(of: user) where !fixes.contains(fix) {
          world.report(promise, "\(node.name) reads a fix of \(user.short) without a source")
        }
      }
    }
  }

  private func check(_ phone: Phone, _ fixes: [Timestamp: Fix], in world: World) throws {
    let node = world.nodes[phone.node]
    guard node.isRunning, !world.isRevoked(node), let replica = node.replica else { return }
    let expected = fixes.values.sorted { $0.sampleTime < $1.sampleTime }
    let row = replica.queries.trackerRow(named: phone.name)
    guard try replica.queries.track(ofTracker: row, limit: .max) == expected else {
      return world.report(promise, "\(node.name) has lost a part of \(phone.name)'s track")
    }
    // If command rotates the epoch continuously, a late node may be missing the key of the newest
    // position: keys are requested because of frames only.
    guard world.faulty.overfillers.isEmpty else { return }
    for other in world.nodes
    where other.isRunning && other.reads && !world.isRevoked(other) {
      let shown = try other.replica?.queries.devicePositions().first {
        $0.device == DeviceID(tracker: row)
      }
      if shown?.report.fix != expected.last {
        world.report(promise, "\(other.name) shows \(phone.name) of \(node.name) elsewhere")
      }
    }
  }
}
