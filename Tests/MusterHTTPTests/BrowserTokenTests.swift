import Foundation
import Hummingbird
import MusterInterchange
import MusterModel
import MusterNode
import NIOCore
import NIOEmbedded
import Testing

import class MusterTestKit.TemporaryFolder

@testable import MusterHTTP

/// The tokens of browsers, and what they permit (decision 0096).
extension `Logging in` {
  private static let users = "/api/v1/users"
  private static let safety = "/api/v1/me/safety"
  private static let help = "{\"safety\":\"help\",\"note\":\"trapped\"}"
  private static let report = "{\"title\":\"Smoke\"}"

  private static func addPhone(
    _ name: String, _ rights: Login.Rights = .member, in folder: String
  ) throws {
    try LoginFile(in: folder).add(
      Login(
        name: name, rights: rights, isPhone: true, passphrase: Array("\(name)'s words".utf8),
        cost: .minimum))
  }

  /// The listener after a restart of the node.
  private static func restarted(_ caller: Caller, in folder: String) -> Caller {
    let programs = Programs(node: caller.endpoint.router.api.node, home: folder, logger: .silent)
    var next = caller
    next.endpoint = endpoint(of: programs, in: folder, caller.clock)
    return next
  }

  private static func cookie(of response: Response) -> String? {
    response.headers[.setCookie]?.split(separator: ";").first?.description
  }

  private static func body(_ response: Response) async throws -> JSON {
    let (parts, collected) = AsyncStream.makeStream(of: ByteBuffer.self)
    try await response.body.write(Collector(collected))
    collected.finish()
    var text = ""
    for await part in parts { text += String(buffer: part) }
    return JSON.read(of: text)
  }

  @Test func `a phone stays logged in over restarts of the node and weeks of absence`() async throws
  {
    try await Self.run { caller, folder in
      try Self.addPhone("Rui", in: folder)
      let rui = try await caller.cookie("Rui", "Rui's words")
      caller.clock.advance(seconds: 29 * 86_400)
      let later = Self.restarted(caller, in: folder)
      #expect(
        await later.ask(.post, "/api/v1/reports", Self.report, cookie: rui).status == .created)
      #expect(await later.ask(.put, Self.safety, Self.help, cookie: rui).status == .noContent)
      let text = try String(contentsOfFile: folder + "/browsers.json", encoding: .utf8)
      #expect(!text.contains(rui.dropFirst("__Host-muster=".count)))
      let facts = try FileManager.default.attributesOfItem(atPath: folder + "/browsers.json")
      #expect((facts[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }
  }

  @Test func `a lost answer during a rotation logs no phone out`() async throws {
    try await Self.run { caller, folder in
      try Self.addPhone("Rui", in: folder)
      let first = try await caller.cookie("Rui", "Rui's words")
      #expect(Self.cookie(of: await caller.ask(.get, Self.users, cookie: first)) == nil)
      caller.clock.advance(seconds: BrowserToken.rotationMilliseconds / 1000)
      // Each answer has the same next secret, also after a restart.
      let second = Self.cookie(of: await caller.ask(.get, Self.users, cookie: first))
      #expect(second != nil && second != first)
      let restarted = Self.restarted(caller, in: folder)
      caller.clock.advance(seconds: 3600)
      let again = await restarted.ask(.put, Self.safety, Self.help, cookie: first)
      #expect(again.status == .noContent && Self.cookie(of: again) == second)
      // Once the next one is used, the one before is valid for concurrent requests alone.
      #expect(await restarted.ask(.get, Self.users, cookie: second).status == .ok)
      #expect(await restarted.ask(.get, Self.users, cookie: first).status == .ok)
      caller.clock.advance(seconds: 61)
      #expect(await restarted.ask(.get, Self.users, cookie: first).status == .unauthorized)
      #expect(await restarted.ask(.get, Self.users, cookie: second).status == .ok)
    }
  }

  @Test func `a lost answer to a login leaves the token before`() async throws {
    try await Self.run { caller, folder in
      try Self.addPhone("Rui", in: folder)
      let first = try await caller.cookie("Rui", "Rui's words")
      let words = "{\"name\":\"Rui\",\"passphrase\":\"Rui's words\"}"
      for _ in 1...3 { _ = await caller.ask(.post, LoginEndpoint.path, words, cookie: first) }
      #expect(await caller.ask(.get, Self.users, cookie: first).status == .ok)
      #expect(try BrowserTokenFile(in: folder).read().count == 2)
      let second = Self.cookie(
        of: await caller.ask(.post, LoginEndpoint.path, words, cookie: first))
      #expect(await caller.ask(.get, Self.users, cookie: second).status == .ok)
      #expect(await caller.ask(.get, Self.users, cookie: first).status == .unauthorized)
      #expect(try BrowserTokenFile(in: folder).read().count == 1)
    }
  }

  @Test func `command confirms orders by the passphrase after half an hour, and calls at once`()
    async throws
  {
    try await Self.run { caller, folder in
      try Self.addPhone("Rui", .command, in: folder)
      let rui = try await caller.cookie("Rui", "Rui's words")
      let order = "{\"kind\":\"rollcall\"}"
      #expect(await caller.ask(.post, "/api/v1/directives", order, cookie: rui).status == .created)
      // Reading is no act of command.
      for _ in 1...7 {
        caller.clock.advance(seconds: 300)
        #expect(await caller.ask(.get, Self.users, cookie: rui).status == .ok)
      }
      let refused = await caller.ask(.post, "/api/v1/directives", order, cookie: rui)
      #expect(refused.status == .forbidden)
      #expect(try await Self.body(refused)["type"].word == "urn:muster:problem:locked")
      #expect(
        await caller.ask(.post, "/api/v1/reports", Self.report, cookie: rui).status == .forbidden)
      #expect(await caller.ask(.put, Self.safety, Self.help, cookie: rui).status == .noContent)
      let place = "{\"lat\":46,\"lon\":7}"
      #expect(
        await caller.ask(.post, "/api/v1/me/position", place, cookie: rui).status == .noContent)
      let session = await caller.ask(.get, LoginEndpoint.path, cookie: rui)
      #expect(try await Self.body(session)["locked"] == .bool(true))
      let words = "{\"name\":\"Rui\",\"passphrase\":\"Rui's words\"}"
      let open = Self.cookie(of: await caller.ask(.post, LoginEndpoint.path, words, cookie: rui))
      #expect(await caller.ask(.post, "/api/v1/directives", order, cookie: open).status == .created)
      // The node forgets it when it stops.
      let restarted = Self.restarted(caller, in: folder)
      #expect(await restarted.ask(.get, Self.users, cookie: open).status == .ok)
      #expect(
        await restarted.ask(.post, "/api/v1/directives", order, cookie: open).status == .forbidden)
    }
  }

  @Test func `an expired login calls for help with a mark, and nothing else`() async throws {
    try await Self.run { caller, folder in
      try Self.addPhone("Rui", in: folder)
      let rui = try await caller.cookie("Rui", "Rui's words")
      #expect(await caller.ask(.get, Self.users, cookie: rui).status == .ok)
      let file = BrowserTokenFile(in: folder)
      let id = try #require(try file.read().first).id
      let expiries: [(String, () throws -> Void)] = [
        ("termOver", { caller.clock.advance(seconds: 30 * 86_400) }),
        ("revoked", { try file.revoke(id, of: "Rui") }),
        (
          "changed",
          {
            try LoginFile(in: folder).add(
              Login(
                name: "Rui", rights: .member, isPhone: true,
                passphrase: Array("other words".utf8), cost: .minimum))
          }
        ),
      ]
      for (reason, expire) in expiries {
        try expire()
        let session = try await Self.body(await caller.ask(.get, LoginEndpoint.path, cookie: rui))
        #expect(session["standing"].word == "helpOnly" && session["reason"].word == reason)
        let reading = await caller.ask(.get, Self.users, cookie: rui)
        #expect(reading.status == .unauthorized)
        #expect(try await Self.body(reading)["type"].word == "urn:muster:problem:login-expired")
        #expect(
          await caller.ask(.post, "/api/v1/reports", Self.report, cookie: rui).status
            == .unauthorized)
        #expect(await caller.ask(.put, Self.safety, Self.help, cookie: rui).status == .noContent)
        let called = try #require(try await Self.person("Rui", at: caller))
        #expect(called.safety == .unsafe)
        #expect(called.selfReport?.note == "[login expired] trapped", "\(reason)")
        let cancel = "{\"safety\":\"safe\"}"
        #expect(await caller.ask(.put, Self.safety, cancel, cookie: rui).status == .noContent)
        // When command restores it
        try file.restore(id, of: "Rui", now: caller.clock.wall)
        #expect(await caller.ask(.get, Self.users, cookie: rui).status == .ok, "\(reason)")
      }
    }
  }

  @Test func `a person who signs off keeps help alone, until command signs them on`() async throws {
    try await Self.run { caller, folder in
      try Self.addPhone("Rui", in: folder)
      let rui = try await caller.cookie("Rui", "Rui's words")
      let place = "{\"lat\":46,\"lon\":7}"
      #expect(
        await caller.ask(.post, "/api/v1/me/position", place, cookie: rui).status == .noContent)
      let node = caller.endpoint.router.api.node
      let id = "\(try #require(try await Self.person("Rui", at: caller)).id)"
      #expect(
        await node.perform(.signOff(user: id, reason: "went home", isConfirmed: true)) == .done)
      #expect(await caller.ask(.get, Self.users, cookie: rui).status == .unauthorized)
      #expect(await caller.ask(.put, Self.safety, Self.help, cookie: rui).status == .noContent)
      #expect(await node.perform(.signOn(user: id, reason: "")) == .done)
      #expect(await caller.ask(.get, Self.users, cookie: rui).status == .ok)
    }
  }

  @Test func `a removed login raises one unverified call, and an unknown browser none`()
    async throws
  {
    try await Self.run { caller, folder in
      try Self.addPhone("Rui", in: folder)
      let rui = try await caller.cookie("Rui", "Rui's words")
      try LoginFile(in: folder).remove("Rui")
      #expect(await caller.ask(.get, Self.users, cookie: rui).status == .unauthorized)
      for _ in 1...3 {
        #expect(await caller.ask(.put, Self.safety, Self.help, cookie: rui).status == .noContent)
      }
      let call = try #require(caller.clock.calls.first)
      #expect(caller.clock.calls.count == 1)
      #expect(call.name == "Rui" && call.address == "10.0.0.9")
      #expect(call.note == "[login removed] trapped" && call.madeAt == caller.clock.wall)
      #expect(try await Self.person("Rui", at: caller)?.safety != .unsafe)
      // A new login of this name receives nothing of it.
      try Self.addPhone("Rui", in: folder)
      #expect(await caller.ask(.get, Self.users, cookie: rui).status == .unauthorized)
      let unknown = "__Host-muster=" + String(repeating: "a", count: 64)
      for cookie in [nil, unknown] {
        #expect(
          await caller.ask(.put, Self.safety, Self.help, cookie: cookie).status == .unauthorized)
      }
      #expect(caller.clock.calls.count == 1)
    }
  }

  @Test func `logging out ends the token and clears what the browser cached`() async throws {
    try await Self.run { caller, folder in
      try Self.addPhone("Rui", in: folder)
      let rui = try await caller.cookie("Rui", "Rui's words")
      let answer = await caller.ask(.delete, LoginEndpoint.path, cookie: rui)
      let clear = try #require(HeaderName("clear-site-data"))
      #expect(answer.status == .noContent && answer.headers[clear] == "\"cache\"")
      #expect(await caller.ask(.put, Self.safety, Self.help, cookie: rui).status == .unauthorized)
      #expect(try BrowserTokenFile(in: folder).read().isEmpty)
    }
  }

  @Test func `calls for help, answers and check-ins do not wait for a login's other reports`()
    async throws
  {
    try await Self.run { caller, folder in
      try Self.addPhone("Rui", in: folder)
      let rui = try await caller.cookie("Rui", "Rui's words")
      let ok = "{\"safety\":\"safe\"}"
      #expect(await caller.ask(.put, Self.safety, ok, cookie: rui).status == .noContent)
      // Given a login that has used all of its own reports
      var answers: Set<Int> = []
      for _ in 1...61 {
        let answer = await caller.ask(.put, "/api/v1/me/team", "{\"team\":\"A\"}", cookie: rui)
        answers.insert(answer.status.code)
      }
      #expect(answers.contains(429))
      for _ in 1...30 {
        #expect(await caller.ask(.put, Self.safety, Self.help, cookie: rui).status == .noContent)
        #expect(await caller.ask(.put, Self.safety, ok, cookie: rui).status == .noContent)
        let checkIn = await caller.ask(
          .post, "/api/v1/checkins/report", "{\"kind\":\"ok\"}", cookie: rui)
        #expect(checkIn.status != .tooManyRequests && checkIn.status != .forbidden)
      }
    }
  }

  @Test func `an OK that arrives after a later call for help does not cancel it`() async throws {
    try await Self.run { caller, folder in
      try Self.addPhone("Rui", in: folder)
      let rui = try await caller.cookie("Rui", "Rui's words")
      let actedAt = try #require(HeaderName("muster-acted-at"))
      func report(_ body: String, at time: Int64) async -> Int {
        await caller.ask(.put, Self.safety, body, cookie: rui, [actedAt: "\(time)"]).status.code
      }
      let ok = "{\"safety\":\"safe\"}"
      #expect(await report(Self.help, at: 1_000_000) == 204)
      #expect(await report(ok, at: 999_000) == 422)
      #expect(try await Self.person("Rui", at: caller)?.safety == .unsafe)
      #expect(await report(ok, at: 1_001_000) == 204)
      #expect(try await Self.person("Rui", at: caller)?.safety != .unsafe)
      // A phone's clock that was set back holds no call.
      #expect(await report(Self.help, at: 9_000_000) == 204)
      #expect(await report(ok, at: 1_002_000) == 204)
      #expect(try await Self.person("Rui", at: caller)?.safety != .unsafe)
    }
  }

  @Test func `a page states its login by a value without a name`() async throws {
    try await Self.run { caller, folder in
      try Self.addPhone("Rui", in: folder)
      try Self.addPhone("Eva", in: folder)
      let rui = try await caller.cookie("Rui", "Rui's words")
      let eva = try await caller.cookie("Eva", "Eva's words")
      let session = try await Self.body(await caller.ask(.get, LoginEndpoint.path, cookie: rui))
      let id = try #require(session["id"].word)
      #expect(id.utf8.count == 32)
      let stated = try #require(HeaderName("muster-login"))
      func status(_ cookie: String) async -> HTTPResponse.Status {
        await caller.ask(.put, Self.safety, Self.help, cookie: cookie, [stated: id]).status
      }
      #expect(await status(rui) == .noContent)
      #expect(await status(eva) == .unauthorized)
      // An expired and a removed login have the same one.
      let file = BrowserTokenFile(in: folder)
      let token = try #require(try file.read().first { $0.login == "Rui" })
      try file.revoke(token.id, of: "Rui")
      let expired = try await Self.body(await caller.ask(.get, LoginEndpoint.path, cookie: rui))
      #expect(expired["id"].word == id && expired["standing"].word == "helpOnly")
      try LoginFile(in: folder).remove("Rui")
      let removed = try await Self.body(await caller.ask(.get, LoginEndpoint.path, cookie: rui))
      #expect(removed["id"].word == id && removed["standing"].word == "removed")
      #expect(await status(rui) == .noContent && caller.clock.calls.count == 1)
    }
  }

  @Test func `an open stream ends with the rights of its login, before the next pulse`()
    async throws
  {
    try await Self.run { caller, folder in
      let api = caller.endpoint.router.api
      let watch = Task { await api.live.run() }
      defer { watch.cancel() }
      let file = BrowserTokenFile(in: folder)
      let ends: [(String, (UserID?) async throws -> Void)] = [
        ("revoked", { _ in try file.revoke(try #require(try file.read().first).id, of: "Rui") }),
        ("removed", { _ in try LoginFile(in: folder).remove("Rui") }),
        (
          "signed off",
          { user in
            let user = "\(try #require(user))"
            let done = await api.node.perform(
              .signOff(user: user, reason: "went home", isConfirmed: true))
            #expect(done == .done)
          }
        ),
      ]
      for (what, end) in ends {
        try? LoginFile(in: folder).remove("Rui")
        try Self.addPhone("Rui", in: folder)
        let rui = try await caller.cookie("Rui", "Rui's words")
        let ok = "{\"safety\":\"safe\"}"
        #expect(await caller.ask(.put, Self.safety, ok, cookie: rui).status == .noContent)
        let user = try await Self.person("Rui", at: caller)?.id
        let channel = NIOAsyncTestingChannel()
        try await channel.connect(to: SocketAddress(unixDomainSocketPath: "/client")).get()
        let response = await caller.ask(.get, "/api/v1/stream", cookie: rui, on: channel)
        #expect(response.status == .ok)
        let begin = ContinuousClock.now
        try await end(user)
        let (parts, collected) = AsyncStream.makeStream(of: ByteBuffer.self)
        try await response.body.write(Collector(collected))
        _ = parts
        // The pulse comes after 15 s.
        #expect(.now - begin < .seconds(12), "\(what)")
        try await channel.close().get()
      }
    }
  }

  @Test func `the laptop's user lists, revokes and restores browsers; a login does not`()
    async throws
  {
    try await WebStage.run { stage in
      let file = LoginFile(in: stage.folder)
      let login = try Login(
        name: "Rui", rights: .member, isPhone: true, passphrase: Array("Rui's words".utf8),
        cost: .minimum)
      try file.add(login)
      let tokens = BrowserTokens(in: stage.folder, termSeconds: 60, logger: .silent)
      _ = try tokens.issue(
        to: login, device: BrowserName.name(of: "Mozilla/5.0 (Linux; Android 14) Chrome/131.0"),
        replacing: nil, wall: SystemClock.wall, now: .now)
      func device() async throws -> JSON {
        let items = try await stage.get("/api/v1/logins").items
        return try #require(items.first?["devices"].elements?.first)
      }
      let listed = try await device()
      #expect(listed["name"].word == "Chrome on Android" && listed["standing"].word == "full")
      let path = "/api/v1/logins/Rui/devices/\(listed["id"].word ?? "")"
      #expect(try await stage.status("DELETE", path) == 204)
      #expect(try await device()["reason"].word == "revoked")
      #expect(try await stage.status("POST", path + "/restore") == 204)
      #expect(try await device()["standing"].word == "full")
      #expect(try await stage.status("DELETE", "/api/v1/logins/Rui/devices/0") == 404)
    }
  }

  @Test func `a revocation ends the rights of a browser that made no request since its login`()
    throws
  {
    let folder = try TemporaryFolder()
    let tokens = BrowserTokens(in: folder.url.path, termSeconds: 60, logger: .silent)
    let wall = SystemClock.wall
    let login = try Self.login()
    let secret = try tokens.issue(
      to: login, device: "", replacing: nil, revocations: 0, wall: wall, now: .now)
    let token = try #require(try tokens.peek(secret, now: .now))
    #expect(!token.isAwaitingFirst)
    func standing(_ revocations: Int) -> LoginStanding {
      token.standing(
        of: login, termSeconds: 60, now: wall, hasSignedOff: false,
        revocations: revocations)
    }
    #expect(standing(0) == .full)
    #expect(standing(1) == .helpOnly(.deviceRevoked))
  }

  @Test func `a flood of one login's browsers ends no other login's`() throws {
    let folder = try TemporaryFolder()
    let tokens = BrowserTokens(in: folder.url.path, termSeconds: 60, logger: .silent)
    let otto = try Login(
      name: "Otto", rights: .observer, passphrase: Array("words".utf8), cost: .minimum)
    let wall = SystemClock.wall
    let maria = try tokens.issue(
      to: Self.login(), device: "", replacing: nil, wall: wall, now: .now)
    var flood: [String] = []
    for second in 1...BrowserTokenFile.mostOfLogin + 20 {
      let moment = Timestamp(milliseconds: wall.milliseconds + Int64(second))
      flood.append(
        try tokens.issue(to: otto, device: "", replacing: nil, wall: moment, now: .now))
    }
    #expect(try tokens.find(maria, wall: wall, now: .now) != nil)
    #expect(try tokens.find(flood.last ?? "", wall: wall, now: .now) != nil)
    #expect(try tokens.find(flood[0], wall: wall, now: .now) == nil)
    #expect(try tokens.file.read().count == BrowserTokenFile.mostOfLogin + 1)
  }

  @Test func `a token is used while the disk is full`() throws {
    let folder = try TemporaryFolder()
    let tokens = BrowserTokens(in: folder.url.path, termSeconds: 60, logger: .silent)
    let wall = SystemClock.wall
    let secret = try tokens.issue(
      to: Self.login(), device: "", replacing: nil, wall: wall, now: .now)
    // Given a file that cannot be written: its temporary file is a folder
    try FileManager.default.createDirectory(
      atPath: tokens.file.path + ".new", withIntermediateDirectories: false)
    let later = Timestamp(milliseconds: wall.milliseconds + BrowserToken.rotationMilliseconds)
    let found = try #require(try tokens.find(secret, wall: later, now: .now))
    #expect(found.renewed == nil)
    // When it can be written again
    try FileManager.default.removeItem(atPath: tokens.file.path + ".new")
    let next = try #require(try tokens.find(secret, wall: later, now: .now)?.renewed)
    #expect(try tokens.find(next, wall: later, now: .now) != nil)
  }

  @Test func `a damaged record ends one token, and a damaged file none but its own`() throws {
    let folder = try TemporaryFolder()
    let tokens = BrowserTokens(in: folder.url.path, termSeconds: 60, logger: .silent)
    let secret = try tokens.issue(
      to: Self.login(), device: "", replacing: nil, wall: SystemClock.wall, now: .now)
    let text = try String(contentsOfFile: tokens.file.path, encoding: .utf8)
    for damaged in [
      text.replacing("[", with: "[{\"id\":1},"), text.replacing("[", with: "[7,"),
    ] {
      try damaged.write(toFile: tokens.file.path, atomically: true, encoding: .utf8)
      #expect(try tokens.find(secret, wall: SystemClock.wall, now: .now) != nil)
    }
    try "[{".write(toFile: tokens.file.path, atomically: true, encoding: .utf8)
    #expect(try tokens.find(secret, wall: SystemClock.wall, now: .now) == nil)
    #expect(throws: Never.self) {
      try tokens.issue(
        to: Self.login(), device: "", replacing: secret, wall: SystemClock.wall, now: .now)
    }
  }

  @Test func `of a user agent only known words are shown`() {
    for (text, name) in [
      (nil, "Browser"), ("curl/8", "Browser"), ("<b>Linux", "Browser on Linux"),
      (
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) Version/17 Safari/604",
        "Safari on iPhone"
      ),
      ("Mozilla/5.0 (Windows NT 10.0) Chrome/120 Safari/537 Edg/120", "Edge on Windows"),
      ("Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko Firefox/130.0", "Firefox on Linux"),
    ] as [(String?, String)] {
      #expect(BrowserName.name(of: text) == name)
    }
  }
}

private struct Collector: ResponseBodyWriter {
  private let parts: AsyncStream<ByteBuffer>.Continuation

  init(_ parts: AsyncStream<ByteBuffer>.Continuation) { self.parts = parts }

  mutating func write(_ buffer: ByteBuffer) async throws { parts.yield(buffer) }
  consuming func finish(_ trailingHeaders: HTTPFields?) async throws { parts.finish() }
}
