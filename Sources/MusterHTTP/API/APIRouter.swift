internal import Hummingbird
internal import MusterInterchange
internal import MusterNode

/// Answers the requests for a node's API, and each fault with a problem document.
///
///     request ─▶ RouteTable ─▶ call ─▶ handler ─▶ answer
struct APIRouter: Sendable {
  let api: API
  private let table: RouteTable<API>
  private let turns: ReadTurns
  /// With which phones encrypt messages of OwnTracks; nil without.
  let ownTracksKey: OwnTracksKey?

  init(api: API, turns: ReadTurns = ReadTurns(), ownTracksKey: OwnTracksKey? = nil) {
    self.api = api
    self.turns = turns
    self.ownTracksKey = ownTracksKey
    table = RouteTable(
      API.routes,
      about: "Read and write the data of one device of a field team. Writes are "
        + "signed by this device and are sent to the other devices automatically.")
  }

  /// The same routes for observers.
  var forObservers: APIRouter {
    APIRouter(
      api: API(
        node: api.node, maps: api.maps, webhooks: api.webhooks, live: api.live,
        logins: api.logins, requests: api.requests, photos: api.photos, hidesDuress: true),
      turns: turns, ownTracksKey: ownTracksKey)
  }

  /// Whether a path belongs to the API.
  static func owns(_ path: String) -> Bool {
    ["/api/", "/ogc/", "/tiles/"].contains { path.hasPrefix($0) }
      || ["/api", "/ogc", "/healthz", "/readyz", "/metrics", RouteTable<API>.openAPI]
        .contains(path)
  }

  /// - Parameters:
  ///   - person: the logged-in client, if any.
  ///   - isProgram: whether a program on this machine sent it, and not the laptop's own page.
  func answer(
    _ request: Request, connection: Connection, person: Person? = nil, isProgram: Bool = false
  ) async -> Answer {
    let share = person.map { "login \($0.name)" } ?? (isProgram ? "programs" : nil)
    let reader = share.map { share in
      ReadTurns.Reader(name: share, turns: turns) { connection.isPresent }
    }
    let answer = await Answer.orProblem {
      try await result(
        of: request, connection: connection, person: person,
        by: API(api, for: API.Caller(reader: reader, onBehalfOf: person?.principal)))
    }
    api.requests.count(answer.status.code)
    return answer
  }

  private func result(
    of request: Request, connection: Connection, person: Person?, by api: API
  ) async throws -> Answer {
    // Logged-in clients use TLS, all others are on this machine.
    let match = try await table.match(
      request, connection: connection, person: person, isSecure: person != nil)
    switch match {
    case .document(let answer): return answer
    case .call(let route, let call, let text):
      return try await handle(call, by: route, request, text: text, api)
    }
  }

  /// Runs the route, at most once for each idempotency key.
  private func handle(
    _ call: Call, by route: Route, _ request: Request, text: String, _ api: API
  ) async throws -> Answer {
    if route.method == .get { return try await api.read { try await route.handle(api, call) } }
    guard let key = request.value(of: IdempotentRequest.header) else {
      return try await route.handle(api, call)
    }
    let repeatable = try IdempotentRequest(
      key, by: call.person?.name,
      for: [
        route.method.rawValue, request.uri.string, request.headers[.ifMatch] ?? "", text,
      ])
    let api = api.answering(repeatable)
    return try await api.gate.answer(to: repeatable, from: api.node) {
      try await route.handle(api, call.with(request: repeatable))
    }
  }
}
