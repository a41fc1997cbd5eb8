import Hummingbird
import MusterInterchange
import MusterModel
import MusterNode
import NIOCore
import Testing

@testable import MusterHTTP

/// Logins of phones, whose users have no laptop.
extension `Logging in` {
  private static let help = "{\"safety\":\"help\"}"

  private static func addPhone(_ name: String, in folder: String) throws {
    try LoginFile(in: folder).add(
      Login(
        name: name, rights: .command, isPhone: true, passphrase: Array("\(name)'s words".utf8),
        cost: .minimum))
  }

  static func person(_ name: String, at caller: Caller) async throws -> UserSummary? {
    guard case .users(let users) = await caller.endpoint.router.api.node.perform(.users) else {
      throw Failed("no users")
    }
    return users.first { $0.callsign == name }
  }

  @Test func `a phone's user calls for help before any position, and then has one`() async throws {
    try await Self.run { caller, folder in
      try Self.addPhone("Rui", in: folder)
      let rui = try await caller.cookie("Rui", "Rui's words")
      // Reading lists no carrier.
      #expect(await caller.ask(.get, "/api/v1/users", cookie: rui).status == .ok)
      #expect(try await Self.person("Rui", at: caller) == nil)
      #expect(
        await caller.ask(.put, "/api/v1/me/safety", Self.help, cookie: rui).status == .noContent)
      let called = try #require(try await Self.person("Rui", at: caller))
      #expect(called.isTracker && called.safety == .unsafe && called.fix == nil)
      let place = "{\"lat\":46,\"lon\":7,\"accuracyMetres\":12}"
      #expect(
        await caller.ask(.post, "/api/v1/me/position", place, cookie: rui).status == .noContent)
      let placed = try #require(try await Self.person("Rui", at: caller))
      #expect(placed.id == called.id && placed.fix?.accuracyDecimetres == 120)
    }
  }

  @Test func `a phone's tracker app reports by a secret address, as its user alone`() async throws {
    try await Self.run { caller, folder in
      try Self.addPhone("Rui", in: folder)
      try Self.addPhone("Eva", in: folder)
      let login = try LoginFile(in: folder).read().first { $0.name == "Rui" }
      let path = "/phone/\(try #require(login?.phoneSecret))/"
      let now = SystemClock.wall.milliseconds / 1000
      let query = "?id=Eva&lat=46.5&lon=7.5&timestamp=\(now - 7200)"
      #expect(await caller.ask(.get, path + query).status == .ok)
      let track =
        "{\"_type\":\"location\",\"lat\":46,\"lon\":7,\"tst\":\(now - 3600),\"tid\":\"Ev\"}"
      #expect(await caller.ask(.post, path + "owntracks", track).status == .ok)
      let node = caller.endpoint.router.api.node
      #expect(try await node.track(of: "Rui", limit: 9).count == 2)
      #expect(try await Self.person("Eva", at: caller) == nil)
      for wrong in ["/phone/", "/phone/0123456789abcdef0123456789abcdef/", "/phone/Rui/"] {
        #expect(await caller.ask(.get, wrong + query).status == .unauthorized)
      }
      // A new passphrase ends the old address.
      try LoginFile(in: folder).add(
        Login(
          name: "Rui", rights: .command, isPhone: true, passphrase: Array("other words".utf8),
          cost: .minimum))
      #expect(await caller.ask(.get, path + query).status == .unauthorized)
      // But a call for help still arrives, also after the login was removed.
      #expect(await caller.ask(.get, path + query + "&alarm=sos").status == .ok)
      func calls() async throws -> [UnverifiedCallSummary] {
        let reply = await node.perform(.unverifiedCalls(includesEnded: true))
        guard case .unverifiedCalls(let calls) = reply else { return [] }
        return calls.items
      }
      #expect(try await calls().map(\.name) == ["Rui"])
      let eva = try LoginFile(in: folder).read().first { $0.name == "Eva" }?.phoneSecret
      try LoginFile(in: folder).remove("Eva")
      let removed = "/phone/\(try #require(eva))/"
      #expect(await caller.ask(.get, removed + query).status == .unauthorized)
      #expect(await caller.ask(.get, removed + "?id=x&alarm=fallDown").status == .ok)
      #expect(try await Set(calls().map(\.name)) == ["Rui", "Eva"])
      #expect(try await Self.person("Rui", at: caller)?.safety != .unsafe)
    }
  }

  @Test(arguments: ["Rui", "Anna"])
  func `a page proves the age of a position by a phone's clock that is three hours behind`(
    name: String
  ) async throws {
    try await Self.run { caller, folder in
      if name == "Rui" {
        try Self.addPhone("Rui", in: folder)
      } else {
        let anna = try await caller.endpoint.router.api.node.user()
        try LoginFile(in: folder).add(
          Login(
            name: name, rights: .observer, user: anna, passphrase: Array("Anna's words".utf8),
            cost: .minimum))
      }
      let cookie = try await caller.cookie(name, "\(name)'s words")
      func age(ofSample seconds: Int64, sentAfter waited: Int64?) async throws -> Int64? {
        // Each is newer than the one before.
        let clock = SystemClock.wall.milliseconds - 3 * 3_600_000
        let sample = Timestamp(milliseconds: clock - seconds * 1000)
        var headers: HTTPFields = [:]
        if let waited {
          headers[try #require(HeaderName("muster-acted-at"))] = "\(clock - waited * 1000)"
          headers[try #require(HeaderName("muster-seconds-ago"))] = "\(waited)"
        }
        let place =
          "{\"lat\":\(46 + Double(seconds) / 10_000),\"lon\":7,\"accuracyMetres\":12,"
          + "\"sampleTime\":\"\(sample)\"}"
        let answer = await caller.ask(
          .post, "/api/v1/me/position", place, cookie: cookie, headers)
        #expect(answer.status == .noContent)
        return try await Self.person(name, at: caller)?.fixAgeSeconds
      }
      // Without the page's statement, nothing shows that it is not three hours old
      #expect(try await age(ofSample: 600, sentAfter: nil) ?? 0 >= 3 * 3600)
      let waited = try #require(try await age(ofSample: 60, sentAfter: 55))
      #expect((60..<90).contains(waited))
      let fresh = try #require(try await age(ofSample: 1, sentAfter: 0))
      #expect((1..<30).contains(fresh))
    }
  }

  @Test func `times of a hostile phone that no clock shows are not used`() async throws {
    try await Self.run { caller, folder in
      try Self.addPhone("Rui", in: folder)
      let rui = try await caller.cookie("Rui", "Rui's words")
      for time in [Int64.min, .max, -1] {
        var headers: HTTPFields = [:]
        headers[try #require(HeaderName("muster-acted-at"))] = "\(time)"
        let place = "{\"lat\":46,\"lon\":7,\"accuracyMetres\":12}"
        let placed = await caller.ask(.post, "/api/v1/me/position", place, cookie: rui, headers)
        #expect(placed.status == .noContent)
        let called = await caller.ask(.put, "/api/v1/me/safety", Self.help, cookie: rui, headers)
        #expect(called.status == .noContent)
      }
    }
  }

  @Test func `places that a user sets by hand on the page have a rate`() async throws {
    try await Self.run { caller, folder in
      let anna = try await caller.endpoint.router.api.node.user()
      try LoginFile(in: folder).add(
        Login(
          name: "Anna", rights: .observer, user: anna, passphrase: Array("Anna's words".utf8),
          cost: .minimum))
      let cookie = try await caller.cookie("Anna", "Anna's words")
      var statuses: [HTTPResponse.Status: Int] = [:]
      for index in 0..<60 {
        let place = "{\"lat\":46.\(index % 2),\"lon\":7}"
        let answer = await caller.ask(.post, "/api/v1/me/position", place, cookie: cookie)
        statuses[answer.status, default: 0] += 1
      }
      #expect((30..<40).contains(statuses[.noContent] ?? 0))
      #expect(statuses.keys.allSatisfy { [.noContent, .tooManyRequests].contains($0) })
    }
  }

  @Test func `the phone of the laptop's own user gives the positions of the laptop`() async throws {
    try await Self.run { caller, folder in
      let node = caller.endpoint.router.api.node
      let anna = try await node.user()
      let words = Array("Anna's words".utf8)
      try LoginFile(in: folder).add(
        Login(name: "Anna", rights: .observer, user: anna, passphrase: words, cost: .minimum))
      let cookie = try await caller.cookie("Anna", "Anna's words")
      let place = "{\"lat\":46,\"lon\":7,\"accuracyMetres\":12}"
      for _ in 1...2 {
        let answer = await caller.ask(.post, "/api/v1/me/position", place, cookie: cookie)
        #expect(answer.status == .noContent)
      }
      // Other writes of an observer stay forbidden.
      let team = await caller.ask(
        .put, "/api/v1/me/team", "{\"team\":\"North\"}", cookie: cookie)
      #expect(team.status == .forbidden)
      let first = try #require(try await Self.person("Anna", at: caller))
      #expect(first.id == anna && !first.isTracker && first.fix?.accuracyDecimetres == 120)

      // When the app of the phone reports a later one, with an alarm, twice
      let secret = try LoginFile(in: folder).read().first { $0.name == "Anna" }?.phoneSecret
      let path = "/phone/\(try #require(secret))/"
      for offset in [1, 2] {
        let now = SystemClock.wall.milliseconds / 1000 + Int64(offset)
        let query = "?id=Eva&lat=46.5&lon=7.5&timestamp=\(now)&alarm=sos"
        #expect(await caller.ask(.get, path + query).status == .ok)
      }
      // Then it is this person's, who is listed once and calls for help
      let called = try #require(try await Self.person("Anna", at: caller))
      #expect(called.fix?.position.latitude == 46.5 && called.safety == .unsafe)
      #expect(try await Self.person("Eva", at: caller) == nil)
      let session = await caller.ask(.get, "/api/v1/session", cookie: cookie)
      #expect(session.status == .ok)
    }
  }

  @Test func `the phone of a person with another laptop gives no position here`() async throws {
    try await Self.run { caller, folder in
      let other = try #require(UserID(hex: String(repeating: "a", count: 32)))
      let words = Array("Ben's words".utf8)
      try LoginFile(in: folder).add(
        Login(name: "Ben", rights: .command, user: other, passphrase: words, cost: .minimum))
      let cookie = try await caller.cookie("Ben", "Ben's words")
      let answer = await caller.ask(
        .post, "/api/v1/me/position", "{\"lat\":46,\"lon\":7}", cookie: cookie)
      #expect(answer.status == .forbidden)
      let secret = try LoginFile(in: folder).read().first { $0.name == "Ben" }?.phoneSecret
      let path = "/phone/\(try #require(secret))/?id=Ben&lat=46&lon=7"
      #expect(await caller.ask(.get, path).status == .unauthorized)
    }
  }

  @Test func `a request that states another login is not performed`() async throws {
    try await Self.run { caller, _ in
      let maria = try await caller.cookie("Maria", "Maria's words")
      let login = try #require(HeaderName("muster-login"))
      for (name, status) in [("Otto", 401), ("%FF", 401), ("%4Daria", 201)] {
        let answer = await caller.ask(
          .post, "/api/v1/reports", "{\"title\":\"Smoke\"}", cookie: maria, [login: name])
        #expect(answer.status.code == status)
      }
    }
  }

  @Test func `two logins may use one key for different requests`() async throws {
    try await Self.run { caller, folder in
      try Self.addPhone("Rui", in: folder)
      let key: HTTPFields = [try #require(HeaderName(IdempotentRequest.header)): "k"]
      for (name, title) in [("Maria", "Smoke"), ("Rui", "Fire"), ("Rui", "Fire")] {
        let cookie = try await caller.cookie(name, "\(name)'s words")
        let answer = await caller.ask(
          .post, "/api/v1/reports", "{\"title\":\"\(title)\"}", cookie: cookie, key)
        #expect(answer.status == .created)
      }
      let node = caller.endpoint.router.api.node
      guard case .reports(let reports) = await node.perform(.reports) else {
        throw Failed("no reports")
      }
      #expect(reports.map(\.title).sorted() == ["Fire", "Smoke"])
    }
  }
}
