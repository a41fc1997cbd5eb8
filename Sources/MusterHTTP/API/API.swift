internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The state of the routes: the node, prepared responses, and the subscribers.
///
/// Whole data sets are read from caches, which are rebuilt after a change. Writes are sent to the
/// node as commands, like those of the command line, and are answered once they are durable.
final class API: Sendable {
  let node: Node
  let requests: RequestCounts
  let live: SubscriptionBroker
  let gate: IdempotencyGate
  /// Whose request is answered.
  private let caller: Caller
  let maps: MapCollection
  /// Nil if webhooks are disabled by an error.
  let webhooks: WebhookStore?
  let photos: PhotoUploads
  /// Nil on a node without logins.
  let logins: LoginLinks?
  /// For readers who see calls under duress; `filtered` for all others.
  private let full: Cached
  private let filtered: Cached

  /// The client of one request.
  struct Caller: Sendable {
    /// The request with its idempotency key; nil without one.
    var request: IdempotentRequest?
    /// The share of the client's reads; nil for the laptop's own page and the command line.
    var reader: ReadTurns.Reader?
    /// The person or login that this device writes for; nil for its own user.
    var onBehalfOf: Principal?
    /// Whether the client is no commander: calls under duress are left out (decision 0047).
    var hidesDuress = false
  }

  /// Prepared responses for readers who see the same.
  private struct Cached: Sendable {
    let statusText: AnswerCache<(StatusSummary, String)>
    /// Devices are not cached: no count changes when one is admitted or revoked.
    let sets: [Listed: AnswerCache<Rows>]

    init(counts: @escaping @Sendable () -> ChangeCounts) {
      statusText = AnswerCache(of: Dataset.allCases, counts: counts)
      sets = Dictionary(
        uniqueKeysWithValues: Listed.allCases.compactMap { set in
          set.datasets.map { (set, AnswerCache(of: $0, counts: counts)) }
        })
    }
  }

  /// A data set with a list route.
  enum Listed: String, CaseIterable {
    case users, reports, fences, directives, devices
  }

  init(
    node: Node, maps: MapCollection, webhooks: WebhookStore?, live: SubscriptionBroker,
    logins: LoginLinks? = nil, requests: RequestCounts = RequestCounts(),
    photos: PhotoUploads = PhotoUploads()
  ) {
    self.node = node
    self.maps = maps
    self.webhooks = webhooks
    self.requests = requests
    self.live = live
    self.photos = photos
    self.logins = logins
    gate = IdempotencyGate()
    caller = Caller()
    let counts: @Sendable () -> ChangeCounts = { node.changeCounts }
    (full, filtered) = (Cached(counts: counts), Cached(counts: counts))
  }

  /// The same routes and caches for one request.
  init(_ other: API, for caller: Caller) {
    (node, requests, live, maps) = (other.node, other.requests, other.live, other.maps)
    (webhooks, photos, logins) = (other.webhooks, other.photos, other.logins)
    (full, filtered, gate) = (other.full, other.filtered, other.gate)
    self.caller = caller
  }

  /// The same routes and caches for a request with an idempotency key.
  func answering(_ request: IdempotentRequest) -> API {
    var caller = caller
    caller.request = request
    return API(self, for: caller)
  }

  /// Reads the node and encodes the answer, when it is the caller's turn, on threads of its own.
  func read(_ work: () async throws -> Answer) async throws -> Answer {
    guard let reader = caller.reader else { return try await ReadExecutor.perform(work) }
    return try await reader.perform { try await ReadExecutor.perform(work) }
  }

  /// Sends a command and returns the node's reply; throws if the node rejects it.
  func ask(_ command: Command) async throws(Problem) -> Reply {
    let asked = caller.hidesDuress ? command.withoutDuress : command
    return try accepted(
      await node.perform(asked, once: key(of: command), onBehalfOf: caller.onBehalfOf))
  }

  private func key(of command: Command) -> RequestKey? {
    command.isStoredOnce ? caller.request?.nextCommand() : nil
  }

  /// Sends a command like `ask`, on the condition that a row still has the client's version, if one
  /// is given.
  func ask(
    _ command: Command, on kind: EntityKind, _ call: Call
  ) async throws(Problem) -> Reply {
    guard let seen = call.seenVersion else { return try await ask(command) }
    let reply = await node.perform(
      command, once: key(of: command),
      if: RowCondition(kind: kind, reference: call.id, seen: seen),
      onBehalfOf: caller.onBehalfOf)
    if case .changes = seen, case .refused(let reason, .changed) = reply {
      throw Problem(.conflict, reason, current: try await syncItem(kind, call.id)?.json)
    }
    return try accepted(reply)
  }

  private func syncItem(
    _ kind: EntityKind, _ reference: String
  ) async throws(Problem) -> SyncPage.Item? {
    guard let set = SyncedSet(kind) else { return nil }
    do {
      return try await DeltaSync(node).item(of: set, kind, named: reference)
    } catch {
      throw Problem(refusing: error)
    }
  }

  private func accepted(_ reply: Reply) throws(Problem) -> Reply {
    if case .refused(let reason, let kind) = reply { throw Problem(reason, kind) }
    return caller.hidesDuress ? reply.withoutDuress : reply
  }

  // MARK: Responses

  /// An unknown row is reported for the body, which named it, and not for the path.
  func naming(_ work: () async throws -> Answer) async throws -> Answer {
    do {
      return try await work()
    } catch let problem as Problem where problem.status == .notFound {
      throw Problem(.unprocessableContent, problem.detail)
    }
  }

  func created(_ command: Command, below path: String) async throws -> Answer {
    guard case .created(let id) = try await ask(command) else { throw Problem.unexpected }
    return .created("\(id)", below: path)
  }

  func done(_ command: Command) async throws -> Answer {
    _ = try await ask(command)
    return Answer(.noContent)
  }

  func done(
    _ command: Command, on kind: EntityKind, _ call: Call
  ) async throws -> Answer {
    _ = try await ask(command, on: kind, call)
    return Answer(.noContent)
  }

  // MARK: Data sets

  private var cached: Cached { caller.hidesDuress ? filtered : full }

  /// The status as a value and as JSON text.
  func status() async throws -> (summary: StatusSummary, text: String) {
    try await cached.statusText.value { [self] in
      guard case .status(let status) = try await ask(.status) else { throw Problem.unexpected }
      return (status, status.json(now: SystemClock.wall).text)
    }
  }

  /// A prepared data set.
  func rows(_ set: Listed) async throws -> Rows {
    guard let cache = cached.sets[set] else { return try await made(set) }
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

extension Reply {
  /// The reply without calls under duress; the order of people shows none either.
  var withoutDuress: Reply {
    switch self {
    case .users(let users):
      .users(users.map(\.withoutDuress).sorted(by: UserSummary.isListed))
    case .history(let picture): .history(picture.withoutDuress)
    case .alerts(let alerts): .alerts(alerts.filter { $0.id.kind != .duress })
    default: self
    }
  }
}

extension Command {
  /// The command whose reply has no calls under duress: of a page they are left out before it is
  /// cut. See `Reply.withoutDuress` for the others.
  var withoutDuress: Command {
    guard case .timeline(let from, let to, let after, let limit, _) = self else { return self }
    return .timeline(from: from, to: to, after: after, limit: limit, hidesDuress: true)
  }
}

extension API.Listed {
  /// The data sets that a list follows from; nil for a list that is not cached.
  fileprivate var datasets: [Dataset]? {
    switch self {
    case .users: [.users, .fences, .directives]
    case .reports: [.reports]
    case .fences: [.fences, .users]
    case .directives: [.directives, .users]
    case .devices: nil
    }
  }

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
  /// The node's reply to another command, which is a bug of this program.
  static let unexpected = Problem(.serviceUnavailable, "the node sent an unexpected reply")
}

// MARK: - Rows

extension UserSummary {
  /// Map programs get no call under duress: others may see their screens, as an export.
  var row: Rows.Row {
    let shown = withoutDuress
    return Rows.Row(
      id: "\(id)", json: json.text,
      feature: GeoJSON.feature(of: shown, adding: shown.earlierNames) ?? "",
      box: fix.map { Box($0.position) }, time: fix.map { $0.sampleTime...$0.sampleTime })
  }

  /// `personStatus` and `personSeverity`, by the names of earlier programs.
  private var earlierNames: [String: JSON] {
    ["status": .string(status.rawValue), "severity": .string(severity.rawValue)]
  }
}

extension ReportSummary {
  var row: Rows.Row {
    Rows.Row(
      id: "\(id)", json: json.text,
      feature: GeoJSON.feature(of: self, adding: earlierNames) ?? "",
      box: position.map(Box.init),
      time: min(createdAt, updatedAt)...max(createdAt, updatedAt))
  }

  /// `reportStatus` and `reportSeverity`, by the names of earlier programs.
  private var earlierNames: [String: JSON] {
    ["status": .string(status.name), "severity": .known(severity) { .count(Int($0)) }]
  }
}

extension FenceSummary {
  var row: Rows.Row {
    Rows.Row(
      id: "\(id)", json: json.text, feature: GeoJSON.feature(of: self), box: Box(geometry))
  }
}

extension DirectiveSummary {
  func row(now: Timestamp) -> Rows.Row {
    Rows.Row(id: "\(id)", json: json(now: now).text, feature: "", box: nil)
  }
}

extension DeviceSummary {
  fileprivate var row: Rows.Row {
    Rows.Row(id: "\(id)", json: json.text, feature: "", box: nil)
  }
}

extension API {
  /// All routes.
  static let routes: [Route] = [
    ListRoutes.routes, PositionRoutes.routes, StateRoutes.routes, ReportRoutes.routes,
    FenceRoutes.routes, ZoneRuleRoutes.routes, PersonRoutes.routes, PermitRoutes.routes,
    ContactRoutes.routes, HistoryRoutes.routes, ProximityRoutes.routes,
    CheckInRoutes.routes, DirectiveRoutes.routes, PhotoRoutes.routes, PhotoMarkRoutes.routes,
    AlertRoutes.routes, UnverifiedCallRoutes.routes, BaseMapRoutes.routes,
    AdministrationRoutes.routes, RosterRoutes.routes, LoginRoutes.routes,
    WebhookRoutes.routes, StreamRoutes.routes, SyncRoutes.routes,
    FeatureRoutes.routes(usual: .read, dear: .dearRead),
  ].flatMap(\.self)
}
