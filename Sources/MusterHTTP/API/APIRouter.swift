internal import Hummingbird
internal import MusterInterchange
internal import MusterNode

/// Answers the requests for a node's API, and each fault with a problem document.
///
///     request ─▶ find ─▶ RouteMatch ─▶ rights ─▶ AdmittedRequest ─▶ answer
///                404, 405              401, 403
///
/// The listener admits the request: it alone knows the client.
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
        + "signed by this device and are sent to the other devices automatically.",
      documentRights: .read)
  }

  /// All routes, with that of the OpenAPI document.
  var routes: [Route] { table.routes }

  /// Whether a path belongs to the API.
  static func owns(_ path: String) -> Bool {
    ["/api/", "/ogc/", "/tiles/"].contains { path.hasPrefix($0) }
      || ["/api", "/ogc", "/healthz", "/readyz", "/metrics", RouteTable<API>.openAPI]
        .contains(path)
  }

  /// Returns the route of a request. Throws a problem if there is none.
  func find(_ request: Request) throws(Problem) -> RouteMatch<API> {
    do throws(Problem) {
      return try table.find(request)
    } catch {
      api.requests.count(error.status.code)
      throw error
    }
  }

  /// Whether a request passes whatever connections and reads its login has used.
  func isUrgent(_ request: Request) -> Bool {
    do throws(Problem) {
      return try table.find(request).rights.cost == .urgent
    } catch {
      return false
    }
  }

  /// - Parameters:
  ///   - person: the logged-in client, if any.
  ///   - isProgram: whether a program on this machine sent it, and not the laptop's own page.
  func answer(
    _ request: Request, _ admitted: AdmittedRequest<API>, connection: Connection,
    person: Person? = nil, isProgram: Bool = false
  ) async -> Answer {
    let cost = admitted.match.rights.cost
    let name = person.map { "login \($0.name)" } ?? (isProgram ? "programs" : nil)
    let reader = name.map { name in
      ReadTurns.Reader(share: .init(reader: name, cost: cost), turns: turns) {
        connection.isPresent
      }
    }
    let caller = API.Caller(
      reader: reader, onBehalfOf: person?.principal, hidesDuress: person?.seesDuress == false)
    let answer = await Answer.orProblem {
      try await result(
        of: request, admitted, connection: connection, person: person, by: API(api, for: caller))
    }
    api.requests.count(answer.status.code)
    return answer
  }

  /// Runs the route, at most once for each idempotency key.
  private func result(
    of request: Request, _ admitted: AdmittedRequest<API>, connection: Connection,
    person: Person?, by api: API
  ) async throws -> Answer {
    // Logged-in clients use TLS, all others are on this machine.
    let (call, text) = try await table.call(
      request, admitted, connection: connection, person: person, isSecure: person != nil)
    guard admitted.match.writes else {
      return try await api.read { try await admitted.handle(api, call) }
    }
    guard let key = request.value(of: IdempotentRequest.header) else {
      return try await admitted.handle(api, call).naming(leftOut: call.content.leftOut)
    }
    let repeatable = try IdempotentRequest(
      key, by: person?.name,
      for: [
        request.method.rawValue, request.uri.string, request.headers[.ifMatch] ?? "", text,
      ])
    let answering = api.answering(repeatable)
    return try await api.gate.answer(to: repeatable, from: api.node) {
      try await admitted.handle(answering, call.with(request: repeatable))
        .naming(leftOut: call.content.leftOut)
    }
  }
}
