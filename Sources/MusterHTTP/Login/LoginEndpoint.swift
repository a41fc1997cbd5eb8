internal import Foundation
internal import Hummingbird
internal import MusterInterchange
internal import MusterLocation
internal import MusterModel
internal import MusterNode
internal import NIOCore

/// The API and the dashboard for remote users: over TLS, with a token of each browser that a name
/// and a passphrase give. The listener provides the TLS.
///
/// | request | response |
/// |---|---|
/// | `POST /api/v1/session` with `name` and `passphrase` | a cookie |
/// | the same with the `code` of a link (`LoginLinks`) | sets the passphrase, and a cookie |
/// | `GET /api/v1/session` | the current login, and what its token permits |
/// | `DELETE /api/v1/session` | ends the token |
/// | those of the API | as on a loopback address, within the login's rights (`LoginStanding`) |
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
  /// The limit of the body of a login.
  private static let loginBytes = 4096
  /// Logins that wait for verification, since each uses 64 MiB.
  private static let mostWaiting = 8
  /// Of these, for addresses from which the account logged in before.
  private static let reservedPlaces = 4

  let router: APIRouter
  private let observerRouter: APIRouter
  let dashboard: Dashboard
  let logins: LoginFile
  let audit: AuditLog
  /// The current time, for the login throttle and what the passphrase confirms.
  let now: @Sendable () -> ContinuousClock.Instant
  /// The current time, for the terms of tokens.
  private let wall: @Sendable () -> Timestamp
  /// The certificate that phones install, in DER; nil if there is none.
  private let authority: [UInt8]?
  let tokens: BrowserTokens
  let throttle = LoginThrottle()
  private let limits = WriteLimits()
  private let connections: ConnectionShares
  private let failures: FailedLogins
  private let restricted: RestrictedLogins
  private let judging = VerificationQueue(most: mostWaiting, reserved: reservedPlaces)

  /// - Parameters:
  ///   - tokens: of the same home as `logins`.
  ///   - raise: raises an unverified call; nil for the way of the node.
  init(
    router: APIRouter, dashboard: Dashboard, logins: LoginFile, tokens: BrowserTokens,
    audit: AuditLog, now: @escaping @Sendable () -> ContinuousClock.Instant,
    wall: @escaping @Sendable () -> Timestamp = { SystemClock.wall }, authority: [UInt8]? = nil,
    connections: ConnectionShares = ConnectionShares(perOwner: 128, all: 512),
    raise: RestrictedLogins.Raise? = nil
  ) {
    self.router = router
    observerRouter = router.forObservers
    self.dashboard = dashboard
    self.logins = logins
    self.audit = audit
    self.now = now
    self.wall = wall
    self.tokens = tokens
    let node = router.api.node
    restricted = RestrictedLogins(raise: raise ?? { try await node.raiseUnverifiedCall($0) })
    self.authority = authority
    self.connections = connections
    failures = FailedLogins(log: audit.ofFailures())
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
    return response
  }

  /// Writes the summaries of failed logins until the task is cancelled, and then the last one.
  func keepAudit() async {
    while !Task.isCancelled {
      do { try await Task.sleep(for: FailedLogins.interval) } catch { break }
      failures.flush(now: now())
    }
    failures.finish()
  }

  private func answer(
    _ request: Request, _ client: String, _ connection: Connection
  ) async throws -> Response {
    guard Self.isOwnPage(request) else {
      throw Problem(.forbidden, "requests from pages of other sites are rejected")
    }
    // Served without authentication: the page contains the login form.
    if Dashboard.owns(request) { return dashboard.answer(request) }
    if let page = try JoinPage(request, authority: authority) { return page.answer(dashboard) }
    if request.uri.path.hasPrefix(Self.phonePath) { return try await report(request) }
    let secret = Self.secret(in: request)
    if request.uri.path == Self.path, request.method == .post {
      return try await logIn(request, client)
    }
    guard let secret, let found = try tokens.find(secret, wall: wall(), now: now()) else {
      throw Problem(.unauthorized, "log in first: POST \(Self.path)")
    }
    let hasPlace = connections.admit(connection.channel, of: found.token.login)
    defer { if !hasPlace { connection.closeSoon() } }
    guard hasPlace || request.isUrgent else {
      throw Problem("this login has too many connections: close some", waiting: .seconds(5))
    }
    try await check(request, isOf: found.token.login)
    var response = try await answer(request, client, connection, found, secret)
    if let renewed = found.renewed, request.method != .delete || request.uri.path != Self.path {
      response.headers[.setCookie] = Self.cookie(renewed)
    }
    return response
  }

  /// Answers a request with a token.
  private func answer(
    _ request: Request, _ client: String, _ connection: Connection, _ found: BrowserTokens.Found,
    _ secret: String
  ) async throws -> Response {
    let login = try logins.read().first { $0.name == found.token.login }
    let (token, standing) = try await standing(of: found.token, login)
    let response: Response
    if request.uri.path == Self.path {
      response = try await own(request, login, token, standing, secret)
    } else {
      guard APIRouter.owns(request.uri.path) else {
        throw Problem(.notFound, "there is nothing at this path")
      }
      switch (standing, login) {
      case (.full, let login?):
        response = try await perform(
          request, login, token, found.renewed ?? secret, client, connection)
      case (.helpOnly(let reason), let login?):
        response = try await call(request, login, reason, client, connection)
      default:
        response = try await restricted.raise(
          request, by: token, from: client, wall: wall(), now: now())
        audit.record(
          Self.words(request), by: token.login, from: client, status: response.status.code)
      }
    }
    connection.renew(after: response)
    return response
  }

  /// Performs a request within the rights of its login.
  private func perform(
    _ request: Request, _ login: Login, _ token: BrowserToken, _ secret: String, _ client: String,
    _ connection: Connection
  ) async throws -> Response {
    let writes = request.method != .get
    let isOwner = try await isOwner(login)
    let isOwn = Self.isOwnReport(request, of: login, isOwner)
    let isCommand = login.rights == .command
    let hasRights = isCommand && tokens.isUnlocked(token, now: now())
    let hasView = isCommand && tokens.hasView(token, now: now())
    if writes, isCommand ? !(hasRights || isOwn) : !Self.mayWrite(request, login, isOwner) {
      refuse(request, of: login, from: client)
      throw isCommand ? Problem.locked : Self.notPermitted(login)
    }
    if writes, !hasRights, let pause = pause(of: request, login, isOwner) {
      throw Problem("this login sends too much", waiting: pause)
    }
    // Others than command answer only an order that addresses them, who are listed then.
    let mayList = hasRights || !DirectiveRoutes.isAnswer(request.uri.path)
    if writes, login.isPhone, mayList { try await enlist(login) }
    let person = Person(
      name: login.name, user: try await user(of: login), isCarrier: login.isPhone,
      isOwner: isOwner, speaksForItself: !(writes ? hasRights : hasView)
    ) { await hasAllRights(login, secret) }
    let routes = (writes ? hasRights : hasView) ? router : observerRouter
    let answer = await routes.answer(request, connection: connection, person: person)
    if writes {
      if hasRights, !isOwn { tokens.recordAct(token, now: now()) }
      audit.record(Self.words(request), by: login.name, from: client, status: answer.status.code)
    }
    return answer.response
  }

  /// Performs what an expired login may do: call for help, cancel, and report its own position.
  private func call(
    _ request: Request, _ login: Login, _ reason: LoginStanding.Reason, _ client: String,
    _ connection: Connection
  ) async throws -> Response {
    let isOwner = try await isOwner(login)
    guard RestrictedLogins.isCall(request), Self.isOwnReport(request, of: login, isOwner) else {
      throw Problem.expired(reason)
    }
    if let pause = pause(of: request, login, isOwner) {
      throw Problem("this login sends too much", waiting: pause)
    }
    if login.isPhone { try await enlist(login) }
    var person = Person(
      name: login.name, user: try await user(of: login), isCarrier: login.isPhone,
      isOwner: isOwner, speaksForItself: true
    ) { false }
    person.hasExpired = true
    let answer = await observerRouter.answer(request, connection: connection, person: person)
    audit.record(
      "\(Self.words(request)) (login expired)", by: login.name, from: client,
      status: answer.status.code)
    return answer.response
  }

  /// What a token permits now.
  private func standing(
    of token: BrowserToken, _ login: Login?
  ) async throws -> (BrowserToken, LoginStanding) {
    let own = token.standing(of: login, termSeconds: tokens.termSeconds, now: wall())
    guard own == .full, let login else { return (token, own) }
    let (hasSignedOff, revocations) = try await withdrawals(of: login)
    let known =
      token.isAwaitingFirst
      ? try tokens.begin(token, of: login, revocations: revocations) : token
    return (
      known,
      known.standing(
        of: login, termSeconds: tokens.termSeconds, now: wall(), hasSignedOff: hasSignedOff,
        revocations: revocations)
    )
  }

  /// Whether the person of a login signed off, and how many of their devices are revoked.
  private func withdrawals(of login: Login) async throws -> (Bool, Int) {
    guard let user = try await user(of: login) else { return (false, 0) }
    return try await router.api.node.withdrawals(of: user)
  }

  private static func notPermitted(_ login: Login) -> Problem {
    Problem(
      .forbidden,
      login.rights == .member
        ? "this login adds, and changes its own reports only: use a login of command"
        : "an observer has read-only access: use a login of command")
  }

  /// Whether the rights of a login permit a write.
  private static func mayWrite(_ request: Request, _ login: Login, _ isOwner: Bool) -> Bool {
    switch login.rights {
    case .command: true
    case .member:
      isAddition(request) || isChange(request) || isOwnReport(request, of: login, isOwner)
    case .observer: isOwnReport(request, of: login, isOwner)
    }
  }

  /// Whether a write adds a report, or a photo, a comment or a confirmation to one. A path that
  /// only looks like that has no route.
  private static func isAddition(_ request: Request) -> Bool {
    let path = request.uri.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    guard request.method == .post, path.prefix(3) == ["api", "v1", "reports"] else { return false }
    return path.count == 3 || path.count == 5 && additions.contains(String(path[path.endIndex - 1]))
  }

  /// Whether a write changes or withdraws a report: the route refuses that of another.
  private static func isChange(_ request: Request) -> Bool {
    let path = request.uri.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    return [.patch, .delete].contains(request.method) && path.count == 4
      && path.prefix(3) == ["api", "v1", "reports"]
  }

  private static let additions: Set<String> = ["photos", "comments", "confirm"]

  /// Whether a write reports the safety or the position of the login's own person, checks in, or
  /// answers an order: the routes refuse what such a login writes for another person.
  private static func isOwnReport(_ request: Request, of login: Login, _ isOwner: Bool) -> Bool {
    switch (request.method, request.uri.path) {
    case (.put, "/api/v1/me/safety"), (.post, "/api/v1/checkins"),
      (.post, "/api/v1/checkins/report"):
      login.user != nil || login.isPhone
    case (.post, "/api/v1/me/position"): isOwner || login.isPhone
    case (.post, let path) where DirectiveRoutes.isAnswer(path): login.user != nil || login.isPhone
    case (_, let path): login.isPhone && path.hasPrefix("/api/v1/me/")
    }
  }

  private func hasAllRights(_ login: Login, _ secret: String) async -> Bool {
    do {
      guard try logins.read().contains(login), let token = try tokens.peek(secret, now: now())
      else { return false }
      return try await standing(of: token, login).1 == .full
    } catch {
      return false
    }
  }

  // MARK: Limits

  /// How long a write that the rights permit must wait.
  private func pause(of request: Request, _ login: Login, _ isOwner: Bool) -> Duration? {
    // The newest position replaces the one before.
    guard request.uri.path != "/api/v1/me/position" else { return nil }
    let isOwn = Self.isOwnReport(request, of: login, isOwner)
    let kind = isOwn ? WriteLimits.Kind(ownReport: request.uri.path) : .addition
    return limits.pause(kind, of: login.name, now: now())
  }

  /// Notes a write that the rights do not permit, unless there are too many of the login.
  private func refuse(_ request: Request, of login: Login, from client: String) {
    guard limits.pause(.refusal, of: login.name, now: now()) == nil else { return }
    audit.record(Self.words(request), by: login.name, from: client, status: 403)
  }

  // MARK: Phones

  private static let phonePath = "/phone/"

  /// The person that a login reports for.
  private func user(of login: Login) async throws -> UserID? {
    guard login.isPhone else { return login.user }
    return try await router.api.node.carrier(named: login.name)
  }

  /// Whether a login belongs to the user of this node's device.
  private func isOwner(_ login: Login) async throws -> Bool {
    guard let user = login.user else { return false }
    return try await router.api.node.user() == user
  }

  /// A person without a position can report too.
  private func enlist(_ login: Login) async throws {
    do {
      try await router.api.node.enlistCarrier(named: login.name)
    } catch {
      throw Problem(refusing: error)
    }
  }

  /// Takes a report of a phone's tracker app. The secret names the login, whatever the report does.
  private func report(_ request: Request) async throws -> Response {
    let parts = request.uri.path.dropFirst(Self.phonePath.count).split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let login = try logins.read().first { login in
      login.phoneSecret.map { AccessRule.isSame(String(parts[0]), $0) } ?? false
    }
    let current = try await reporter(login)
    guard let reporter = try current ?? logins.formerPhones.reporter(of: String(parts[0])) else {
      throw Problem(.unauthorized, "this address is not valid: copy it from the page again")
    }
    let responder = TrackerResponder(
      node: router.api.node, reporter: reporter, key: router.ownTracksKey)
    return try await responder.respond(
      to: request, as: .allowed(path: "/" + (parts.count == 2 ? parts[1] : "")))
  }

  /// Whose positions the tracker app of a login reports; nil for none of this node.
  private func reporter(_ login: Login?) async throws -> TrackerResponder.Reporter? {
    guard let login else { return nil }
    if login.isPhone {
      return TrackerName(login.name, longestBytes: Limits.lineBytes).map { .carrier($0) }
    }
    return try await isOwner(login) ? .deviceUser : nil
  }

  // MARK: The session

  private func logIn(_ request: Request, _ client: String) async throws -> Response {
    let (name, passphrase, code) = try await Self.credentials(in: request)
    if let code { return try await open(name, by: code, passphrase, request, client) }
    let attempt: LoginThrottle.Attempt
    switch throttle.begin(name, from: client, now: now()) {
    case .verify(let allowed): attempt = allowed
    case .wait(let pause): throw Problem("too many logins", waiting: pause)
    }
    var isRight: Bool?
    defer { throttle.end(attempt, isRight: isRight, now: now()) }
    let found = try logins.read().first { $0.name == name }
    isRight = try await judging.judge(found, passphrase, isKnown: throttle.isKnown(attempt))
    guard isRight == true, let found else {
      failures.add(name, from: client, now: now())
      throw Problem(.unauthorized, "the name or the passphrase is wrong")
    }
    failures.flush(now: now())
    return try await begin(found, "login", request, client)
  }

  /// Sets the passphrase of a login by the code of its link, and begins a session. Codes have 128
  /// bits: guesses of them need no limit.
  private func open(
    _ name: String, by code: String, _ passphrase: [UInt8], _ request: Request, _ client: String
  ) async throws -> Response {
    do {
      try Login.check(passphrase)
    } catch {
      throw Problem(.unprocessableContent, error.description, at: "/passphrase")
    }
    let links = router.api.logins
    guard let links, let login = links.login(of: code, named: name, now: now()) else {
      throw Self.usedUp
    }
    // Used up only afterwards: while many log in at once, this may be refused.
    let new = try await judging.derive { try login.with(passphrase: passphrase) }
    guard links.redeem(code, of: name, now: now()) == login, try links.replace(login, by: new)
    else { throw Self.usedUp }
    router.api.live.review()
    throttle.opened(name, from: client, now: now())
    return try await begin(new, "login by link", request, client)
  }

  private static let usedUp = Problem(
    .unauthorized, "this link was used, replaced or is too old: ask for a new one")

  private func begin(
    _ login: Login, _ what: String, _ request: Request, _ client: String
  ) async throws -> Response {
    let revocations = try await withdrawals(of: login).1
    // An existing token is not continued: another user may know its secret.
    let secret = try tokens.issue(
      to: login, device: BrowserName.name(of: request.headers[.userAgent]),
      replacing: Self.secret(in: request), revocations: revocations, wall: wall(), now: now())
    audit.record(what, by: login.name, from: client, status: 204)
    var response = Answer(.noContent).response
    response.headers[.setCookie] = Self.cookie(secret)
    return response
  }

  private func own(
    _ request: Request, _ login: Login?, _ token: BrowserToken, _ standing: LoginStanding,
    _ secret: String
  ) async throws -> Response {
    switch request.method {
    case .get:
      let rights = login?.rights ?? .observer
      var session: [String: JSON] = [
        "id": .string(try await id(of: token.login)), "name": .string(token.login),
        "rights": .string(rights.rawValue), "user": .null,
        "operation": .id(try await router.api.node.operation()), "phone": .null,
        "standing": .string(standing.name),
        "reason": .known(standing.reason) { .string($0.rawValue) },
        "locked": .bool(rights == .command && !tokens.isUnlocked(token, now: now())),
      ]
      if let login, standing != .removed {
        session["user"] = .known(try await user(of: login), JSON.id)
        session["phone"] = .known(try await reporter(login).flatMap { _ in login.phoneSecret }) {
          .string("\(Self.phonePath)\($0)/")
        }
      }
      return Answer.ok(.object(session)).response
    case .delete:
      try tokens.end(secret, now: now())
      var response = Answer(.noContent).response
      response.headers[.setCookie] =
        "\(Self.cookie)=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Strict"
      // What the page keeps itself it removes itself: entries that wait stay.
      if let name = HeaderName("clear-site-data") { response.headers[name] = "\"cache\"" }
      return response
    default:
      throw Problem(
        .methodNotAllowed, "only GET, POST, DELETE", allowed: ["GET", "POST", "DELETE"])
    }
  }

  private static func credentials(
    in request: Request
  ) async throws -> (name: String, passphrase: [UInt8], code: String?) {
    guard request.headers[.contentType]?.lowercased().hasPrefix("application/json") == true else {
      throw Problem(.unsupportedMediaType, "send application/json")
    }
    let shape = Shape.object(
      [.must("name", .line), .must("passphrase", .text), .may("code", .text)], least: 2)
    do {
      let json = try JSON.read(Array(buffer: try await request.body.collect(upTo: loginBytes)))
      try shape.check(json, at: "")
      let passphrase = json.members?["passphrase"]?.word ?? ""
      guard !passphrase.isEmpty else { throw Problem(.badRequest, "the passphrase is empty") }
      return (
        json.members?["name"]?.word ?? "", Array(passphrase.utf8), json.members?["code"]?.word
      )
    } catch is NIOTooManyBytesError {
      throw Problem(.contentTooLarge, "a login has at most \(loginBytes) bytes")
    } catch let fault as GeoJSONFault {
      throw Problem(.badRequest, "\(fault)")
    }
  }
}
