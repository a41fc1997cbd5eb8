import MusterCRDT
import MusterModel
import MusterReplica
import MusterStore

/// Checks that no acknowledgement of a directive is lost: an acknowledged one is visible on all
/// nodes in the end, with the last note of each author; and an issued directive exists.
final class AnswerChecker: Checker {
  private let promise = "no acknowledgement is lost"

  private struct Answer: Hashable {
    let author: UserID
    let user: UserID
  }

  private var directives: [RowID] = []
  private var answers: [RowID: [Answer: String]] = [:]
  /// Changed without an acknowledgement to the user, or by a log that is forked or cut off.
  private var uncertain: Set<RowID> = []
  /// Whether a disk was restored: data that only it held may be lost.
  private var hasLoss = false

  func restored(_ node: SimulatedNode, from lost: Store, in world: World) throws {
    hasLoss = true
  }

  func wrote(_ act: Act, made: RowKey?, at node: SimulatedNode, in world: World) throws {
    let id: RowID
    switch act {
    case .direct:
      guard let made else { return }
      id = made.id
      directives.append(id)
    case .acknowledge(let directive, let note, let user):
      id = directive
      answers[id, default: [:]][Answer(author: node.credentials.user, user: user)] = note
    default: return
    }
    if world.faulty.doubtful.contains(node.index) { uncertain.insert(id) }
  }

  func tried(_ act: Act, at node: SimulatedNode) {
    if case .acknowledge(let id, _, _) = act { uncertain.insert(id) }
  }

  func conclude(_ world: World) throws {
    guard world.record.convergedMilliseconds != nil, !hasLoss else { return }
    // All nodes show the same, byte for byte, so one suffices.
    guard
      let node = world.nodes.first(where: { $0.isRunning && $0.reads && !world.isRevoked($0) })
    else { return }
    for id in directives where !uncertain.contains(id) {
      guard let row = try node.store.row(RowKey(kind: .directive, id: id)), row.exists else {
        world.report(promise, "directive \(id.short) is gone")
        continue
      }
      let shown = row.values(of: .directiveAcknowledgements)
      for (answer, note) in answers[id, default: [:]] {
        let isThere = shown.contains {
          $0.author == answer.author && $0.value == .reply(answer.user, note: note)
        }
        if !isThere {
          world.report(promise, "an answer to directive \(id.short) is gone")
        }
      }
    }
  }
}
