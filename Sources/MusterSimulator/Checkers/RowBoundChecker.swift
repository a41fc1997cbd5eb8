import MusterCRDT
import MusterModel
import MusterReplica
import MusterStore

/// Checks that what an insider leaves in a row is bounded, stored and shown, however much it wrote.
final class RowBoundChecker: Checker {
  private let promise = "what an author leaves in a row is bounded"
  private let isActive: Bool

  init(_ scenario: Scenario) { isActive = !scenario.namesOfInsiders.isEmpty }

  func conclude(_ world: World) throws {
    guard isActive else { return }
    for node in world.nodes where world.isPromisedOthersWork(node) && node.reads {
      let strands = try strands(heldBy: node, in: world)
      for kind in [EntityKind.report, .directive] {
        for row in try node.store.rows(kind) {
          check(row, strands, at: node, in: world)
        }
      }
      try checkShown(by: node, in: world)
    }
  }

  /// Returns how many logs of each user count on a node.
  private func strands(
    heldBy node: SimulatedNode, in world: World
  ) throws -> [UserID: Int] {
    var users: [CertificateHash: UserID] = [:]
    for other in world.nodes {
      users[other.credentials.certificate] = other.credentials.user
    }
    var strands: [UserID: Int] = [:]
    for log in try node.store.logs() where log.opening.lane != .control {
      guard let user = users[log.opening.certificate] else { continue }
      strands[user, default: 0] += 1
    }
    return strands
  }

  private func check(
    _ row: RowState, _ strands: [UserID: Int], at node: SimulatedNode, in world: World
  ) {
    for field in Field.allCases where field.entity == row.key.kind {
      let values = row.values(of: field).filter { $0.role != .command }
      for (user, own) in Dictionary(grouping: values, by: \.author) {
        let most = Self.most(of: field) * strands[user, default: 0]
        guard own.count > most else { continue }
        world.report(
          promise,
          "\(node.name) keeps \(own.count) values of \(field) in row \(row.key.id.short) by one "
            + "author, and \(most) count")
      }
    }
  }

  /// Deliberately independent of the product's own table, which is under test.
  private static func most(of field: Field) -> Int {
    switch field {
    case .reportComments: Limits.commentsOfStrand
    case .reportPhotoMarks: Limits.photoMarksOfStrand
    case .directiveTrackerReplies: Limits.trackerRepliesOfStrand
    case .reportConfirmations, .reportContentConfirmations, .reportPhotos,
      .directiveAcknowledgements:
      Limits.elementsOfStrand
    default: 1
    }
  }

  private func checkShown(by node: SimulatedNode, in world: World) throws {
    for report in try node.replica?.queries.reports() ?? [] {
      let row = try node.store.row(RowKey(kind: .report, id: report.id))
      let comments = row?.values(of: .reportComments).filter { $0.role != .command } ?? []
      let most = Dictionary(grouping: comments, by: \.author).values.reduce(0) {
        $0 + min($1.count, Limits.commentsOfAuthor)
      }
      let command = row?.values(of: .reportComments).count { $0.role == .command } ?? 0
      guard report.comments.count > most + command else { continue }
      world.report(
        promise, "\(node.name) shows \(report.comments.count) comments on a report, not \(most)")
    }
  }
}
