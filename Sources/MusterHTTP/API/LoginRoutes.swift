internal import Hummingbird
internal import MusterInterchange
internal import MusterModel
internal import MusterNode

/// The logins of other machines, for the laptop's own user: never for a login, so that a stolen
/// phone or passphrase cannot make another one.
enum LoginRoutes {
  private static let path = "/api/v1/logins"
  private static let elsewhere = "logins are managed on the laptop that serves this page"

  private static let link = RouteDescription.Result.json(
    .open([.must("url", .text), .must("expires", .time)]))

  static let routes: [Route] = [
    Route(
      .get, path, "List the logins, on the node's own machine", rights: .laptop(.read, elsewhere),
      result: .json(
        .open([
          .must("items", .list(.named("Login"), most: LoginFile.most)),
          .must("address", .nullable(.text)),
        ]))
    ) { api, call in
      let links = try links(api)
      let names = try await callsigns(api)
      var items: [JSON] = []
      for login in try links.all() {
        items.append(
          login.listed(as: login.user.flatMap { names[$0] }).adding([
            "devices": .array(try await devices(of: login, links, api).map(\.json))
          ]))
      }
      return .ok(
        .object(["items": .array(items), "address": .known(links.address(), JSON.string)]))
    },
    Route(
      .post, path,
      "Add a login, on the node's own machine; its user sets the passphrase by the link",
      rights: .laptop(.write, elsewhere),
      body: .object(
        [
          .must("name", .line), .may("rights", .choice(Login.Rights.allCases.map(\.rawValue))),
          .may("user", .reference), .may("phone", .flag),
        ], least: 1), result: link
    ) { api, call in
      let links = try links(api)
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
      rights: .laptop(.write, elsewhere),
      result: link
    ) { api, call in
      let links = try links(api)
      guard let login = try links.all().first(where: { $0.name == call.path["name"] }) else {
        throw Problem(.notFound, "there is no login of this name: see muster login list")
      }
      return try answer(links.link(to: login, now: .now, wall: SystemClock.wall))
    },
    Route(
      .delete, path + "/{name}",
      "Remove a login: its sessions and invites end, its webhooks wait until they are confirmed; "
        + "on the node's own machine", rights: .laptop(.write, elsewhere),
      parameters: [
        Route.Parameter(
          name: "stolen", shape: .flag, isRequired: false, about: "Also remove its webhooks.")
      ], result: .done
    ) { api, call in
      let links = try links(api)
      guard let name = call.path["name"], try links.all().contains(where: { $0.name == name })
      else { throw Problem(.notFound, "there is no login of this name: see muster login list") }
      try noting { try links.remove(name, asStolen: call.query["stolen"] == .bool(true)) }
      api.live.review()
      do {
        try await api.grantKeeper?.enforce()
      } catch {
        throw Problem(refusing: error)
      }
      return Answer(.noContent)
    },
    Route(
      .delete, path + "/{name}/devices/{id}",
      "Revoke a browser of a login, which then only calls for help, on the node's own machine",
      rights: .laptop(.write, elsewhere),
      result: .done
    ) { api, call in
      try change(api, call) { try $0.browsers.revoke(call.id, of: $1) }
    },
    Route(
      .post, path + "/{name}/devices/{id}/restore",
      "Give a browser all rights of its login for a new term, on the node's own machine",
      rights: .laptop(.write, elsewhere),
      result: .done
    ) { api, call in
      try change(api, call) {
        try $0.browsers.restore(call.id, of: $1, now: SystemClock.wall)
      }
    },
  ]

  private static func change(
    _ api: API, _ call: Call, _ work: (LoginLinks, String) throws -> Void
  ) throws -> Answer {
    let links = try links(api)
    do {
      try work(links, call.path["name"] ?? "")
    } catch let fault as LoginFault {
      throw Problem(.notFound, fault.description)
    }
    api.live.review()
    return Answer(.noContent)
  }

  /// The browsers of a login, with what the node knows of its person.
  private static func devices(
    of login: Login, _ links: LoginLinks, _ api: API
  ) async throws -> [BrowserTokenFile.Device] {
    let user = login.isPhone ? try await api.node.carrier(named: login.name) : login.user
    var known = (hasSignedOff: false, revokedDevices: 0)
    if let user { known = try await api.node.withdrawals(of: user) }
    return try links.browsers.devices(of: login) {
      $0.standing(
        of: login, termSeconds: links.termSeconds, now: SystemClock.wall,
        hasSignedOff: known.hasSignedOff, revocations: known.revokedDevices)
    }
  }

  private static func links(_ api: API) throws(Problem) -> LoginLinks {
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
        .unprocessableContent, "there is no person with a laptop of this id: see muster user list",
        at: "/user")
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
