internal import Hummingbird
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// Performs what logins request of the API, as far as the rights of the route admit it, within the
/// share of each login.
struct LoginRequests: Sendable {
  private let router: APIRouter
  private let people: LoginPeople
  private let tokens: BrowserTokens
  private let audit: AuditLog
  private let restricted: RestrictedLogins
  private let clock: LoginClock
  private let limits = WriteLimits()

  /// The sender of a request.
  struct Sender: Sendable, Redacted {
    let login: Login
    let token: BrowserToken
    /// The secret of the token, or the one that replaces it.
    let secret: String
    /// Why the login has expired; nil if it has not.
    let expiry: LoginStanding.Reason?
    /// The address.
    let address: String
  }

  init(
    router: APIRouter, people: LoginPeople, tokens: BrowserTokens, audit: AuditLog,
    restricted: RestrictedLogins, clock: LoginClock
  ) {
    (self.router, self.people, self.tokens) = (router, people, tokens)
    (self.audit, self.restricted, self.clock) = (audit, restricted, clock)
  }

  /// Answers a request of a login. Throws a `Problem` if the rights of its route refuse it.
  func answer(
    _ request: Request, of sender: Sender, connection: Connection
  ) async throws -> Response {
    let match = try router.find(request)
    let client = LoginClient(
      login: sender.login, isOwner: try await people.isOwner(sender.login), expiry: sender.expiry,
      isUnlocked: tokens.isUnlocked(sender.token, now: clock.now()),
      hasView: tokens.hasView(sender.token, now: clock.now()))
    let admitted: AdmittedRequest<API>
    do throws(Problem) {
      admitted = try match.admitted(client)
    } catch {
      if match.writes, sender.expiry == nil { recordRefusal(of: request, sender) }
      throw error
    }
    let pause = takeShare(of: admitted, client)
    let isCall = admitted.match.rights.limit == .safety
    if let pause, !isCall {
      throw Problem("this login sends too much: wait a minute, and send it again", waiting: pause)
    }
    try await enlist(client, for: admitted)
    let answer = await router.answer(
      request, admitted, connection: connection,
      person: try await person(of: client, sender, admitted.kind, callPause: pause))
    if match.writes { record(request, admitted, client, sender, answer) }
    return answer.response
  }

  /// Answers a request of a browser whose login was removed.
  func answer(
    _ request: Request, ofRemoved token: BrowserToken, from address: String
  ) async throws -> Response {
    // The route's handler is for people who are known.
    _ = try router.find(request).admitted(.removed)
    let response = try await restricted.raise(
      request, by: token, from: address, wall: clock.wall(), now: clock.now())
    audit.record(
      LoginEndpoint.words(request), by: token.login, from: address, status: response.status.code)
    return response
  }

  /// Takes a write from the share of its login. Returns how long it must wait if that is used.
  private func takeShare(
    of admitted: AdmittedRequest<API>, _ client: LoginClient
  ) -> Duration? {
    guard admitted.kind != .command, let limit = admitted.match.rights.limit else { return nil }
    return limits.pause(limit, of: client.login.name, now: clock.now())
  }

  /// Lists the carrier of a login's phone that writes.
  private func enlist(
    _ client: LoginClient, for admitted: AdmittedRequest<API>
  ) async throws {
    let isAddressee = admitted.match.rights.speaker == .addressee
    // Others than command answer only an order that addresses them, who are listed then.
    guard admitted.match.writes, client.login.isPhone, admitted.kind == .command || !isAddressee
    else { return }
    try await people.enlist(client.login)
  }

  private func person(
    of client: LoginClient, _ sender: Sender, _ kind: ClientKind, callPause: Duration?
  ) async throws -> Person {
    var person = Person(
      name: client.login.name, user: try await people.user(of: client.login),
      isCarrier: client.login.isPhone, isOwner: client.isOwner, speaksForItself: kind != .command,
      callPause: callPause
    ) { [people] in
      sender.expiry == nil ? await people.hasAllRights(sender.login, sender.secret) : false
    }
    person.hasExpired = kind == .helpOnly
    return person
  }

  private func record(
    _ request: Request, _ admitted: AdmittedRequest<API>, _ client: LoginClient,
    _ sender: Sender, _ answer: Answer
  ) {
    let isOwn = admitted.match.rights.speaker.map { client.speaks(as: $0, admitted.kind) } ?? false
    if admitted.kind == .command, !isOwn { tokens.recordAct(sender.token, now: clock.now()) }
    let mark = sender.expiry == nil ? "" : " (login expired)"
    audit.record(
      LoginEndpoint.words(request) + mark, by: client.login.name, from: sender.address,
      status: answer.status.code)
  }

  /// Records a write that the rights refuse, unless there are too many of the login.
  private func recordRefusal(of request: Request, _ sender: Sender) {
    guard limits.pause(.refusal, of: sender.login.name, now: clock.now()) == nil else { return }
    audit.record(
      LoginEndpoint.words(request), by: sender.login.name, from: sender.address, status: 403)
  }
}
