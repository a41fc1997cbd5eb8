import MusterCRDT
import MusterModel
import MusterReplica
import MusterStore

/// Checks that all nodes can read what users wrote: a report that was not deleted exists, with
/// every comment and confirmation, and with its last title if only one author edited it. An author
/// sees an edit at once, and an edit restores a report that was deleted by an author who had not
/// seen the edit.
final class ContentChecker: Checker {
  private let promise = "what people wrote can be read"

  private struct Expected {
    var comments: [String] = []
    var confirmers: [UserID] = []
    /// The author and last title of each edit.
    var titles: [(author: Int, title: String)] = []
  }

  private var reports: [RowID: Expected] = [:]
  private var doomed: [RowID] = []
  /// For each report, the frames of edits that no author of a deletion had seen.
  private var unseen: [RowID: [Bytes16]] = [:]
  /// Nodes whose disk was restored: data that only they held may be lost.
  private var forgetful: [Int] = []

  func restored(_ node: SimulatedNode, from lost: Store, in world: World) throws {
    forgetful.append(node.index)
  }

  func wrote(_ act: Act, made: RowKey?, at node: SimulatedNode, in world: World) throws {
    switch act {
    case .report(let draft):
      guard let id = made?.id else { return }
      reports[id] = Expected(titles: [(node.index, draft.title)])
    case .edit(let id, let changes):
      guard let title = changes.title else { return }
      reports[id]?.titles.append((node.index, title))
      try noteEdit(of: id, title: title, at: node, in: world)
    case .comment(let id, let text): reports[id]?.comments.append(text)
    case .confirm(let id): reports[id]?.confirmers.append(node.credentials.user)
    case .delete(let id):
      doomed.append(id)
      let seen = try node.store.positions(ofFrames: unseen[id] ?? [])
      unseen[id] = try unseen[id]?.filter { frame in
        try !seen.contains { try node.store.hash(of: $0)?.raw.prefix == frame }
      }
    case .claim, .fence, .switchFence, .removeFence, .direct, .close, .acknowledge, .override,
      .track, .profile, .share, .lookForAlerts, .photo, .space, .startCheckIns, .checkIn:
      break
    }
    guard world.faulty.doubtful.contains(node.index) else { return }
    if let id = made?.id ?? act.report { uncertain.insert(id) }
  }

  func tried(_ act: Act, at node: SimulatedNode) {
    if let id = act.report { uncertain.insert(id) }
  }

  /// Reports changed without an acknowledgement, or by a log that is forked or cut off.
  private var uncertain: Set<RowID> = []

  private func noteEdit(
    of id: RowID, title: String, at node: SimulatedNode, in world: World
  ) throws {
    let row = try node.store.row(RowKey(kind: .report, id: id))
    guard let live = row?.values(of: .reportTitle).first(where: { $0.value == .text(title) })
    else {
      return world.report(promise, "\(node.name) edited report \(id.short) and sees no edit")
    }
    unseen[id, default: []].append(live.dot.frame)
  }

  func conclude(_ world: World) throws {
    guard world.record.convergedMilliseconds != nil, forgetful.isEmpty else { return }
    // All nodes show the same, byte for byte, so one suffices.
    guard
      let node = world.nodes.first(where: {
        $0.isRunning && $0.reads && !world.isRevoked($0)
      })
    else { return }
    let gone = Set(doomed.filter { unseen[$0, default: []].isEmpty })
    for (id, expected) in reports.sorted(by: { $0.key < $1.key })
    where !gone.contains(id) && !uncertain.contains(id) {
      guard let row = try node.store.row(RowKey(kind: .report, id: id)), row.exists else {
        world.report(promise, "report \(id.short) is gone")
        continue
      }
      check(row, against: expected, in: world)
    }
  }

  private func check(_ row: RowState, against expected: Expected, in world: World) {
    let comments = texts(row.values(of: .reportComments))
    for comment in expected.comments where !comments.contains(comment) {
      world.report(promise, "a comment on report \(row.key.id.short) is gone")
    }
    let confirmers = row.values(of: .reportContentConfirmations).map(\.author)
    for user in expected.confirmers where !confirmers.contains(user) {
      world.report(promise, "a confirmation of report \(row.key.id.short) is gone")
    }
    let titles = texts(row.values(of: .reportTitle))
    // Each author saw their own last title: those that are not superseded are live.
    let last = Dictionary(expected.titles.map { ($0.author, $0.title) }) { $1 }
    if let unknown = titles.first(where: { !last.values.contains($0) }) {
      world.report(promise, "report \(row.key.id.short) has the title '\(unknown)' of old")
    }
    if titles.isEmpty { world.report(promise, "report \(row.key.id.short) has no title") }
  }

  private func texts(_ values: [LiveValue]) -> Set<String> {
    Set(
      values.compactMap { value in
        if case .text(let text) = value.value { text } else { nil }
      })
  }
}
