import Foundation
import Hummingbird
import Logging
import MusterCrypto
import MusterInterchange
import MusterModel
import MusterNode
import class MusterTestKit.ConcurrencyLimit
import class MusterTestKit.TemporaryFolder
import MusterTransport
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import MusterHTTP

/// Remote access. The listener provides the TLS around it.
@Suite struct `Logging in` {
  /// Calls the login responder as the listener does.
  struct Caller {
    var endpoint: LoginEndpoint
    var clock = Clock()
    var client = "10.0.0.9"

    func ask(
      _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil,
      cookie: String? = nil, _ more: HTTPFields = [:],
      on channel: (any Channel)? = nil
    ) async -> Response {
      // A connection of its own, which ends with the answer.
      let own = NIOAsyncTestingChannel()
      if channel == nil {
        do {
          try await own.connect(to: SocketAddress(unixDomainSocketPath: "/client")).get()
        } catch {
          Issue.record(error)
        }
      }
      defer { if channel == nil { own.close(promise: nil) } }
      var headers = more
      if body != nil { headers[.contentType] = "application/json" }
      if let cookie { headers[.cookie] = "a=b; \(cookie)" }
      let request = Request(
        head: HTTPRequest(
          method: method, scheme: "https", authority: "post.example:7443", path: path,
          headerFields: headers),
        body: RequestBody(buffer: ByteBuffer(string: body ?? "")))
      return await endpoint.respond(
        to: request, from: client, connection: Connection(channel: channel ?? own))
    }

    func logIn(_ name: String, _ passphrase: String) async -> Response {
      await ask(
        .post, LoginEndpoint.path, "{\"name\":\"\(name)\",\"passphrase\":\"\(passphrase)\"}")
    }

    /// Returns the cookie of a login.
    func cookie(_ name: String, _ passphrase: String) async throws -> String {
      let response = await logIn(name, passphrase)
      #expect(response.status == .noContent)
      return try #require(response.headers[.setCookie]?.split(separator: ";").first).description
    }
  }

  /// - Parameter isReachable: whether devices can join, by an invite.
  static func run(
    isReachable: Bool = false,
    _ story: @escaping @Sendable (Caller, _ folder: String) async throws -> Void
  ) async throws {
    try await ConcurrencyLimit.nodes.run { try await play(isReachable, story) }
  }

  private static func play(
    _ isReachable: Bool, _ story: @Sendable (Caller, _ folder: String) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let home = NodeHome.locate(
      home: folder.url.path + "/a", keys: nil, environment: ["MUSTER_STATE": folder.url.path + "/s"]
    )
    _ = try Founding.found(operation: "Ridge", callsign: "Anna", home: home, passphrase: nil)
    let transport =
      isReachable
      ? try await UDPTransport.bind(
        configuration: UDPConfiguration(listen: "127.0.0.1:0", multicast: false), logger: .silent)
      : nil
    let node = Node(try OpenedHome(home) { [] }, transport: transport, logger: .silent)
    let file = LoginFile(in: folder.url.path)
    for (name, rights) in [("Maria", Login.Rights.command), ("Otto", .observer)] {
      let words = Array("\(name)'s words".utf8)
      try file.add(Login(name: name, rights: rights, passphrase: words, cost: .minimum))
    }
    let programs = Programs(node: node, home: folder.url.path, logger: .silent)
    // A clock that stands still: no time passes, however slow the machine is.
    let clock = Clock()
    try await story(
      Caller(endpoint: endpoint(of: programs, in: folder.url.path, clock), clock: clock),
      folder.url.path)
    await node.stop()
  }

  /// The listener after each start of the node.
  static func endpoint(
    of programs: Programs, in folder: String, _ clock: Clock
  ) -> LoginEndpoint {
    LoginEndpoint(
      router: programs.router, dashboard: programs.dashboard, logins: LoginFile(in: folder),
      tokens: BrowserTokens(in: folder, termSeconds: 30 * 86_400, logger: .silent),
      audit: AuditLog(in: folder, logger: .silent), now: { clock.now }, wall: { clock.wall },
      authority: [1, 2, 3]
    ) { clock.raise($0) }
  }

  /// A clock that a test moves, and what the listener raised.
  final class Clock: Sendable {
    private let start = ContinuousClock.now
    private let begin = SystemClock.wall
    private let state = Mutex<(seconds: Int64, calls: [UnverifiedCall])>((0, []))

    var now: ContinuousClock.Instant { start + .seconds(state.withLock { $0.seconds }) }
    var wall: Timestamp {
      Timestamp(milliseconds: begin.milliseconds + state.withLock { $0.seconds } * 1000)
    }
    var calls: [UnverifiedCall] { state.withLock { $0.calls } }
    func advance(seconds: Int64) { state.withLock { $0.seconds += seconds } }
    func raise(_ call: UnverifiedCall) { state.withLock { $0.calls.append(call) } }
  }

  @Test func `a phone reads without a login how to trust the certificate`() async throws {
    try await Self.run { caller, _ in
      let page = await caller.ask(.get, "/join")
      #expect(page.status == .ok)
      #expect(page.headers[.contentType] == "text/html; charset=utf-8")
      let certificate = await caller.ask(.get, "/join/authority.crt")
      #expect(certificate.status == .ok)
      #expect(certificate.headers[.contentType] == "application/x-x509-ca-cert")
      #expect(certificate.body.contentLength == 3)
      for response in [page, certificate] {
        #expect(response.headers[.strictTransportSecurity] == nil)
      }
      #expect(await caller.ask(.post, "/join").status == .methodNotAllowed)
      #expect(await caller.ask(.get, "/join/device.key").status == .unauthorized)
      let foreign = await caller.ask(
        .get, "/join", nil, cookie: nil, [.origin: "https://evil.example"])
      #expect(foreign.status == .forbidden)
    }
  }

  @Test func `prolongs the connections of those who are logged in`() async throws {
    try await Self.run { caller, _ in
      func isProlonged(_ path: String, cookie: String? = nil) async throws -> Bool {
        let channel = try await NIOAsyncTestingChannel { channel in
          try channel.pipeline.syncOperations.addHandler(ConnectionLifetime())
        }
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        await channel.testingEventLoop.advanceTime(by: .seconds(30))
        _ = await caller.ask(.get, path, cookie: cookie, on: channel)
        await channel.testingEventLoop.advanceTime(by: .seconds(30))
        return channel.isActive
      }
      #expect(try await !isProlonged("/"))
      #expect(try await !isProlonged("/api/v1/users"))
      let maria = try await caller.cookie("Maria", "Maria's words")
      #expect(try await isProlonged("/api/v1/users", cookie: maria))
    }
  }

  @Test func `takes no passphrase of fewer than twelve characters`() throws {
    for words in ["", "hunter2", "elevenchars", "ééééééééééé"] {
      #expect {
        try Login(name: "Maria", rights: .observer, passphrase: Array(words.utf8))
      } throws: {
        "\($0)".contains("at least 12")
      }
    }
    let login = try Login(name: "Maria", rights: .observer, passphrase: Array("twelve chars".utf8))
    #expect(try login.accepts(Array("twelve chars".utf8)))
  }

  @Test func `grants the login's rights, until the session ends`() async throws {
    try await Self.run { caller, folder in
      #expect(await caller.ask(.get, "/api/v1/users").status == .unauthorized)
      let maria = try await caller.cookie("Maria", "Maria's words")
      #expect(await caller.ask(.get, "/api/v1/users", cookie: maria).status == .ok)
      let report = "{\"title\":\"Smoke\"}"
      #expect(await caller.ask(.post, "/api/v1/reports", report, cookie: maria).status == .created)
      #expect(await caller.ask(.delete, LoginEndpoint.path, cookie: maria).status == .noContent)
      #expect(await caller.ask(.get, "/api/v1/users", cookie: maria).status == .unauthorized)
      let audit = try String(contentsOfFile: folder + "/audit.log", encoding: .utf8)
      #expect(audit.contains("\"name\":\"Maria\"") && audit.contains("POST /api/v1/reports"))
      let mode = try FileManager.default.attributesOfItem(atPath: folder + "/logins.json")
      #expect((mode[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }
  }

  @Test func `ends its sessions when it is replaced, such as with a new passphrase`() async throws {
    try await Self.run { caller, folder in
      let stolen = try await caller.cookie("Maria", "Maria's words")
      try LoginFile(in: folder).add(
        Login(
          name: "Maria", rights: .command, passphrase: Array("new words".utf8), cost: .minimum))
      #expect(await caller.ask(.get, "/api/v1/users", cookie: stolen).status == .unauthorized)
      let maria = try await caller.cookie("Maria", "new words")
      #expect(await caller.ask(.get, "/api/v1/users", cookie: maria).status == .ok)
    }
  }

  @Test func `the login page is public, and contains no data`() async throws {
    try await Self.run { caller, _ in
      for path in ["/", "/dashboard/js/main.js"] {
        let page = await caller.ask(.get, path)
        #expect(page.status == .ok, "\(path)")
        #expect(page.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'self';") == true)
        #expect(page.headers[.strictTransportSecurity] != nil)
      }
      #expect(await caller.ask(.post, "/").status == .unauthorized)
      #expect(await caller.ask(.put, "/dashboard/js/main.js").status == .methodNotAllowed)
      #expect(await caller.ask(.get, "/dashboard/../logins.json").status == .notFound)
      for path in ["/?id=1", "/logins.json", "/api/v1/status", "/api/v1/stream", "/metrics"] {
        #expect(await caller.ask(.get, path).status == .unauthorized, "\(path)")
      }
      let foreign = await caller.ask(.get, "/", cookie: nil, [.origin: "https://evil.example"])
      #expect(foreign.status == .forbidden)
    }
  }

  @Test func `sets a cookie that no script and no other site can read`() async throws {
    try await Self.run { caller, _ in
      let response = await caller.logIn("Otto", "Otto's words")
      let cookie = try #require(response.headers[.setCookie])
      for word in ["__Host-", "Path=/", "Secure", "HttpOnly", "SameSite=Strict"] {
        #expect(cookie.contains(word))
      }
      #expect(response.headers[.strictTransportSecurity] != nil)
    }
  }

  @Test func `finding 5: a login speaks for its person, and never for the node's own user`()
    async throws
  {
    try await Self.run { caller, folder in
      let node = caller.endpoint.router.api.node
      func anna() async throws -> UserSummary {
        guard case .users(let users) = await node.perform(.users) else { throw CancellationError() }
        return try #require(users.first { $0.callsign == "Anna" })
      }
      let maria = try await caller.cookie("Maria", "Maria's words")
      let help = "{\"safety\":\"help\"}"
      // Given a login that is not bound to a user
      for (method, path, body) in [
        (HTTPRequest.Method.put, "/api/v1/me/safety", help),
        (.put, "/api/v1/me/team", "{\"team\":\"North\"}"),
        (.post, "/api/v1/me/position", "{\"lat\":1,\"lon\":1}"),
      ] {
        #expect(await caller.ask(method, path, body, cookie: maria).status == .forbidden)
      }
      let before = try await anna()
      #expect(before.selfReport == nil && before.team == "" && before.fix == nil)
      // When it is bound, its reports are that user's, with its name
      let words = Array("Maria's words".utf8)
      try LoginFile(in: folder).add(
        Login(
          name: "Maria", rights: .command, user: before.id, passphrase: words, cost: .minimum))
      let bound = try await caller.cookie("Maria", "Maria's words")
      let response = await caller.ask(.put, "/api/v1/me/safety", help, cookie: bound)
      #expect(response.status == .noContent)
      let after = try await anna()
      #expect(after.selfReport?.callsign == "Maria, via Anna's post")
      #expect(after.safety == .unsafe)
    }
  }

  @Test func `a file of logins without users is read`() throws {
    let login = try Self.login()
    guard case .object(var members) = login.json else {
      Issue.record("a login is an object")
      return
    }
    members["user"] = nil
    let old = try #require(Login(JSON.object(members)))
    #expect(old.user == nil && old.name == "Maria")
  }

  @Test func `no login reads or changes the proximity log of the laptop`() async throws {
    try await Self.run { caller, _ in
      for name in ["Maria", "Otto"] {
        let cookie = try await caller.cookie(name, "\(name)'s words")
        let routes = API.routes.filter { $0.path.hasPrefix("/api/v1/proximity") }
        #expect(routes.count == 12)
        for route in routes {
          let path = route.path.replacing("{id}", with: "0a1b")
          let body = route.body == nil ? nil : "{\"kind\":\"infection\",\"on\":true}"
          let method = try #require(HTTPRequest.Method(rawValue: route.method.rawValue))
          let answer = await caller.ask(method, path, body, cookie: cookie)
          let isRefused = [.forbidden, .badRequest].contains(answer.status)
          #expect(isRefused, "\(name): \(method) \(path): \(answer.status)")
        }
        for path in ["", "/overview", "/devices", "/sessions", "/own", "/review"] {
          let answer = await caller.ask(.get, "/api/v1/proximity" + path, cookie: cookie)
          #expect(answer.status == .forbidden, "\(name): \(path)")
        }
      }
    }
  }

  @Test func `an observer writes nothing, on no route`() async throws {
    try await Self.run { caller, _ in
      let otto = try await caller.cookie("Otto", "Otto's words")
      for route in API.routes where route.method != .get {
        let method = try #require(HTTPRequest.Method(route.method.rawValue))
        let path = route.path.replacing("{id}", with: "00000000")
        let response = await caller.ask(method, path, "{\"title\":\"x\"}", cookie: otto)
        #expect(response.status == .forbidden, "\(path)")
      }
      #expect(await caller.ask(.get, "/api/v1/reports", cookie: otto).status == .ok)
    }
  }

  @Test func `wrong names and passphrases are rejected alike, and then throttled`() async throws {
    try await Self.run { caller, _ in
      for _ in 0..<2 {
        #expect(await caller.logIn("Maria", "wrong").status == .unauthorized)
        #expect(await caller.logIn("Nemo", "wrong").status == .unauthorized)
      }
      #expect(await caller.logIn("", "x").status == .badRequest)
      #expect(await caller.logIn("Maria", "wrong").status == .unauthorized)
      let throttled = await caller.logIn("Maria", "Maria's words")
      #expect(throttled.status == .tooManyRequests)
      #expect(throttled.headers[.retryAfter] == "60")
      let other = Caller(endpoint: caller.endpoint, client: "10.0.0.10")
      #expect(await other.logIn("Maria", "Maria's words").status == .noContent)
    }
  }

  @Test func `guesses from other addresses do not lock out a known address`() async throws {
    try await Self.run { caller, folder in
      // Given a user whose address is known
      _ = try await caller.cookie("Maria", "Maria's words")
      // When forty other addresses guess her passphrase
      for number in 0..<40 {
        let stranger = Caller(endpoint: caller.endpoint, client: "192.0.2.\(number)")
        for _ in 0..<2 {
          let status = await stranger.logIn("Maria", "wrong").status
          #expect(status == .unauthorized || status == .tooManyRequests)
        }
      }
      // Then she logs in from her address, and another user from a new one,
      #expect(await caller.logIn("Maria", "Maria's words").status == .noContent)
      let other = Caller(endpoint: caller.endpoint, client: "10.0.0.10")
      #expect(await other.logIn("Otto", "Otto's words").status == .noContent)
      // and an address that is not known to her account has to wait.
      #expect(await other.logIn("Maria", "Maria's words").status == .tooManyRequests)
      // Users' actions are in one log, and all failures together are one line of another.
      let audit = try String(contentsOfFile: folder + "/audit.log", encoding: .utf8)
      #expect(audit.split(separator: "\n").count == 3 && !audit.contains("192.0.2"))
      let failed = try String(contentsOfFile: folder + "/audit-failed.log", encoding: .utf8)
      #expect(failed.split(separator: "\n").count == 1)
    }
  }

  @Test func `what a login repeats is counted, and its calls for help always have a line`() throws {
    let folder = try TemporaryFolder()
    func lines() throws -> [Substring] {
      try String(contentsOfFile: folder.url.path + "/audit.log", encoding: .utf8)
        .split(separator: "\n")
    }
    let start = ContinuousClock.now
    do {
      let log = AuditLog(in: folder.url.path, logger: .silent)
      for _ in 0..<1000 {
        log.record("POST /api/v1/me/position", by: "Pia", from: "", status: 204, now: start)
      }
      log.record("PUT /api/v1/me/safety", by: "Pia", from: "", status: 204, now: start)
      log.record("POST /api/v1/reports", by: "Rui", from: "", status: 201, now: start)
      #expect(try lines().count { $0.contains("position") } == 60)
      #expect(
        try lines().suffix(2).map { $0.contains("safety") || $0.contains("Rui") } == [true, true])
      log.record(
        "POST /api/v1/me/position", by: "Pia", from: "", status: 204, now: start + .seconds(60))
      #expect(try lines().dropLast().last?.contains("940") == true)
      for _ in 0..<70 {
        log.record("x", by: "Pia", from: "", status: 204, now: start + .seconds(61))
      }
    }
    // Also when the node stops.
    #expect(try lines().last?.contains("further requests") == true)
  }

  @Test func `failed logins are at most two lines per minute`() async throws {
    let folder = try TemporaryFolder()
    let log = AuditLog(in: folder.url.path, logger: .silent)
    let failures = FailedLogins(log: log.ofFailures())
    let start = ContinuousClock.now
    for number in 0..<600 {
      failures.add("n\(number)", from: "192.0.2.\(number % 250)", now: start + .seconds(number))
    }
    let text = try String(
      contentsOfFile: folder.url.path + "/audit-failed.log", encoding: .utf8)
    #expect(text.split(separator: "\n").count <= 20)
    #expect(text.utf8.count < 20 * 1200)
    #expect(text.contains("59 more failed logins"))
    // The last minute is written when the node stops.
    failures.add("last", from: "192.0.2.1", now: start + .seconds(599))
    failures.finish()
    let whole = try String(contentsOfFile: folder.url.path + "/audit-failed.log", encoding: .utf8)
    #expect(whole.utf8.count > text.utf8.count)
  }

  @Test func `removing a login ends its sessions at once`() async throws {
    try await Self.run { caller, folder in
      let maria = try await caller.cookie("Maria", "Maria's words")
      try LoginFile(in: folder).remove("Maria")
      #expect(await caller.ask(.get, "/api/v1/users", cookie: maria).status == .unauthorized)
      #expect(await caller.logIn("Maria", "Maria's words").status == .unauthorized)
    }
  }

  @Test func `a page of another site is rejected, even with a session`() async throws {
    try await Self.run { caller, _ in
      let maria = try await caller.cookie("Maria", "Maria's words")
      for origin in ["https://evil.example", "http://post.example:7443", "null"] {
        let response = await caller.ask(
          .post, "/api/v1/reports", "{\"title\":\"x\"}", cookie: maria, [.origin: origin])
        #expect(response.status == .forbidden)
      }
      let own = await caller.ask(
        .get, "/api/v1/users", cookie: maria, [.origin: "https://post.example:7443"])
      #expect(own.status == .ok)
    }
  }

  static func login() throws -> Login {
    try Login(name: "Maria", rights: .command, passphrase: Array("words".utf8), cost: .minimum)
  }
}
