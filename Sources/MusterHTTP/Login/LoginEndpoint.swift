internal import Hummingbird
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The API and the dashboard for remote users: over TLS, with a token of each browser that a name
/// and a passphrase give. The listener provides the TLS.
///
/// | request | response |
/// |---|---|
/// | `POST /api/v1/session` with `name` and `passphrase` | a cookie |
/// | the same with the `code` of a link (`LoginLinks`) | sets the passphrase, and a cookie |
/// | `GET /api/v1/session` | the current login, and what its token permits |
/// | `DELETE /api/v1/session` | ends the token |
/// | those of the API | as on a loopback address, as far as the route's rights admit the login |
/// | `/phone/SECRET/`, `/phone/SECRET/owntracks` | reports of a login's tracker app |
/// | `GET /join`, `/join/authority.crt` | how phones trust the certificate; no authentication |
/// | the dashboard's files | without authentication: they contain no data |
///
/// The node's own device signs their writes; the audit log names the login.
struct LoginEndpoint: Sendable {
  static let path = "/api/v1/session"
  static let cookie = "__Host-muster"
  /// The most that browsers keep a cookie: the term is up to the node.
  static let cookieSeconds = 400 * 86_400

  let router: APIRouter
  let people: LoginPeople
  private let dashboard: Dashboard
  private let tokens: BrowserTokens
  private let clock: LoginClock
  /// The certificate that phones install, in DER; nil if there is none.
  private let authority: [UInt8]?
  private let connections: ConnectionShares
  private let sessions: LoginSessions
  private let requests: LoginRequests

  /// - Parameters:
  ///   - tokens: of the same home as `logins`.
  ///   - now: the current time, for the login throttle and what the passphrase confirms.
  ///   - wall: the current time, for the terms of tokens.
  ///   - raise: raises an unverified call; nil for the way of the node.
  init(
    router: APIRouter, dashboard: Dashboard, logins: LoginFile, tokens: BrowserTokens,
    audit: AuditLog, now: @escaping @Sendable () -> ContinuousClock.Instant,
    wall: @escaping @Sendable () -> Timestamp = { SystemClock.wall }, authority: [UInt8]? = nil,
    connections: ConnectionShares = ConnectionShares(perOwner: 128, all: 512),
    raise: RestrictedLogins.Raise? = nil
  ) {
    let node = router.api.node
    self.router = router
    self.dashboard = dashboard
    self.tokens = tokens
    self.authority = authority
    self.connections = connections
    clock = LoginClock(now: now, wall: wall)
    people = LoginPeople(node: node, logins: logins, tokens: tokens, clock: clock)
    sessions = LoginSessions(
      api: router.api, people: people, tokens: tokens, audit: audit, clock: clock)
    requests = LoginRequests(
      router: router, people: people, tokens: tokens, audit: audit,
      restricted: RestrictedLogins(raise: raise ?? { try await node.raiseUnverifiedCall($0) }),
      clock: clock)
  }

  /// - Parameter client: the address of the client.
  func respond(
    to request: Request, from client: String, connection: Connection
  ) async -> Response {
    var response: Response
    do {
      response = try await answer(request, client, connection)
    } catch let problem as Problem {
      response = problem.answer.response
    } catch {
      response = Problem(.serviceUnavailable, "\(error)").answer.response
    }
    // A browser that keeps it refuses to proceed past a later warning: the instructions set none.
    if !JoinPage.owns(request) {
      response.headers[.strictTransportSecurity] = "max-age=31536000"
    }
    return response.fitting(request)
  }

  /// Writes the summaries of failed logins until the task is cancelled, and then the last one.
  func keepAudit() async { await sessions.keepAudit() }

  private func answer(
    _ request: Request, _ client: String, _ connection: Connection
  ) async throws -> Response {
    guard Self.isOwnPage(request) else {
      throw Problem(.forbidden, "requests from pages of other sites are rejected")
    }
    let route = ListenerRoute.find(request, at: .remote)
    if let route, route.isOpen { return try await answer(request, by: route.service, client) }
    guard let secret = Self.secret(in: request),
      let found = try tokens.find(secret, wall: clock.wall(), now: clock.now())
    else { throw Problem(.unauthorized, "log in first: POST \(Self.path)") }
    let hasPlace = connections.admit(connection.channel, of: found.token.login)
    defer { if !hasPlace { connection.closeSoon() } }
    guard hasPlace || router.isUrgent(request) else {
      throw Problem("this login has too many connections: close some", waiting: .seconds(5))
    }
    try await check(request, isOf: found.token.login)
    var response = try await answer(
      request, by: route?.service, client, connection, found, secret)
    if let renewed = found.renewed, request.method != .delete || request.uri.path != Self.path {
      response.headers[.setCookie] = Self.cookie(renewed)
    }
    return response
  }

  /// Answers a request that needs no login, or contains a secret of one.
  private func answer(
    _ request: Request, by service: ListenerRoute.Service, _ client: String
  ) async throws -> Response {
    switch service {
    // The page contains the login form.
    case .files: return await dashboard.answer(request)
    case .join:
      if let page = try JoinPage(request, authority: authority) { return page.answer(dashboard) }
    case .phoneReports:
      return try await PhoneReports(people: people, key: router.ownTracksKey).answer(request)
    case .logIn: return try await sessions.logIn(request, client)
    default: break
    }
    throw Self.nothing
  }

  /// Answers a request with a token.
  private func answer(
    _ request: Request, by service: ListenerRoute.Service?, _ client: String,
    _ connection: Connection, _ found: BrowserTokens.Found, _ secret: String
  ) async throws -> Response {
    let login = try people.logins.read().first { $0.name == found.token.login }
    let (token, standing) = try await people.standing(of: found.token, login)
    let response: Response
    switch service {
    case .session:
      response = try await sessions.answer(to: request, login, token, standing, secret)
    case .api:
      if let login, standing != .removed {
        let sender = LoginRequests.Sender(
          login: login, token: token, secret: found.renewed ?? secret, expiry: standing.reason,
          address: client)
        response = try await requests.answer(request, of: sender, connection: connection)
      } else {
        response = try await requests.answer(request, ofRemoved: token, from: client)
      }
    default: throw Self.nothing
    }
    connection.renew(after: response)
    return response
  }

  private static let nothing = Problem(.notFound, "there is nothing at this path")
}
