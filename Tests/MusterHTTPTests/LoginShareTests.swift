import Foundation
import Hummingbird
import MusterModel
import MusterNode
import NIOCore
import NIOEmbedded
import Testing

@testable import MusterHTTP

/// What a login without the rights of command reads, and its share of what all use (decision 0093).
extension `Logging in` {
  private static func addPhone(_ name: String, in folder: String) throws {
    try LoginFile(in: folder).add(
      Login(
        name: name, rights: .member, isPhone: true, passphrase: Array("\(name)'s words".utf8),
        cost: .minimum))
  }

  /// What command alone reads, and what is of the laptop's user.
  private static let isClosed: Set<String> = [
    "/api/v1/invitations", "/api/v1/quarantine", "/api/v1/webhooks",
    "/api/v1/webhooks/{id}/failed", "/api/v1/logins", "/api/v1/roster", "/api/v1/sync/records",
  ]

  @Test func `of all reads, a member gets none that are for command or for the laptop's user`()
    async throws
  {
    try await Self.run { caller, folder in
      try Self.addPhone("Rui", in: folder)
      for name in ["Rui", "Otto"] {
        let cookie = try await caller.cookie(name, "\(name)'s words")
        for route in API.routes where route.method == .get {
          let path = route.path.replacing(/\{[a-z]+\}/, with: "0")
          let isClosed =
            Self.isClosed.contains(route.path) || route.path.hasPrefix("/api/v1/proximity")
          let status = await caller.ask(.get, path, cookie: cookie).status
          #expect((status == .forbidden) == isClosed, "\(name): \(route.path): \(status)")
        }
      }
      let maria = try await caller.cookie("Maria", "Maria's words")
      for path in ["/api/v1/invitations", "/api/v1/webhooks", "/api/v1/quarantine"] {
        #expect(await caller.ask(.get, path, cookie: maria).status != .forbidden, "\(path)")
      }
    }
  }

  @Test func `a lost phone does not fill the logs, and its call for help is not delayed`()
    async throws
  {
    try await Self.run { caller, folder in
      try Self.addPhone("Rui", in: folder)
      let rui = try await caller.cookie("Rui", "Rui's words")
      let report = "{\"title\":\"Smoke\"}"
      var added = 0
      while added < 1000 {
        let answer = await caller.ask(.post, "/api/v1/reports", report, cookie: rui)
        if answer.status == .tooManyRequests {
          #expect(answer.headers[.retryAfter] == "4")
          break
        }
        #expect(answer.status == .created)
        added += 1
      }
      #expect(added == 240)
      let help = "{\"safety\":\"help\"}"
      #expect(await caller.ask(.put, "/api/v1/me/safety", help, cookie: rui).status == .noContent)
      // Another login is not slowed down.
      let maria = try await caller.cookie("Maria", "Maria's words")
      #expect(await caller.ask(.post, "/api/v1/reports", report, cookie: maria).status == .created)
    }
  }

  @Test func `what a login makes permanent has a bound for each hour`() {
    let (limits, start) = (WriteLimits(), ContinuousClock.now)
    var added = [0, 0, 0]
    for second in 0..<3 * 3600 {
      for kind in [WriteLimits.Kind.addition, .ownReport] {
        while limits.pause(kind, of: "Rui", now: start + .seconds(second)) == nil {
          added[second / 3600] += 1
        }
      }
    }
    // Besides them, crossings of a hazard zone: `CrossingRateTests`.
    let crossings = (first: 150, later: 120)
    #expect(added[0] + crossings.first <= 1500)
    for hour in 1...2 { #expect(added[hour] + crossings.later <= 1200, "\(added)") }
    #expect(added[0] > 1000 && added[2] > 900, "a team of one phone works at this rate")
  }

  @Test func `no number of calls before it keeps a call for help from being stored`() async throws {
    try await Self.run { caller, folder in
      try Self.addPhone("Rui", in: folder)
      let rui = try await caller.cookie("Rui", "Rui's words")
      func report(_ body: String) async -> HTTPResponse.Status {
        await caller.ask(.put, "/api/v1/me/safety", body, cookie: rui).status
      }
      func stands() async throws -> Bool {
        let answer = try await caller.json(ofPath: "/api/v1/me/call", cookie: rui)
        return answer["call"]["open"] == .bool(true)
      }
      for number in 0..<150 {
        #expect(await report("{\"safety\":\"help\",\"note\":\"\(number)\"}") == .noContent)
      }
      #expect(try await stands())
      // Only what ends a call waits.
      #expect(await report("{\"safety\":\"safe\"}") == .tooManyRequests)
      #expect(try await stands())
      // Command ended it: the next one is a new call.
      let anna = try await caller.cookie("Maria", "Maria's words")
      let user = try #require(try await Self.person("Rui", at: caller))
      #expect(
        await caller.ask(
          .put, "/api/v1/users/\(user.id)/override", "{\"safety\":\"safe\"}", cookie: anna
        ).status == .noContent)
      #expect(try await !stands())
      #expect(await report("{\"safety\":\"help\"}") == .noContent)
      #expect(try await stands())
    }
  }

  @Test func `refused writes of a login do not displace the audit log`() async throws {
    try await Self.run { caller, folder in
      let otto = try await caller.cookie("Otto", "Otto's words")
      for _ in 0..<200 {
        #expect(await caller.ask(.delete, "/api/v1/reports/0", cookie: otto).status == .forbidden)
      }
      let audit = try String(contentsOfFile: folder + "/audit.log", encoding: .utf8)
      #expect(audit.split(separator: "\n").count { $0.contains("DELETE") } == 60)
    }
  }

  @Test func `a login whose connections are all busy can still call for help`() async throws {
    try await Self.run { caller, folder in
      try Self.addPhone("Rui", in: folder)
      let rui = try await caller.cookie("Rui", "Rui's words")
      func channel() async throws -> NIOAsyncTestingChannel {
        let channel = NIOAsyncTestingChannel()
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        return channel
      }
      var busy: [NIOAsyncTestingChannel] = []
      var status = HTTPResponse.Status.ok
      while status == .ok, busy.count < 1024 {
        busy.append(try await channel())
        status = await caller.ask(.get, "/api/v1/changes", cookie: rui, on: busy.last).status
      }
      #expect(status == .tooManyRequests && busy.count == 129)
      for (method, path, body) in [
        (HTTPRequest.Method.put, "/api/v1/me/safety", "{\"safety\":\"help\"}"),
        (.put, "/api/v1/me/safety", "{\"safety\":\"safe\"}"),
        (.post, "/api/v1/me/position", "{\"lat\":1,\"lon\":1}"),
      ] {
        let urgent = try await channel()
        let answer = await caller.ask(method, path, body, cookie: rui, on: urgent)
        #expect(answer.status == .noContent, "\(method) \(path)")
        // It took no place, and holds none.
        await urgent.testingEventLoop.advanceTime(by: .seconds(2))
        #expect(!urgent.isActive)
      }
      let report = "{\"title\":\"Smoke\"}"
      let last = try await channel()
      let ordinary = await caller.ask(.post, "/api/v1/reports", report, cookie: rui, on: last)
      #expect(ordinary.status == .tooManyRequests)
      for channel in busy { try await channel.close() }
    }
  }

  @Test func `streams of one login leave room for others and for the laptop`() async throws {
    try await Self.run { caller, _ in
      let otto = try await caller.cookie("Otto", "Otto's words")
      for _ in 0..<SubscriptionBroker.mostOfLogin {
        #expect(await caller.ask(.get, "/api/v1/stream", cookie: otto).status == .ok)
      }
      let refused = await caller.ask(.get, "/api/v1/stream", cookie: otto)
      #expect(refused.status == .tooManyRequests && refused.headers[.retryAfter] != nil)
      let maria = try await caller.cookie("Maria", "Maria's words")
      #expect(await caller.ask(.get, "/api/v1/stream", cookie: maria).status == .ok)
    }
  }

  @Test func `uploads of members leave a place for command, and of one login for others`() throws {
    let places = UploadPlaces()
    func person(_ name: String, isCommand: Bool = false) -> Person {
      Person(
        name: name, user: nil, isCarrier: false, isOwner: false, speaksForItself: !isCommand,
        callPause: nil
      ) { true }
    }
    let rui = person("Rui")
    let first = try #require(places.take(for: rui))
    #expect(places.take(for: rui) != nil && places.take(for: rui) == nil)
    #expect(places.take(for: person("Ana")) != nil && places.take(for: person("Eva")) == nil)
    #expect(places.take(for: person("Maria", isCommand: true)) != nil)
    #expect(places.take(for: nil) == nil)
    places.leave(first)
    #expect(places.take(for: nil) == first)
  }
}
