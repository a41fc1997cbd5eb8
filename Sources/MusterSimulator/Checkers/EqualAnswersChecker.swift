import MusterModel
import MusterReplica
import MusterStore

/// Checks that nodes that hold the same answer the same: people, reports with confirmations,
/// photos, frames that wait, and at command posts the alerts that only state decides.
///
/// What depends on a node's own time, place or connections is not compared: ages, statuses,
/// delivery, the progress of photos.
final class EqualAnswersChecker: Checker {
  private let promise = "all nodes that hold the same answer the same"

  private struct Person: Hashable {
    let id: UserID
    let callsign: String
    let role: Role
    let team: String
    let owner: UserID?
    let statements: [SafetyStatement?]
  }

  private struct PhotoEntry: Hashable {
    let id: PhotoID
    let address: BlobID
    let author: UserID
    let authorship: Authorship
    let times: [Timestamp?]
    let position: Coordinate?
  }

  /// What one node answers.
  private struct Answers {
    var people: [UserID: Person] = [:]
    /// The positions of others: a device knows its own before it sends it.
    var fixes: [UserID: Fix] = [:]
    /// Without delivery.
    var reports: [ReportSummary] = []
    var photos: [RowID: [PhotoEntry]] = [:]
    var waiting: Set<FrameHash> = []
  }

  func conclude(_ world: World) throws {
    // Others need not agree on what exceeds a bound before the revocation has taken effect.
    guard world.record.convergedMilliseconds != nil, world.faulty.overfillers.isEmpty else {
      return
    }
    var first: (node: SimulatedNode, answers: Answers)?
    for node in world.nodes where world.isPromisedOthersWork(node) && node.reads {
      let answers = try answers(of: node, at: world.now)
      if let first {
        compare(answers, of: node, with: first.answers, of: first.node, in: world)
      } else {
        first = (node, answers)
      }
    }
    try compareAlerts(in: world)
  }

  // MARK: Answers

  private func answers(of node: SimulatedNode, at time: Instant) throws -> Answers {
    var answers = Answers()
    let clock = node.clock.reading(at: time)
    let own = node.credentials.user
    for user in try node.change({ try $0.statuses(now: clock).users() }) ?? [] {
      answers.people[user.id] = Person(
        id: user.id, callsign: user.callsign, role: user.role, team: user.team,
        owner: user.trackerOwner, statements: [user.selfReport, user.override])
      if user.id != own, user.trackerOwner != own { answers.fixes[user.id] = user.fix }
    }
    guard let queries = node.replica?.queries else { return answers }
    answers.reports = try queries.reports().map { report in
      var report = report
      report.delivery = Delivery(devices: 1, total: 1, commandPost: false)
      return report
    }
    for report in answers.reports where report.photoCount > 0 {
      answers.photos[report.id] = try queries.photos(of: report.id).map { photo in
        PhotoEntry(
          id: photo.id, address: photo.address, author: photo.author,
          authorship: photo.authorship, times: [photo.addedAt, photo.takenAt],
          position: photo.position)
      }
    }
    answers.waiting = Set(try node.store.waiting(limit: .max).map(\.frame.hash))
    return answers
  }

  private func compare(
    _ answers: Answers, of node: SimulatedNode, with others: Answers, of other: SimulatedNode,
    in world: World
  ) {
    var different: [String] = []
    if answers.people != others.people { different.append("people") }
    let both = Set(answers.fixes.keys).intersection(others.fixes.keys)
    if both.contains(where: { answers.fixes[$0] != others.fixes[$0] }) {
      different.append("positions")
    }
    if answers.reports != others.reports { different.append("reports") }
    if answers.photos != others.photos { different.append("photos") }
    if answers.waiting != others.waiting {
      different.append("frames that wait (\(answers.waiting.count), \(others.waiting.count))")
    }
    guard !different.isEmpty else { return }
    world.report(
      promise, "\(node.name) and \(other.name) show other \(different.joined(separator: ", "))")
  }

  // MARK: Alerts

  /// Compares the alerts of command posts about calls for help and names, except those about people
  /// at one of these posts.
  private func compareAlerts(in world: World) throws {
    let posts = world.nodes.filter {
      $0.plan.role == .command && world.isPromisedOthersWork($0)
    }
    let users = Set(posts.map(\.credentials.user))
    var first: (name: String, alerts: [AlertID: String])?
    for post in posts {
      let clock = post.clock.reading(at: world.now)
      let alerts = try post.change { try $0.alerts(now: clock) } ?? []
      guard alerts.count < Limits.alerts else { continue }
      var shown: [AlertID: String] = [:]
      for alert in alerts
      where [.help, .furtherCalls, .sameCallsign].contains(alert.id.kind)
        && !users.contains(UserID(raw: alert.id.row.raw))
      {
        shown[alert.id] = alert.text
      }
      guard let known = first else {
        first = (post.name, shown)
        continue
      }
      if known.alerts != shown {
        world.report(promise, "\(post.name) and \(known.name) raise other alerts")
      }
    }
  }
}
