internal import Hummingbird
internal import MusterInterchange
internal import MusterModel
internal import NIOCore

/// The sessions of browsers: logins by passphrase or link, what a login may do, and logouts.
struct LoginSessions: Sendable {
  /// The limit of the body of a login.
  static let bodyBytes = 4096
  /// Logins that wait for verification, since each uses 64 MiB.
  private static let mostWaiting = 8
  /// Of these, for addresses from which the account logged in before.
  private static let reservedPlaces = 4

  private let api: API
  private let people: LoginPeople
  private let tokens: BrowserTokens
  private let audit: AuditLog
  private let failures: FailedLogins
  private let clock: LoginClock
  private let throttle = LoginThrottle()
  private let judging = VerificationQueue(most: mostWaiting, reserved: reservedPlaces)

  init(
    api: API, people: LoginPeople, tokens: BrowserTokens, audit: AuditLog, clock: LoginClock
  ) {
    (self.api, self.people, self.tokens) = (api, people, tokens)
    (self.audit, self.clock) = (audit, clock)
    failures = FailedLogins(log: audit.ofFailures())
  }

  /// Writes the summaries of failed logins until the task is cancelled, and then the last one.
  func keepAudit() async {
    while !Task.isCancelled {
      do { try await Task.sleep(for: FailedLogins.interval) } catch { break }
      failures.flush(now: clock.now())
    }
    failures.finish()
  }

  /// Begins a session by a passphrase, or by the code of a link.
  func logIn(_ request: Request, _ client: String) async throws -> Response {
    let (name, passphrase, code) = try await Self.credentials(in: request)
    if let code { return try await open(name, by: code, passphrase, request, client) }
    let attempt: LoginThrottle.Attempt
    switch throttle.begin(name, from: client, now: clock.now()) {
    case .verify(let allowed): attempt = allowed
    case .wait(let pause): throw Problem("too many logins: try again in a minute", waiting: pause)
    }
    var isRight: Bool?
    defer { throttle.end(attempt, isRight: isRight, now: clock.now()) }
    let found = try people.logins.read().first { $0.name == name }
    isRight = try await judging.judge(found, passphrase, isKnown: throttle.isKnown(attempt))
    guard isRight == true, let found else {
      failures.add(name, from: client, now: clock.now())
      throw Problem(
        .unauthorized, "the name or the passphrase is wrong: try again, or ask command for a link")
    }
    failures.flush(now: clock.now())
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
    let links = api.logins
    guard let links, let login = links.login(of: code, named: name, now: clock.now()) else {
      throw Self.usedUp
    }
    // Used up only afterwards: while many log in at once, this may be refused.
    let new = try await judging.derive { try login.with(passphrase: passphrase) }
    guard links.redeem(code, of: name, now: clock.now()) == login, try links.replace(login, by: new)
    else { throw Self.usedUp }
    api.live.review()
    throttle.opened(name, from: client, now: clock.now())
    return try await begin(new, "login by link", request, client)
  }

  private static let usedUp = Problem(
    .unauthorized, "this link was used, replaced or is too old: ask for a new one")

  private func begin(
    _ login: Login, _ what: String, _ request: Request, _ client: String
  ) async throws -> Response {
    let revocations = try await people.withdrawals(of: login).1
    // An existing token is not continued: another user may know its secret.
    let secret = try tokens.issue(
      to: login, device: BrowserName.name(of: request.headers[.userAgent]),
      replacing: LoginEndpoint.secret(in: request), revocations: revocations, wall: clock.wall(),
      now: clock.now())
    audit.record(what, by: login.name, from: client, status: 204)
    var response = Answer(.noContent).response
    response.headers[.setCookie] = LoginEndpoint.cookie(secret)
    return response
  }

  /// Answers what the current login may do, or ends its token.
  func answer(
    to request: Request, _ login: Login?, _ token: BrowserToken, _ standing: LoginStanding,
    _ secret: String
  ) async throws -> Response {
    switch request.method {
    case .get, .head:
      let rights = login?.rights ?? .observer
      var session: [String: JSON] = [
        "id": .string(try await people.id(of: token.login)), "name": .string(token.login),
        "rights": .string(rights.rawValue), "user": .null,
        "operation": .id(try await api.node.operation()), "phone": .null,
        "standing": .string(standing.name),
        "reason": .known(standing.reason) { .string($0.rawValue) },
        "locked": .bool(rights == .command && !tokens.isUnlocked(token, now: clock.now())),
      ]
      if let login, standing != .removed {
        session["user"] = .known(try await people.user(of: login), JSON.id)
        session["phone"] = .known(
          try await people.reporter(login).flatMap { _ in login.phoneSecret }
        ) {
          .string("\(PhoneReports.path)\($0)/")
        }
      }
      return Answer.ok(.object(session)).response
    case .delete:
      try tokens.end(secret, now: clock.now())
      var response = Answer(.noContent).response
      response.headers[.setCookie] =
        "\(LoginEndpoint.cookie)=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Strict"
      // What the page keeps itself it removes itself: entries that wait stay.
      if let name = HeaderName("clear-site-data") { response.headers[name] = "\"cache\"" }
      return response
    default:
      throw Problem(
        .methodNotAllowed, "only GET, HEAD, POST, DELETE",
        allowed: ["GET", "HEAD", "POST", "DELETE"])
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
      let json = try JSON.read(Array(buffer: try await request.body.collect(upTo: bodyBytes)))
      try shape.check(json, at: "")
      let passphrase = json.members?["passphrase"]?.word ?? ""
      guard !passphrase.isEmpty else { throw Problem(.badRequest, "the passphrase is empty") }
      return (
        json.members?["name"]?.word ?? "", Array(passphrase.utf8), json.members?["code"]?.word
      )
    } catch is NIOTooManyBytesError {
      throw Problem(.contentTooLarge, "a login has at most \(bodyBytes) bytes")
    } catch let fault as GeoJSONFault {
      throw Problem(.badRequest, "\(fault)")
    }
  }
}
