import MusterCRDT
import MusterModel
import MusterReplica
import MusterStore

/// Checks that a minute after a node knows that an insider is revoked, nothing of the insider takes
/// the place of others there: no bound of its device raises an alert, no name of it casts doubt on
/// another, no photo of others waits for its lists, and each call and evacuation of others has an
/// alert. What it wrote stays.
final class RevokedInsiderChecker: Checker {
  private let promise = "what a revoked insider took is free within a minute"
  private let insiders: Set<String>
  /// By node and device, since when the node knows of the revocation.
  private var known: [Int: [DeviceID: Instant]] = [:]
  private static let milliseconds: Int64 = 60_000

  init(_ scenario: Scenario) { insiders = scenario.namesOfInsiders }

  func started(_ node: SimulatedNode, in world: World) throws { known[node.index] = nil }

  func look(_ world: World) throws {
    guard !insiders.isEmpty, !world.revocations.acknowledged.isEmpty else { return }
    for node in world.nodes where world.isPromisedOthersWork(node) && node.reads {
      let revoked = try revokedInsiders(knownTo: node, in: world)
      var since = known[node.index] ?? [:]
      since = since.filter { revoked.contains($0.key) }
      for device in revoked where since[device] == nil { since[device] = world.now }
      known[node.index] = since
      for (device, time) in since.sorted(by: { $0.key < $1.key })
      where world.now.milliseconds(since: time) >= Self.milliseconds {
        try check(node, device, in: world)
      }
    }
  }

  func conclude(_ world: World) throws {
    guard world.record.convergedMilliseconds != nil else { return }
    try look(world)
  }

  private func revokedInsiders(
    knownTo node: SimulatedNode, in world: World
  ) throws -> Set<DeviceID> {
    let devices = world.nodes.filter { insiders.contains($0.name) }.map(\.credentials.device)
    let known = try node.change { try $0.queries.devices() } ?? []
    return Set(known.filter { $0.isRevoked && devices.contains($0.id) }.map(\.id))
  }

  private func check(_ node: SimulatedNode, _ device: DeviceID, in world: World) throws {
    let clock = node.clock.reading(at: world.now)
    let alerts = try node.change { try $0.alerts(now: clock) } ?? []
    if alerts.contains(where: { $0.id.kind == .bound && $0.id.row.raw == device.raw }) {
      world.report(promise, "\(node.name) warns of the bounds of a revoked device")
    }
    let people = try node.change { try $0.statuses(now: clock).users() } ?? []
    checkNames(people, alerts, at: node, in: world)
    try checkPhotos(at: node, in: world)
  }

  /// While no one who counts has a name with an invisible character, no name raises an alert.
  private func checkNames(
    _ people: [UserSummary], _ alerts: [Alert], at node: SimulatedNode, in world: World
  ) {
    let revoked = Set(world.nodes.filter(world.isRevoked).map(\.credentials.user))
    let names = people.filter { !$0.isTracker && !$0.isUnknown && !revoked.contains($0.id) }
      .map(\.callsign)
    guard Set(names).count == names.count,
      !names.contains(where: { $0.contains("\u{200B}") || $0.contains("\u{FFFD}") }),
      alerts.contains(where: { $0.id.kind == .sameCallsign })
    else { return }
    world.report(promise, "\(node.name) warns of the name of a revoked person")
  }

  /// Of each photo of others a list counts.
  private func checkPhotos(at node: SimulatedNode, in world: World) throws {
    guard let queries = node.replica?.queries else { return }
    let users = Set(
      world.nodes.filter { insiders.contains($0.name) }.map(\.credentials.user))
    for report in try queries.reports() where report.photoCount > 0 {
      for photo in try queries.photos(of: report.id)
      where !users.contains(photo.author) && photo.original.stall == .overBound {
        world.report(promise, "\(node.name) counts no list of photo \(photo.address.short)")
      }
    }
  }
}
