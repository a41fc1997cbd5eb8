import Foundation
import Hummingbird
import MusterInterchange
import MusterModel
import MusterNode
import NIOCore
import NIOEmbedded
import Testing

@testable import MusterHTTP

/// Logins that are managed on the laptop's page, and the links of their users.
extension `Logging in` {
  private static let logins = "/api/v1/logins"

  /// What the page on the laptop itself is answered.
  private static func local(
    _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, at caller: Caller
  ) async throws -> (status: Int, json: JSON) {
    var headers: HTTPFields = [:]
    if body != nil { headers[.contentType] = "application/json" }
    let request = Request(
      head: HTTPRequest(
        method: method, scheme: "http", authority: "127.0.0.1:7480", path: path,
        headerFields: headers),
      body: RequestBody(buffer: ByteBuffer(string: body ?? "")))
    let router = caller.endpoint.router
    let answer = await router.answer(
      request, try router.find(request).admitted(.laptop),
      connection: Connection(channel: NIOAsyncTestingChannel()))
    return (answer.status.code, JSON.read(of: answer.content.map { String(buffer: $0) } ?? ""))
  }

  /// Name and code of a link.
  private static func parts(of link: JSON) throws -> (name: String, code: String) {
    let url = try #require(link["url"].word)
    let match = try #require(url.firstMatch(of: /^https:\/\/10\.0\.0\.5:7443\/#login=(\w+)\/(.+)$/))
    return (String(match.2).removingPercentEncoding ?? "", String(match.1))
  }

  private static func opening(_ name: String, _ code: String, _ words: String) -> String {
    JSON.object([
      "name": .string(name), "code": .string(code), "passphrase": .string(words),
    ]).text
  }

  @Test func `an invite has a link that any camera opens, if other machines reach the node`()
    async throws
  {
    try await Self.run(isReachable: true) { caller, _ in
      func invite(_ role: String) async throws -> JSON {
        try await Self.local(.post, "/api/v1/invitations", #"{"role":"\#(role)"}"#, at: caller).json
      }
      #expect(try await invite("member")["link"] == .null)
      caller.endpoint.router.api.logins?.serves(at: "https://10.0.0.5:7443")
      let member = try await invite("member")
      let code = try #require(member["url"].word?.split(separator: "/").last)
      #expect(member["link"].word == "https://10.0.0.5:7443/join#invite=\(code)")
      #expect(try await invite("command")["link"] == .null)
    }
  }

  @Test func `a login of the page is opened once, by its link, with a passphrase of its user`()
    async throws
  {
    try await Self.run { caller, folder in
      caller.endpoint.router.api.logins?.serves(at: "https://10.0.0.5:7443")
      let made = try await Self.local(
        .post, Self.logins, #"{"name":"Rui & Ana","rights":"command","phone":true}"#, at: caller)
      #expect(made.status == 200 && made.json["expires"].word != nil)
      let (name, code) = try Self.parts(of: made.json)
      #expect(name == "Rui & Ana" && code.count == 32)
      // No passphrase opens it yet, and a short one uses up no code.
      #expect(await caller.logIn(name, code).status == .unauthorized)
      for (named, words, status) in [
        (name, "short", 422), ("Maria", "five random words", 401), (name, "five random words", 204),
        (name, "five other words", 401),
      ] {
        let answer = await caller.ask(
          .post, LoginEndpoint.path, Self.opening(named, code, words))
        #expect(answer.status.code == status, "\(named) \(words)")
      }
      let cookie = try await caller.cookie(name, "five random words")
      #expect(await caller.ask(.get, "/api/v1/users", cookie: cookie).status == .ok)
      let listed = try await Self.local(.get, Self.logins, at: caller)
      #expect(listed.json["address"].word == "https://10.0.0.5:7443")
      let row = try #require(listed.json.items.first { $0["name"].word == name })
      #expect(row["rights"].word == "command" && row["phone"] == .bool(true))
      #expect(
        row.members?.keys.sorted() == ["callsign", "devices", "name", "phone", "rights", "user"],
        "no passphrase, no code")
      let audit = try String(contentsOfFile: folder + "/audit.log", encoding: .utf8)
      #expect(audit.contains("login by link") && !audit.contains(code))

      // Removed, its sessions end.
      let gone = try await Self.local(.delete, Self.logins + "/Rui%20%26%20Ana", at: caller)
      #expect(gone.status == 204)
      #expect(await caller.ask(.get, "/api/v1/users", cookie: cookie).status == .unauthorized)
    }
  }

  @Test func `a new link ends an earlier one, and a removed login all of its links`() async throws {
    try await Self.run { caller, _ in
      caller.endpoint.router.api.logins?.serves(at: "https://10.0.0.5:7443")
      var codes: [String] = []
      for _ in 1...2 {
        let made = try await Self.local(.post, Self.logins + "/Maria/link", at: caller)
        codes.append(try Self.parts(of: made.json).code)
      }
      // The old passphrase works until the link is used.
      _ = try await caller.cookie("Maria", "Maria's words")
      for (code, status) in zip(codes, [401, 204]) {
        let answer = await caller.ask(
          .post, LoginEndpoint.path, Self.opening("Maria", code, "five random words"))
        #expect(answer.status.code == status)
      }
      #expect(await caller.logIn("Maria", "Maria's words").status == .unauthorized)
      let made = try await Self.local(.post, Self.logins + "/Otto/link", at: caller)
      let code = try Self.parts(of: made.json).code
      #expect(try await Self.local(.delete, Self.logins + "/Otto", at: caller).status == 204)
      let answer = await caller.ask(
        .post, LoginEndpoint.path, Self.opening("Otto", code, "five random words"))
      #expect(answer.status == .unauthorized)
    }
  }

  @Test func `a person with an observer's login answers an order, for themselves alone`()
    async throws
  {
    try await Self.run { caller, folder in
      try LoginFile(in: folder).add(
        Login(
          name: "Rui", rights: .observer, isPhone: true, passphrase: Array("Rui's words".utf8),
          cost: .minimum))
      let rui = try await caller.cookie("Rui", "Rui's words")
      // An answer alone lists no person.
      let unknown = "/api/v1/directives/0000/acknowledgements"
      #expect(await caller.ask(.post, unknown, "{}", cookie: rui).status.code >= 400)
      #expect(try await Self.person("Rui", at: caller) == nil)
      let place = "{\"lat\":46,\"lon\":7}"
      #expect(
        await caller.ask(.post, "/api/v1/me/position", place, cookie: rui).status == .noContent)
      let called = try await Self.local(
        .post, "/api/v1/directives", "{\"kind\":\"rollcall\",\"deadlineSeconds\":600}", at: caller)
      let path = "/api/v1/directives/\(try #require(called.json["id"].word))/acknowledgements"
      let node = caller.endpoint.router.api.node
      let anna = "{\"user\":\"\(try await node.user())\"}"
      for (body, undone, status) in [
        (anna, "", 403), ("{}", "", 204), (anna, "/undo", 403), ("{}", "/undo", 204),
      ] {
        let answer = await caller.ask(.post, path + undone, body, cookie: rui)
        #expect(answer.status.code == status, "\(body) \(undone)")
      }
      // One without a person has nothing to answer, and no other write is open.
      let otto = try await caller.cookie("Otto", "Otto's words")
      #expect(await caller.ask(.post, path, "{}", cookie: otto).status == .forbidden)
      #expect(
        await caller.ask(.get, "/api/v1/invitations", cookie: otto).status == .forbidden)
      for other in ["/api/v1/directives", String(path.dropLast(16)) + "close"] {
        #expect(await caller.ask(.post, other, "{}", cookie: rui).status == .forbidden)
      }
    }
  }

  @Test func `of many links that are opened at once, each one opens its login`() async throws {
    try await Self.run { caller, _ in
      caller.endpoint.router.api.logins?.serves(at: "https://10.0.0.5:7443")
      // Given more phones than passphrases may wait for their verification
      var openings: [String] = []
      for number in 1...12 {
        let made = try await Self.local(
          .post, Self.logins, "{\"name\":\"Phone \(number)\"}", at: caller)
        let (name, code) = try Self.parts(of: made.json)
        openings.append(Self.opening(name, code, "five random words"))
      }
      // When all open their links, and those for which the node was too busy try again
      while !openings.isEmpty {
        let answers = await withTaskGroup(of: (opening: String, status: Int).self) { group in
          for opening in openings {
            group.addTask {
              (opening, await caller.ask(.post, LoginEndpoint.path, opening).status.code)
            }
          }
          return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.status == 204 || $0.status == 429 })
        #expect(answers.contains { $0.status == 204 })
        guard answers.contains(where: { $0.status == 204 }) else { return }
        openings = answers.filter { $0.status == 429 }.map(\.opening)
      }
    }
  }

  @Test func `one link that is used twice at once begins one session`() async throws {
    try await Self.run { caller, _ in
      caller.endpoint.router.api.logins?.serves(at: "https://10.0.0.5:7443")
      let made = try await Self.local(.post, Self.logins + "/Maria/link", at: caller)
      let (name, code) = try Self.parts(of: made.json)
      let statuses = await withTaskGroup(of: Int.self) { group in
        for words in ["five random words", "five other words"] {
          group.addTask {
            await caller.ask(.post, LoginEndpoint.path, Self.opening(name, code, words)).status.code
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses.sorted() == [204, 401])
    }
  }

  @Test func `a removed login loses its stream at once`() async throws {
    try await Self.run { caller, _ in
      let otto = try await caller.cookie("Otto", "Otto's words")
      let stream = await caller.ask(.get, "/api/v1/stream", cookie: otto)
      #expect(stream.status == .ok)
      let (begun, begin) = AsyncStream.makeStream(of: Void.self)
      let reading = Task { try await stream.body.write(StreamReader(begin)) }
      for await _ in begun { break }
      #expect(try await Self.local(.delete, Self.logins + "/Otto", at: caller).status == 204)
      // Long before the next pulse
      try await reading.value
    }
  }

  @Test func `an expired code opens nothing`() throws {
    let links = LoginLinks(file: LoginFile(in: "/nowhere"), termSeconds: 1)
    let login = Login(unopened: "Rui", rights: .observer)
    let start = ContinuousClock.now
    #expect(links.link(to: login, now: start, wall: SystemClock.wall) == nil, "no listener")
    links.serves(at: "https://10.0.0.5:7443")
    for (later, isValid) in [(LoginLinks.validSeconds - 1, true), (LoginLinks.validSeconds, false)]
    {
      let link = try #require(links.link(to: login, now: start, wall: SystemClock.wall))
      let code = try #require(link.url.firstMatch(of: /login=(\w+)\//)?.1)
      let found = links.redeem(String(code), of: "Rui", now: start + .seconds(later))
      #expect((found == login) == isValid)
    }
  }

  @Test func `no login manages logins, and a name is not taken twice`() async throws {
    try await Self.run { caller, _ in
      let body = #"{"name":"Eva"}"#
      #expect(try await Self.local(.post, Self.logins, body, at: caller).status == 409)
      caller.endpoint.router.api.logins?.serves(at: "https://10.0.0.5:7443")
      let maria = try await caller.cookie("Maria", "Maria's words")
      for (method, path, body) in [
        (HTTPRequest.Method.get, Self.logins, nil), (.post, Self.logins, body),
        (.post, Self.logins + "/Otto/link", nil), (.delete, Self.logins + "/Otto", nil),
      ] {
        let answer = await caller.ask(method, path, body, cookie: maria)
        #expect(answer.status == .forbidden, "\(method) \(path)")
      }
      for (body, status) in [
        (#"{"name":"Maria"}"#, 422), (#"{"name":""}"#, 400),
        (#"{"name":"Eva","phone":true,"user":"aaaa"}"#, 422),
        (#"{"name":"Eva","user":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}"#, 422), (body, 200),
      ] {
        #expect(try await Self.local(.post, Self.logins, body, at: caller).status == status)
      }
      #expect(try await Self.local(.delete, Self.logins + "/Nemo", at: caller).status == 404)
    }
  }
}

/// Takes the body of a stream, and notes its first bytes.
private struct StreamReader: ResponseBodyWriter {
  private let begun: AsyncStream<Void>.Continuation

  init(_ begun: AsyncStream<Void>.Continuation) { self.begun = begun }

  mutating func write(_ buffer: ByteBuffer) async throws { begun.yield() }
  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
