internal import Hummingbird
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The logins of other machines, for the laptop's own user: never for a login, so that a stolen
/// phone or passphrase cannot make another one.
enum LoginRoutes {
  private static let path = "/api/v1/logins"

  private static let link = RouteDescription.Result.json(
    .open([.must("url", .text), .must("expires", .time)]))

  static let routes: [Route] = [
    Route(
      .get, path, "List the logins, on the node's own machine",
      result: .json(
        .open([
          .must("items", .list(.named("Login"), most: LoginFile.most)),
          .must("address", .nullable(.text)),
        ]))
    ) { api, call in
      let links = try links(api, call)
      let names = try await callsigns(api)
      return .ok(
        .object([
          "items": .array(
            try links.all().map { one in one.listed(as: one.user.flatMap { names[$0] }) }),
          "address": .known(links.address(), JSON.string),
        ]))
    },
    Route(
      .post, path,
      "Add a login, on the node's own machine; its user sets the passphrase by the link",
      body: .object(
        [
          .must("name", .line), .may("rights", .choice(Login.Rights.allCases.map(\.rawValue))),
          .may("user", .reference), .may("phone", .flag),
        ], least: 1), result: link
    ) { api, call in
      let links = try links(api, call)
      let isPhone = call.flag("phone") ?? false
      guard call.text("user") == nil || !isPhone else {
        throw Problem(
          .unprocessableContent, "a login is for a person with a laptop, or for a phone",
          at: "/user")
      }
      let login = Login(
        unopened: call.text("name") ?? "",
        rights: call.text("rights").flatMap(Login.Rights.init) ?? .observer,
        user: try await person(call.text("user"), api), isPhone: isPhone)
      guard links.address() != nil else { throw Problem.noListener }
      try noting { try links.add(login) }
      return try answer(links.link(to: login, now: .now, wall: SystemClock.wall))
    },
    Route(
      .post, path + "/{name}/link",
      "Create a link by which a login's user sets a new passphrase, on the node's own machine",
      result: link
    ) { api, call in
      let links = try links(api, call)
      guard let login = try links.all().first(where: { $0.name == call.path["name"] }) else {
        throw Problem(.notFound, "there is no login of this name")
      }
      return try answer(links.link(to: login, now: .now, wall: SystemClock.wall))
    },
    Route(
      .delete, path + "/{name}",
      "Remove a login and end its sessions, on the node's own machine", result: .done
    ) { api, call in
      let links = try links(api, call)
      guard let name = call.path["name"], try links.all().contains(where: { $0.name == name })
      else { throw Problem(.notFound, "there is no login of this name") }
      try noting { try links.remove(name) }
      api.live.review()
      return Answer(.noContent)
    },
  ]

  private static func links(_ api: API, _ call: Call) throws(Problem) -> LoginLinks {
    guard call.person == nil else {
      throw Problem(
        .forbidden, "logins are managed on the laptop that serves this page")
    }
    guard let logins = api.logins else {
      throw Problem(.notImplemented, "this node has no logins")
    }
    return logins
  }

  private static func answer(_ link: LoginLinks.Link?) throws(Problem) -> Answer {
    guard let link else { throw Problem.noListener }
    return .ok(.object(["url": .string(link.url), "expires": .time(link.expiresAt)]))
  }

  private static func people(_ api: API) async throws -> [UserSummary] {
    guard case .users(let people) = try await api.ask(.users) else { throw Problem.unexpected }
    return people
  }

  private static func callsigns(_ api: API) async throws -> [UserID: String] {
    Dictionary(try await people(api).map { ($0.id, $0.callsign) }) { first, _ in first }
  }

  /// The person with a laptop that a login belongs to.
  private static func person(_ reference: String?, _ api: API) async throws -> UserID? {
    guard let reference else { return nil }
    guard let id = UserID(hex: reference),
      try await people(api).contains(where: { $0.id == id && !$0.isTracker && !$0.isUnknown })
    else {
      throw Problem(
        .unprocessableContent, "there is no person with a laptop of this id", at: "/user")
    }
    return id
  }

  private static func noting<Result>(_ work: () throws -> Result) throws -> Result {
    do {
      return try work()
    } catch let fault as LoginFault {
      throw Problem(.unprocessableContent, fault.description)
    }
  }
}

extension Problem {
  fileprivate static let noListener = Problem(
    .conflict,
    "other machines cannot reach this node: start it with `muster run --serve 0.0.0.0:7443`")
}
