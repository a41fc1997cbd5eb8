import MusterModel
import MusterReplica
import MusterStore

/// Checks that every connected node shows a person in danger as such in time, and no one else: a
/// call for help that stands, and a position inside an active hazard zone.
///
/// The truth follows from the acknowledged actions of the whole world, in their order: the statuses
/// of no node are read for it, and the zones are judged by the planar geometry of `PlaneGeometry`.
/// What is concurrent, or happens on a partitioned network, is not judged until it is settled.
final class DangerChecker: Checker {
  private let promise = "a person in danger is shown as such, and no one else"
  private let limitMilliseconds: Int64?
  private var people: [UserID: Person] = [:]
  private var zones: [RowID: Zone] = [:]
  private var zonesChangedAt = Instant(microseconds: 0)
  private var partition = Partition.never
  /// How many statuses were compared, and how many of them were of people in danger.
  private(set) var (compared, dangers) = (0, 0)

  /// After a heal nodes have to meet again.
  private static let meetingMilliseconds: Int64 = 60_000

  private struct Person {
    var own: SafetyClaim?
    var override: SafetyClaim?
    var fix: Fix?
    var fixedAt = Instant(microseconds: 0)
    var statedAt = Instant(microseconds: 0)
    /// The last statement of each node.
    var statements: [Int: Instant] = [:]
    /// Whether no two statements about the person may have been concurrent.
    var isCertain = true

    var needsHelp: Bool { (override ?? own) == .needsHelp }
  }

  private struct Zone {
    let geometry: FenceGeometry
    var isActive = true
  }

  private enum Partition {
    case never
    case now
    case until(Instant)
  }

  /// - Parameter limitMilliseconds: nil to check nothing.
  init(limitMilliseconds: Int64?) { self.limitMilliseconds = limitMilliseconds }

  // MARK: Truth

  func wrote(_ act: Act, made: RowKey?, at node: SimulatedNode, in world: World) throws {
    switch act {
    case .claim(let claim):
      state(of: node.credentials.user, by: node.index, in: world) {
        ($0.own, $0.override) = (claim, nil)
        return true
      }
    case .override(let user, let claim):
      state(of: user, by: node.index, in: world) {
        $0.override = claim
        // Without an override the person's own claim counts, which may be one of several.
        return claim != nil
      }
    case .fence(let draft):
      guard draft.kind == .hazard, let made else { return }
      zones[made.id] = Zone(geometry: draft.geometry)
      zonesChanged(in: world)
    case .switchFence(let id, let isActive):
      zones[id]?.isActive = isActive
      zonesChanged(in: world)
    case .removeFence(let id):
      zones[id] = nil
      zonesChanged(in: world)
    default: break
    }
  }

  func ingested(
    _ fix: Fix, crossings: [ArrivedCrossing], at node: SimulatedNode, in world: World
  ) throws {
    let user = node.credentials.user
    if let known = people[user]?.fix, fix.sampleTime <= known.sampleTime { return }
    people[user, default: Person()].fix = fix
    people[user]?.fixedAt = world.now
    examineLater(in: world)
  }

  /// - Parameter change: returns whether it settles what was uncertain.
  private func state(
    of user: UserID, by author: Int, in world: World, change: (inout Person) -> Bool
  ) {
    var person = people[user] ?? Person()
    let settles = change(&person)
    // The author's own earlier statements prove nothing of what it has received from others.
    let hasSeen = person.statements.allSatisfy { node, moment in
      node == author || (isSettled(moment, in: world) && isWhole(in: world))
    }
    person.isCertain = hasSeen && (person.isCertain || settles)
    person.statements[author] = world.now
    person.statedAt = world.now
    people[user] = person
    examineLater(in: world)
  }

  private func zonesChanged(in world: World) {
    zonesChangedAt = world.now
    examineLater(in: world)
  }

  func partitioned() { partition = .now }

  func healed(in world: World) {
    guard case .now = partition else { return }
    let end = world.now.advanced(byMilliseconds: Self.meetingMilliseconds)
    partition = .until(end)
    if limitMilliseconds != nil { world.schedule.push(.examine, at: end) }
  }

  private func isWhole(in world: World) -> Bool {
    switch partition {
    case .never: true
    case .now: false
    case .until(let end): world.now >= end
    }
  }

  private func isSettled(_ moment: Instant, in world: World) -> Bool {
    world.now.milliseconds(since: moment) >= limitMilliseconds ?? 0
  }

  // MARK: Comparison

  private func examineLater(in world: World) {
    guard let limitMilliseconds, world.phase == .story else { return }
    world.schedule.push(.examine, at: world.now.advanced(byMilliseconds: limitMilliseconds))
  }

  /// Compares what every node shows with the truth.
  func examine(_ world: World) throws {
    guard limitMilliseconds != nil, world.phase == .story, isWhole(in: world) else { return }
    for node in world.nodes where node.isRunning && node.reads {
      let clock = node.clock.reading(at: world.now)
      guard let shown = try node.change({ try $0.statuses(now: clock).users() }) else { continue }
      for user in shown {
        guard let person = people[user.id] else { continue }
        try compare(user, with: person, at: node, in: world)
      }
      let missing = Set(people.keys).subtracting(shown.map(\.id))
      if let user = missing.min() {
        world.report(promise, "\(node.name) does not list \(user.short)")
      }
    }
  }

  private func compare(
    _ user: UserSummary, with person: Person, at node: SimulatedNode, in world: World
  ) throws {
    if person.isCertain, isSettled(person.statedAt, in: world) {
      compared += 1
      if person.needsHelp { dangers += 1 }
      let isShown = user.has(.mayday)
      if isShown != person.needsHelp {
        let words = person.needsHelp ? "does not show that" : "shows wrongly that"
        world.report(promise, "\(node.name) \(words) \(user.callsign) needs help")
      }
    }
    guard isSettled(person.fixedAt, in: world), isSettled(zonesChangedAt, in: world),
      let fix = person.fix, let isInHazard = isInHazard(fix)
    else { return }
    compared += 1
    if isInHazard { dangers += 1 }
    if user.has(.inHazard) != isInHazard {
      let words = isInHazard ? "does not show that" : "shows wrongly that"
      world.report(promise, "\(node.name) \(words) \(user.callsign) is in a hazard zone")
    }
  }

  /// Nil near an edge, where the planar geometry is uncertain.
  private func isInHazard(_ fix: Fix) -> Bool? {
    let reach = min(Double(fix.accuracyDecimetres ?? 1000) / 10, 100)
    let point = Terrain.point(of: fix.position)
    var isUncertain = false
    for zone in zones.values where zone.isActive {
      let distance = PlaneGeometry.signedDistance(from: point, to: zone.geometry)
      let doubt = PlaneGeometry.doubt(of: zone.geometry)
      if distance >= doubt - reach { return true }
      if distance > -doubt - reach { isUncertain = true }
    }
    return isUncertain ? nil : false
  }
}
