import MusterCRDT
import MusterModel
import MusterReplica
import MusterStore

/// Compares a node's fence events with a direct evaluation of the same fixes and fences by another
/// geometry: planar, in floating point, without an index. Near an edge, where that is uncertain,
/// the node's result is accepted.
final class FenceParityChecker: Checker {
  private let promise = "fence verdicts are those of a direct evaluation"

  private enum Presence {
    /// Fixes were not examined: the node's result is accepted until the fence shows where it is.
    case unknown
    case outside
    case inside
    case leaving
    /// So near the edge that it may be either.
    case insideOrLeaving
  }

  private struct Fence {
    let id: RowID
    let version: [Dot?]
    let geometry: FenceGeometry
    let dwellSeconds: UInt32
  }

  private struct Watch {
    var presence: Presence
    var version: [Dot?]
    /// Of a fence with a dwell time: the first fix of those since the last that was clearly out.
    var since: Timestamp?
  }

  private var fences: [Int: [Fence]] = [:]
  private var watches: [Int: [RowID: Watch]] = [:]
  private var newest: [Int: Timestamp] = [:]

  func took(_ outcome: Replica.Outcome, at node: SimulatedNode, in world: World) throws {
    if outcome.changedRows.contains(where: { $0.kind == .fence }) { fences[node.index] = nil }
  }

  func started(_ node: SimulatedNode, in world: World) throws { fences[node.index] = nil }

  /// A restored node has lost its fence states.
  func restored(_ node: SimulatedNode, from lost: Store, in world: World) throws {
    watches[node.index] = nil
    newest[node.index] = nil
    blind.append(node.index)
  }

  private var blind: [Int] = []

  func ingested(
    _ fix: Fix, crossings: [ArrivedCrossing], at node: SimulatedNode, in world: World
  ) throws {
    guard !blind.contains(node.index), !node.mayHaveKeptMore, node.plan.cloneOf == nil
    else { return }
    guard !world.isRevoked(node) else { return try overlook(fix, at: node) }
    guard newest[node.index].map({ fix.sampleTime > $0 }) ?? true else {
      if !crossings.isEmpty { world.report(promise, "\(node.name): a late fix made crossings") }
      return
    }
    newest[node.index] = fix.sampleTime
    var kinds: [RowID: CrossingType] = [:]
    for crossing in crossings {
      kinds[crossing.recorded.crossing.fence] = crossing.recorded.crossing.type
    }
    var before = watches[node.index] ?? [:]
    var after: [RowID: Watch] = [:]
    for fence in try known(to: node) {
      after[fence.id] = judge(
        fence, was: before.removeValue(forKey: fence.id), fix, kinds.removeValue(forKey: fence.id),
        at: node, in: world)
    }
    watches[node.index] = after
    for fence in kinds.keys.sorted() {
      world.report(promise, "\(node.name): a crossing of fence \(fence.short), not under watch")
    }
  }

  /// Takes a fix of a node that may be revoked, whose verdicts are not promised. If a thief revoked
  /// it, it counts again once the thief is revoked.
  private func overlook(_ fix: Fix, at node: SimulatedNode) throws {
    newest[node.index] = max(newest[node.index] ?? fix.sampleTime, fix.sampleTime)
    for fence in try known(to: node) {
      watches[node.index, default: [:]][fence.id] = Watch(
        presence: .unknown, version: fence.version)
    }
  }

  /// Returns where a node is that was not examined before, if this fix shows it.
  private func watch(
    _ fence: Fence, _ fix: Fix, _ type: CrossingType?, at distance: Double
  ) -> Watch {
    let doubt = PlaneGeometry.doubt(of: fence.geometry)
    let accuracy = Double(fix.accuracyDecimetres ?? 0) / 10
    let waits = fence.dwellSeconds > 0
    let presence: Presence =
      switch type {
      case .enter: .inside
      case .exit: .outside
      case nil where distance > doubt && !waits: .inside
      case nil where -distance > accuracy + doubt: .outside
      case nil: .unknown
      }
    return Watch(presence: presence, version: fence.version)
  }

  /// An ENTER that waits for the dwell time is no event, so the only checks are that none comes too
  /// early, or for a subject that is clearly outside.
  private func judgeWaiting(
    _ fence: Fence, was: Watch?, _ fix: Fix, _ type: CrossingType?, at node: SimulatedNode,
    in world: World
  ) -> Watch {
    let distance = PlaneGeometry.signedDistance(
      from: Terrain.point(of: fix.position), to: fence.geometry)
    let doubt = PlaneGeometry.doubt(of: fence.geometry)
    let accuracy = Double(fix.accuracyDecimetres ?? 0) / 10
    if was?.presence == .unknown { return watch(fence, fix, type, at: distance) }
    let isOut = -distance > accuracy + doubt
    let since = isOut ? nil : was?.since ?? fix.sampleTime
    let wasInside = was.map { $0.presence != .outside } ?? false
    switch type {
    case .enter:
      let waited = since.map { fix.sampleTime.milliseconds(since: $0) } ?? -1
      if -distance > doubt || waited < Int64(fence.dwellSeconds) * 1000 {
        world.report(promise, "\(node.name): ENTER of \(fence.id.short) after \(waited) ms")
      }
      return Watch(presence: .inside, version: fence.version, since: since)
    case .exit:
      if !wasInside || distance > doubt {
        world.report(promise, "\(node.name): EXIT of \(fence.id.short), \(Int(distance)) m inside")
      }
      return Watch(presence: .outside, version: fence.version, since: isOut ? nil : since)
    case nil:
      return Watch(presence: was?.presence ?? .outside, version: fence.version, since: since)
    }
  }

  private func judge(
    _ fence: Fence, was: Watch?, _ fix: Fix, _ type: CrossingType?, at node: SimulatedNode,
    in world: World
  ) -> Watch {
    guard fence.dwellSeconds == 0 else {
      return judgeWaiting(fence, was: was, fix, type, at: node, in: world)
    }
    let distance = PlaneGeometry.signedDistance(
      from: Terrain.point(of: fix.position), to: fence.geometry)
    if was?.presence == .unknown { return watch(fence, fix, type, at: distance) }
    let doubt = PlaneGeometry.doubt(of: fence.geometry)
    let isEdited = was.map { $0.version != fence.version } ?? false
    let wasInside = was.map { $0.presence != .outside } ?? false
    func mismatch(_ expected: String) {
      let seen = type?.name ?? "nothing"
      world.report(
        promise,
        "\(node.name), \(Int(distance)) m from the edge of \(fence.id.short): "
          + "\(seen) instead of \(expected)")
    }
    let presence: Presence
    if abs(distance) <= doubt {
      // Uncertain: the node's result is accepted.
      let stays: Presence = wasInside ? .insideOrLeaving : .outside
      presence = type == .enter ? .inside : type == .exit ? .outside : stays
    } else if distance > 0 {
      if wasInside ? type != nil : type != .enter { mismatch(wasInside ? "nothing" : "ENTER") }
      presence = .inside
    } else if !wasInside {
      if type != nil { mismatch("nothing") }
      presence = .outside
    } else {
      let accuracy = Double(fix.accuracyDecimetres ?? 0) / 10
      let isSecond = was?.presence == .leaving && !isEdited
      let mayBeSecond = was?.presence == .insideOrLeaving && !isEdited
      if isSecond || -distance > accuracy + doubt {
        if type != .exit { mismatch("EXIT") }
      } else if -distance < accuracy - doubt, type != nil, !(mayBeSecond && type == .exit) {
        mismatch("nothing yet")
      }
      presence = type == .exit ? .outside : .leaving
    }
    return Watch(presence: presence, version: fence.version)
  }

  private func known(to node: SimulatedNode) throws -> [Fence] {
    if let known = fences[node.index] { return known }
    let known = try node.store.rows(.fence).compactMap { row -> Fence? in
      guard row.exists, case .geometry(let geometry)? = row.shown(.fenceGeometry)?.value,
        case .code(1)? = row.shown(.fenceActive)?.value
      else { return nil }
      var dwellSeconds: UInt32 = 0
      if case .number(let seconds)? = row.shown(.fenceDwellSeconds)?.value {
        dwellSeconds = seconds
      }
      return Fence(
        id: row.key.id,
        version: [row.shown(.fenceGeometry)?.dot, row.shown(.fenceActive)?.dot],
        geometry: geometry, dwellSeconds: dwellSeconds)
    }
    fences[node.index] = known
    return known
  }
}

/// Planar distances, as needed for an independent check.
enum PlaneGeometry {
  /// Returns the distance to the nearest edge in metres: positive inside, negative outside.
  static func signedDistance(from point: GroundPoint, to geometry: FenceGeometry) -> Double {
    switch geometry {
    case .circle(let center, let radius):
      return Double(radius) / 100 - point.distance(to: Terrain.point(of: center))
    case .polygons(let polygons):
      var nearest = Double.infinity
      var isInside = false
      for polygon in polygons {
        var isInThis = false
        for ring in [polygon.outer] + polygon.holes {
          let corners = ring.vertices.map(Terrain.point)
          nearest = min(nearest, distance(from: point, toEdgesOf: corners))
          if contains(corners, point) { isInThis.toggle() }
        }
        if isInThis { isInside = true }
      }
      return isInside ? nearest : -nearest
    }
  }

  /// Returns the maximum difference between the plane and the ellipsoid there, in metres.
  static func doubt(of geometry: FenceGeometry) -> Double {
    switch geometry {
    case .circle(_, let radius): 0.5 + Double(radius) / 100 * 0.006
    case .polygons: 0.5
    }
  }

  private static func contains(_ corners: [GroundPoint], _ point: GroundPoint) -> Bool {
    var isInside = false
    for index in corners.indices {
      let (a, b) = (corners[index], corners[(index + 1) % corners.count])
      guard (a.north > point.north) != (b.north > point.north) else { continue }
      let east = a.east + (point.north - a.north) / (b.north - a.north) * (b.east - a.east)
      if point.east < east { isInside.toggle() }
    }
    return isInside
  }

  private static func distance(
    from point: GroundPoint, toEdgesOf corners: [GroundPoint]
  ) -> Double {
    var nearest = Double.infinity
    for index in corners.indices {
      let (a, b) = (corners[index], corners[(index + 1) % corners.count])
      let (north, east) = (b.north - a.north, b.east - a.east)
      let length = north * north + east * east
      let along =
        length == 0
        ? 0
        : min(
          1, max(0, ((point.north - a.north) * north + (point.east - a.east) * east) / length))
      let foot = GroundPoint(north: a.north + along * north, east: a.east + along * east)
      nearest = min(nearest, foot.distance(to: point))
    }
    return nearest
  }
}
