import MusterModel
import MusterReplica

/// Checks that an alert is raised once while its cause lasts, and again only when it becomes more
/// severe, and ends only after it was raised. The alert of a check-in becomes less severe without
/// notice when another check-in is received, and may then be raised again. One that several calls
/// for help or check-ins share is raised again by each further one, and so is one that was
/// acknowledged.
final class AlertChecker: Checker {
  private let promise = "an alert is raised once"
  /// The levels of each node's alerts since its start, nil for those that ended. Earlier ones are
  /// unknown.
  private var standing: [Int: [AlertID: AlertLevel?]] = [:]

  /// A crash between evaluation and commit may raise one again.
  func started(_ node: SimulatedNode, in world: World) throws { standing[node.index] = nil }

  func took(_ outcome: Replica.Outcome, at node: SimulatedNode, in world: World) throws {
    for change in outcome.alertChanges {
      let (id, level): (AlertID, AlertLevel?)
      switch change {
      case .raised(let alert): (id, level) = (alert.id, alert.level)
      case .acknowledged(let alert), .shelved(let alert):
        // A further call for help, or the end of the shelving, raises it again.
        standing[node.index]?[alert.id] = nil
        continue
      case .cleared(let alert): (id, level) = (alert.id, nil)
      }
      if let known = standing[node.index]?[id], Self.isRepeated(level, after: known),
        id.kind != .checkIn || level != .danger,
        !id.kind.isGroup || level == nil
      {
        world.report(promise, "\(node.name): \(id) is \(level == nil ? "over" : "raised") twice")
      }
      standing[node.index, default: [:]][id] = .some(level)
    }
  }

  private static func isRepeated(_ level: AlertLevel?, after known: AlertLevel?) -> Bool {
    guard let level else { return known == nil }
    return known.map { $0 >= level } ?? false
  }
}
