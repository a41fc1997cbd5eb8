internal import Dispatch
internal import Foundation
internal import Hummingbird
internal import MusterInterchange
internal import MusterLocation
internal import MusterModel
internal import MusterNode
internal import NIOCore

/// The API and the dashboard for remote users: over TLS, with a session that starts with a name and
/// a passphrase. The listener provides the TLS.
///
/// | request | response |
/// |---|---|
/// | `POST /api/v1/session` with `name` and `passphrase` | a cookie |
/// | the same with the `code` of a link (`LoginLinks`) | sets the passphrase, and a cookie |
/// | `GET /api/v1/session` | the current login |
/// | `DELETE /api/v1/session` | ends the session |
/// | those of the API | as on a loopback address, within the login's rights |
/// | `/phone/SECRET/`, `/phone/SECRET/owntracks` | reports of a login's tracker app |
/// | `GET /join`, `/join/authority.crt` | how phones trust the certificate; no authentication |
/// | the dashboard's files | without authentication: they contain no data |
///
/// The node's own device signs their writes; the audit log names the login.
struct LoginEndpoint: Sendable {
  static let path = "/api/v1/session"
  private static let cookie = "__Host-muster"
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
  /// The current time, for the expiry of sessions and of the login throttle.
  let now: @Sendable () -> ContinuousClock.Instant
  /// The certificate that phones install, in DER; nil if there is none.
  private let authority: [UInt8]?
  let sessions = Sessions()
  let throttle = LoginThrottle()
  private let limits = WriteLimits()
  private let connections: ConnectionShares
  private let failures: FailedLogins
  private let judging = VerificationQueue(most: mostWaiting, reserved: reservedPlaces)

  init(
    router: APIRouter, dashboard: Dashboard, logins: LoginFile, audit: AuditLog,
    now: @escaping @Sendable () -> ContinuousClock.Instant, authority: [UInt8]? = nil,
    connections: ConnectionShares = ConnectionShares(perOwner: 128, all: 512)
  ) {
    self.router = router
    observerRouter = router.forObservers
    self.dashboard = dashboard
    self.logins = logins
    self.audit = audit
    self.now = now
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
    guard let secret, let (session, renewed) = sessions.find(secret, now: now()),
      try isListed(session.login)
    else { throw Problem(.unauthorized, "log in first: POST \(Self.path)") }
    let login = session.login
    guard connections.admit(connection.channel, of: login.name) else {
      connection.closeSoon()
      throw Problem("this login has too many connections: close some", waiting: .seconds(5))
    }
    try Self.check(request, isOf: login.name)
    var response: Response
    if request.uri.path == Self.path {
      response = try await own(request, login, secret)
    } else {
      guard APIRouter.owns(request.uri.path) else {
        throw Problem(.notFound, "there is nothing at this path")
      }
      let writes = request.method != .get
      let isOwner = try await isOwner(login)
      if writes, !Self.mayWrite(request, login, isOwner) {
        refuse(request, of: login, from: client)
        throw Problem(
          .forbidden,
          login.rights == .member
            ? "this login adds, and changes its own reports only: use a login of command"
            : "an observer has read-only access: use a login of command")
      }
      if writes, let pause = pause(of: request, login, isOwner) {
        throw Problem("this login sends too much", waiting: pause)
      }
      // Others than command answer only an order that addresses them, who are listed then.
      let mayList = login.rights == .command || !DirectiveRoutes.isAnswer(request.uri.path)
      if writes, login.isPhone, mayList { try await enlist(login) }
      let person = Person(
        name: login.name, user: try await user(of: login), isCarrier: login.isPhone,
        isOwner: isOwner, speaksForItself: login.rights != .command
      ) { isLetIn(login, renewed ?? secret) }
      let routes = login.rights == .command ? router : observerRouter
      response = await routes.answer(request, connection: connection, person: person).response
      if writes {
        audit.note(
          Self.words(request), by: login.name, from: client, status: response.status.code)
      }
    }
    if let renewed, request.method != .delete || request.uri.path != Self.path {
      response.headers[.setCookie] = Self.cookie(renewed)
    }
    connection.renew(after: response)
    return response
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

  /// Whether a login is neither removed nor replaced, such as by one with a new passphrase.
  private func isListed(_ login: Login) throws -> Bool { try logins.read().contains(login) }

  private func isLetIn(_ login: Login, _ secret: String) -> Bool {
    do {
      return try sessions.holds(secret, now: now()) && isListed(login)
    } catch {
      return false
    }
  }

  // MARK: Limits

  /// How long a write that the rights permit must wait.
  private func pause(of request: Request, _ login: Login, _ isOwner: Bool) -> Duration? {
    // The newest position replaces the one before.
    guard login.rights != .command, request.uri.path != "/api/v1/me/position" else { return nil }
    let isOwn = Self.isOwnReport(request, of: login, isOwner)
    return limits.pause(isOwn ? .ownReport : .addition, of: login.name, now: now())
  }

  /// Notes a write that the rights do not permit, unless there are too many of the login.
  private func refuse(_ request: Request, of login: Login, from client: String) {
    guard limits.pause(.refusal, of: login.name, now: now()) == nil else { return }
    audit.note(Self.words(request), by: login.name, from: client, status: 403)
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
    guard let login, let reporter = try await reporter(login) else {
      throw Problem(.unauthorized, "this address is not valid: copy it from the page again")
    }
    return try await TrackerResponder(node: router.api.node, reporter: reporter).respond(
      to: request, as: .allowed(path: "/" + (parts.count == 2 ? parts[1] : "")))
  }

  /// Whose positions the tracker app of a login reports; nil for none of this node.
  private func reporter(_ login: Login) async throws -> TrackerResponder.Reporter? {
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
    return begin(found, "login", request, client)
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
    return begin(new, "login by link", request, client)
  }

  private static let usedUp = Problem(
    .unauthorized, "this link was used, replaced or is too old: ask for a new one")

  private func begin(
    _ login: Login, _ what: String, _ request: Request, _ client: String
  ) -> Response {
    // An existing session is not continued: another user may know its secret.
    if let old = Self.secret(in: request) { sessions.end(old) }
    audit.note(what, by: login.name, from: client, status: 204)
    var response = Answer(.noContent).response
    response.headers[.setCookie] = Self.cookie(sessions.begin(login, now: now()))
    return response
  }

  private func own(
    _ request: Request, _ login: Login, _ secret: String
  ) async throws -> Response {
    switch request.method {
    case .get:
      return Answer.ok(
        .object([
          "name": .string(login.name), "rights": .string(login.rights.rawValue),
          "user": .known(try await user(of: login), JSON.id),
          "operation": .id(try await router.api.node.operation()),
          "phone": .known(try await reporter(login).flatMap { _ in login.phoneSecret }) {
            .string("\(Self.phonePath)\($0)/")
          },
        ])
      ).response
    case .delete:
      sessions.end(secret)
      var response = Answer(.noContent).response
      response.headers[.setCookie] =
        "\(Self.cookie)=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Strict"
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

  // MARK: Headers

  /// Whether the request comes from a page of this listener, or from no page.
  static func isOwnPage(_ request: Request) -> Bool {
    guard let host = request.head.authority else { return false }
    if let origin = request.headers[.origin], origin.lowercased() != "https://\(host.lowercased())"
    {
      return false
    }
    return request.value(of: "sec-fetch-site").map { ["none", "same-origin"].contains($0) } ?? true
  }

  /// A page may state whose request it is: in the meantime another page of the browser may have
  /// replaced the session.
  private static func check(_ request: Request, isOf name: String) throws(Problem) {
    guard let stated = request.value(of: "muster-login") else { return }
    guard stated.removingPercentEncoding == name else {
      throw Problem(.unauthorized, "another login is active in this browser: log in again")
    }
  }

  private static func secret(in request: Request) -> String? {
    for header in request.headers[values: .cookie] {
      for pair in header.split(separator: ";") {
        let parts = pair.trimmingCharacters(in: .whitespaces).split(separator: "=", maxSplits: 1)
        if parts.count == 2, parts[0] == cookie, parts[1].utf8.count == 64 {
          return String(parts[1])
        }
      }
    }
    return nil
  }

  private static func cookie(_ secret: String) -> String {
    "\(cookie)=\(secret); Path=/; Secure; HttpOnly; SameSite=Strict"
  }

  private static func words(_ request: Request) -> String {
    "\(request.method.rawValue) \(request.uri.path)"
  }
}

/// Verifies passphrases one after the other, on a separate queue.
private final class VerificationQueue: Sendable {
  private let queue = DispatchQueue(label: "muster.logins")
  private let most: Int
  private let reserved: Int
  private let waiting = Waiting()

  init(most: Int, reserved: Int) {
    self.most = most
    self.reserved = reserved
  }

  /// Takes the same time for an unknown name.
  func judge(_ login: Login?, _ passphrase: [UInt8], isKnown: Bool) async throws -> Bool {
    try await run(upTo: isKnown ? most : most - reserved) {
      guard let login else {
        _ = try Login(name: "", rights: .observer, passphrase: passphrase, cost: .interactive)
        return false
      }
      return try login.accepts(passphrase)
    }
  }

  /// Returns a login with a new passphrase, for a client that has a valid code.
  func derive(_ work: @escaping @Sendable () throws -> Login) async throws -> Login {
    try await run(upTo: most, work)
  }

  private func run<Result: Sendable>(
    upTo limit: Int, _ work: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    guard waiting.enter(upTo: limit) else {
      throw Problem("too many logins at once", waiting: .seconds(1))
    }
    defer { waiting.leave() }
    return try await withCheckedThrowingContinuation { done in
      queue.async { done.resume(with: Swift.Result { try work() }) }
    }
  }
}
