internal import Logging
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// What the routes work on: the node, what is ready to be sent, and who follows.
///
/// Reads of whole sets come from caches, of which each is made anew when its set has changed;
/// writes go to the node as the commands of the command line do, and are answered once they are
/// durable.
final class API: Sendable {
  let node: Node
  let requests = RequestCounts()
  let live: LiveDesk
  /// Nil where none was brought along.
  let map: BaseMap?
  /// Nil where they are out of order.
  let webhooks: WebhookBook?
  private let statusText: AnswerCache<(StatusSummary, String)>
  /// Not of devices: no count says when one was admitted or put out.
  private let sets: [Listed: AnswerCache<Rows>]

  /// A set that is listed.
  enum Listed: String, CaseIterable {
    case users, reports, fences, directives, devices
  }

  init(node: Node, map: BaseMap?, webhooks: WebhookBook?, logger: Logger) {
    self.node = node
    self.map = map
    self.webhooks = webhooks
    live = LiveDesk(node: node, logger: logger)
    let counts: @Sendable () -> ChangeCounts = { node.changeCounts }
    statusText = AnswerCache(of: Dataset.allCases, counts: counts)
    sets = Dictionary(
      uniqueKeysWithValues: Listed.allCases.compactMap { set -> (Listed, AnswerCache<Rows>)? in
        let datasets: [Dataset]? =
          switch set {
          case .users: [.users, .fences]
          case .reports: [.reports]
          case .fences: [.fences, .users]
          case .directives: [.directives, .users]
          case .devices: nil
          }
        return datasets.map { (set, AnswerCache(of: $0, counts: counts)) }
      })
  }

  /// What the node answers, unless it refuses.
  func ask(_ command: Command) async throws(Problem) -> Reply {
    try Self.accepted(await node.perform(command))
  }

  /// As `ask`, of a row that has to be what the asker saw of it, where they say what that was.
  func ask(
    _ command: Command, on kind: EntityKind, _ call: Call
  ) async throws(Problem) -> Reply {
    guard let versions = call.versions else { return try await ask(command) }
    return try Self.accepted(
      await node.perform(command, if: kind, named: call.id, isOneOf: versions))
  }

  private static func accepted(_ reply: Reply) throws(Problem) -> Reply {
    if case .refused(let reason, let kind) = reply { throw Problem(reason, kind) }
    return reply
  }

  /// The status, and as it is sent.
  func status() async throws -> (summary: StatusSummary, text: String) {
    try await statusText.value { [self] in
      guard case .status(let status) = try await ask(.status) else { throw Problem.unexpected }
      return (status, status.json(now: SystemClock.wall).text)
    }
  }

  /// A set, ready to be sent.
  func rows(_ set: Listed) async throws -> Rows {
    guard let cache = sets[set] else { return try await made(set) }
    return try await cache.value { [self] in try await made(set) }
  }

  private func made(_ set: Listed) async throws -> Rows {
    switch (set, try await ask(set.command)) {
    case (.users, .users(let users)): Rows(users.map(\.row))
    case (.reports, .reports(let reports)): Rows(reports.map(\.row))
    case (.fences, .fences(let fences)): Rows(fences.map(\.row))
    case (.directives, .directives(let directives)):
      Rows(directives.map { $0.row(now: SystemClock.wall) })
    case (.devices, .devices(let devices)): Rows(devices.map(\.row))
    default: throw Problem.unexpected
    }
  }
}

extension API.Listed {
  fileprivate var command: Command {
    switch self {
    case .users: .users
    case .reports: .reports
    case .fences: .fences
    case .directives: .directives
    case .devices: .devices
    }
  }
}

extension Problem {
  /// The node's answer to another question, which would be a fault of ours.
  static let unexpected = Problem(.serviceUnavailable, "the node answered another question")
}

// MARK: - Rows

extension UserSummary {
  fileprivate var row: Rows.Row {
    Rows.Row(
      id: "\(id)", json: json.text,
      feature: fix.map { GeoJSON.point($0.position, id: "\(id)", properties: json) } ?? "",
      box: fix.map { Box($0.position) })
  }
}

extension ReportSummary {
  fileprivate var row: Rows.Row {
    Rows.Row(
      id: "\(id)", json: json.text,
      feature: position.map { GeoJSON.point($0, id: "\(id)", properties: json) } ?? "",
      box: position.map(Box.init))
  }
}

extension FenceSummary {
  fileprivate var row: Rows.Row {
    let exported = ExportedFence(
      id: "\(id)", name: name, kind: kind.name, isActive: isActive, properties: properties,
      geometry: geometry)
    return Rows.Row(
      id: "\(id)", json: json.text, feature: GeoJSON.feature(of: exported), box: Box(geometry))
  }
}

extension DirectiveSummary {
  fileprivate func row(now: Timestamp) -> Rows.Row {
    Rows.Row(id: "\(id)", json: json(now: now).text, feature: "", box: nil)
  }
}

extension DeviceSummary {
  fileprivate var row: Rows.Row {
    Rows.Row(id: "\(id)", json: json.text, feature: "", box: nil)
  }
}

extension API {
  /// All that can be asked.
  static let routes: [Route] =
    reading + writing + alerts + baseMap + administration + webhookRoutes + following
}
