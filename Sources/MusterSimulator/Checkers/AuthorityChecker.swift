import MusterCRDT
import MusterModel
import MusterReplica
import MusterStore
import MusterSync

/// Checks that no unauthorized change is visible on any node: the author of every visible value was
/// permitted to write it, by a separate table and the roles of the scenario; and every row id is
/// the hash of its creator.
final class AuthorityChecker: Checker {
  private let promise = "nothing unauthorised is visible"
  private var roles: [UserID: Role] = [:]
  private var turn = 0
  private let hasInsider: Bool

  init(_ scenario: Scenario) {
    let knobs = scenario.configuredKnobs
    hasInsider = knobs.contains(.insider) || knobs.contains(.forger)
  }

  func started(_ node: SimulatedNode, in world: World) throws {
    roles[node.credentials.user] = node.plan.role
  }

  /// Without attackers, one check at the end suffices.
  func look(_ world: World) throws {
    guard hasInsider else { return }
    turn += 1
    try check(world.nodes[turn % world.nodes.count], hasEnded: false, in: world)
  }

  func conclude(_ world: World) throws {
    for node in world.nodes.prefix(3) { try check(node, hasEnded: true, in: world) }
    for node in world.nodes where node.isRunning { try checkDevices(of: node, in: world) }
  }

  private func check(_ node: SimulatedNode, hasEnded: Bool, in world: World) throws {
    guard node.isRunning, node.reads else { return }
    for kind in EntityKind.allCases {
      for row in try node.store.rows(kind) { check(row, shownBy: node, in: world) }
    }
    var published: [(subject: DeviceID, by: Author)] = []
    try node.store.forEachCrossing { recorded in
      guard recorded.crossing.subject != recorded.author.device else { return }
      published.append((recorded.crossing.subject, recorded.author))
    }
    for (subject, author) in published {
      // A phone has no key: the creator of its row publishes for it.
      let phone = try node.store.row(RowKey(kind: .tracker, id: RowID(raw: subject.raw)))
      guard phone?.owner != author.user else { continue }
      // The row is in another log: it may arrive later, or be past its author's cut-off.
      if phone == nil, !hasEnded || world.revocations.isRevoked(author.device) { continue }
      world.report(promise, "\(node.name) shows a crossing that its subject did not sign")
    }
  }

  private func check(_ row: RowState, shownBy node: SimulatedNode, in world: World) {
    if let origin = row.origin,
      RowID(operation: node.credentials.operation, origin: origin) != row.key.id
    {
      world.report(promise, "\(node.name) shows \(row.key.kind) \(row.key.id.short) of another")
    }
    for field in Field.allCases where field.entity == row.key.kind {
      for value in row.values(of: field) {
        let role = roles[value.author]
        let isEntitled = isEntitled(value, role: role, to: field, of: row)
        guard !isEntitled || value.role != role else { continue }
        world.report(
          promise, "\(node.name) shows a \(field) of \(row.key.kind) \(row.key.id.short)")
      }
    }
  }

  /// Deliberately independent of the product's own table, which is under test.
  private func isEntitled(
    _ value: LiveValue, role: Role?, to field: Field, of row: RowState
  ) -> Bool {
    let isOwn = value.author == row.owner
    switch (role, field) {
    case (nil, _), (.relay?, _): return false
    case (.archive?, _): return isOwn && field == .userCallsign
    // Of the device with the row's id; this table knows people only.
    case (_, .exposureNote): return true
    case (_, .unverifiedCallOutcome): return role == .command
    case (_, .unverifiedCallExistence), (_, .unverifiedCallContent):
      return isOwn && (role == .command || role == .member)
    case (_, .userSafetyClaim), (.command?, .trackPoints), (.command?, .recordValue):
      return isOwn
    case (.command?, _): return true
    case (_, .userSafetyOverride), (_, .userRelayedClaim), (_, .trackerSafetyOverride): return false
    case (_, _) where row.key.kind == .user: return isOwn
    case (_, _) where [.checkIn, .record].contains(row.key.kind): return isOwn
    case (.observer?, _): return false
    case (.member?, .reportComments), (.member?, .reportConfirmations), (.member?, .reportPhotos),
      (.member?, .reportPhotoMarks), (.member?, .reportContentConfirmations):
      return true
    // It names a tracker of its author.
    case (.member?, .directiveTrackerReplies): return true
    case (.member?, .directiveAcknowledgements):
      guard case .reply(let user, _) = value.value else { return false }
      return user == value.author
    case (.member?, .alertAcknowledgements):
      guard case .alertReply(let reply) = value.value else { return false }
      return reply.user == value.author
    case (.member?, _):
      return isOwn && [.report, .tracker, .track].contains(row.key.kind)
    }
  }

  /// Checks that no device certified itself or another one.
  private func checkDevices(of node: SimulatedNode, in world: World) throws {
    let expected = world.nodes.map { [$0.credentials.device.description, $0.plan.role.name] }
    let shown = try node.change { try $0.queries.devices() } ?? []
    for device in shown where !expected.contains([device.id.description, device.role.name]) {
      world.report(promise, "\(node.name) takes \(device.id.short) for a \(device.role.name)")
    }
  }
}
