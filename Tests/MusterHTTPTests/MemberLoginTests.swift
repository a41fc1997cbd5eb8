import Hummingbird
import MusterInterchange
import MusterModel
import MusterNode
import NIOCore
import Testing

@testable import MusterHTTP

/// Logins with the rights of a member add, and change only what they filed.
extension `Logging in` {
  private static let mayAdd: Set<String> = [
    "POST /api/v1/reports", "POST /api/v1/reports/{id}/confirm",
    "POST /api/v1/reports/{id}/comments", "POST /api/v1/reports/{id}/photos",
    "PATCH /api/v1/reports/{id}", "DELETE /api/v1/reports/{id}",
  ]
  private static let maySpeak: Set<String> = [
    "PUT /api/v1/me/safety", "POST /api/v1/me/position", "PUT /api/v1/me/team",
    "POST /api/v1/directives/{id}/acknowledgements",
    "POST /api/v1/directives/{id}/acknowledgements/undo", "POST /api/v1/checkins",
    "POST /api/v1/checkins/report",
  ]

  private static func addMember(_ name: String, isPhone: Bool, in folder: String) throws {
    try LoginFile(in: folder).add(
      Login(
        name: name, rights: .member, isPhone: isPhone, passphrase: Array("\(name)'s words".utf8),
        cost: .minimum))
  }

  @Test(arguments: [true, false])
  func `of all writes, a member may add to reports and speak for its own person`(
    isPhone: Bool
  ) async throws {
    try await Self.run { caller, folder in
      try Self.addMember("Rui", isPhone: isPhone, in: folder)
      let rui = try await caller.cookie("Rui", "Rui's words")
      var tried = 0
      for route in API.routes where route.method != .get {
        let method = try #require(HTTPRequest.Method(route.method.rawValue))
        let path = route.path.replacing(/\{[a-z]+\}/, with: String(repeating: "a", count: 32))
        let name = "\(route.method.rawValue) \(route.path)"
        let answer = await caller.ask(method, path, "{}", cookie: rui)
        let isPermitted = Self.mayAdd.contains(name) || isPhone && Self.maySpeak.contains(name)
        #expect((answer.status == .forbidden) == !isPermitted, "\(name): \(answer.status)")
        tried += 1
      }
      #expect(tried > 40)
    }
  }

  @Test func `a member corrects and withdraws what it filed, and nothing else`() async throws {
    try await Self.run { caller, folder in
      for name in ["Rui", "Eva"] { try Self.addMember(name, isPhone: true, in: folder) }
      let rui = try await caller.cookie("Rui", "Rui's words")
      let eva = try await caller.cookie("Eva", "Eva's words")
      let maria = try await caller.cookie("Maria", "Maria's words")
      let path = try await caller.file("Smoke", cookie: rui)
      #expect(
        await caller.ask(.post, path + "/comments", "{\"text\":\"Grows\"}", cookie: rui).status
          == .noContent)
      #expect(try await caller.own(cookie: rui) == [path])
      #expect(try await caller.own(cookie: eva) == [])

      let change = "{\"title\":\"Smoke, two houses\",\"severity\":4}"
      #expect(await caller.ask(.patch, path, change, cookie: rui).status == .noContent)
      let closing = "{\"status\":\"resolved\"}"
      #expect(await caller.ask(.patch, path, closing, cookie: rui).status == .forbidden)
      let ofMaria = try await caller.file("Flood", cookie: maria)
      for (path, cookie) in [(path, eva), (ofMaria, rui)] {
        #expect(await caller.ask(.patch, path, change, cookie: cookie).status == .forbidden)
        #expect(await caller.ask(.delete, path, cookie: cookie).status == .forbidden)
      }

      // Command confirms it: from now on others rely on it.
      #expect(await caller.ask(.post, path + "/confirm", cookie: maria).status == .noContent)
      #expect(await caller.ask(.delete, path, cookie: rui).status == .forbidden)
      let second = try await caller.file("Smoke again", cookie: rui)
      #expect(try await caller.own(cookie: rui) == [path, second])
      #expect(await caller.ask(.delete, second, cookie: rui).status == .noContent)
      #expect(try await caller.own(cookie: rui) == [path])
      #expect(await caller.ask(.delete, second, cookie: rui).status == .notFound)
      for odd in ["/api/v1/reports//comments", path + "/photos/1/marks", path + "//confirm"] {
        let answer = await caller.ask(.post, odd, "{\"text\":\"x\"}", cookie: rui)
        #expect([.forbidden, .notFound].contains(answer.status), "\(odd): \(answer.status)")
      }
    }
  }

  @Test func `a correction on an earlier version is refused`() async throws {
    try await Self.run { caller, folder in
      try Self.addMember("Rui", isPhone: true, in: folder)
      let rui = try await caller.cookie("Rui", "Rui's words")
      let maria = try await caller.cookie("Maria", "Maria's words")
      let path = try await caller.file("Smoke", cookie: rui)
      let seen = try #require(await caller.ask(.get, path, cookie: rui).headers[.eTag])
      #expect(
        await caller.ask(.patch, path, "{\"severity\":5}", cookie: maria).status == .noContent)
      let answer = await caller.ask(
        .patch, path, "{\"severity\":1}", cookie: rui, [.ifMatch: seen])
      #expect(answer.status == .preconditionFailed)
    }
  }

  @Test func `a member's person checks in, and for no other person`() async throws {
    try await Self.run { caller, folder in
      for name in ["Rui", "Eva"] { try Self.addMember(name, isPhone: true, in: folder) }
      let rui = try await caller.cookie("Rui", "Rui's words")
      let eva = try await caller.cookie("Eva", "Eva's words")
      // The laptop's PINs are those of its own user.
      let maria = try await caller.cookie("Maria", "Maria's words")
      #expect(
        await caller.endpoint.router.api.node.perform(
          .setCheckInPins(CheckInPinChange(current: nil, usual: "2580", duress: "2581"))) == .done)
      let start = "{\"durationSeconds\":600,\"repeats\":true}"
      #expect(await caller.ask(.post, "/api/v1/checkins", start, cookie: rui).status == .ok)
      #expect(await caller.ask(.post, "/api/v1/checkins", start, cookie: eva).status == .ok)
      let timers = try await caller.timers(cookie: rui)
      #expect(timers.map(\.callsign).sorted() == ["Eva", "Rui"])
      let own = try #require(timers.first { $0.callsign == "Rui" })
      let other = try #require(timers.first { $0.callsign == "Eva" })
      let everyone = "{\"durationSeconds\":600,\"role\":\"member\"}"
      #expect(
        await caller.ask(.post, "/api/v1/checkins", everyone, cookie: rui).status == .forbidden)

      for kind in ["ok", "extend", "stop"] {
        func report(_ fields: String) async -> HTTPResponse.Status {
          await caller.ask(
            .post, "/api/v1/checkins/report", "{\"kind\":\"\(kind)\",\"seconds\":60\(fields)}",
            cookie: rui
          ).status
        }
        #expect(await report(",\"user\":\"\(other.user)\"") == .forbidden)
        #expect(await report(",\"timer\":\"\(other.id)\"") == .forbidden)
        #expect(
          await report(",\"user\":\"\(own.user)\",\"timer\":\"\(other.id)\"") == .forbidden)
        #expect(
          await report(",\"user\":\"\(own.user)\",\"timer\":\"\(own.id)\"") == .noContent)
      }
      #expect(try await caller.timers(cookie: rui).map(\.callsign) == ["Eva"])

      // A login of the laptop's own user needs a PIN, as the user does on the laptop.
      try LoginFile(in: folder).add(
        Login(
          name: "Anna", rights: .member, user: try await caller.endpoint.router.api.node.user(),
          passphrase: Array("Anna's words".utf8), cost: .minimum))
      let anna = try await caller.cookie("Anna", "Anna's words")
      for (pin, status) in [("", HTTPResponse.Status.forbidden), (",\"pin\":\"2580\"", .ok)] {
        let body = "{\"durationSeconds\":600\(pin)}"
        #expect(await caller.ask(.post, "/api/v1/checkins", body, cookie: anna).status == status)
      }
      for (cookie, isRequired) in [(rui, false), (maria, true), (anna, true)] {
        let answer = try await caller.json(ofPath: "/api/v1/checkins/pin", cookie: cookie)
        #expect(answer["isRequired"] == .bool(isRequired))
      }
    }
  }
}

/// What a login writes is shown under its person's name, through this laptop (decision 0101).
extension `Logging in` {
  @Test func `what a login writes names its person and the laptop's user`() async throws {
    try await Self.run { caller, folder in
      for name in ["Rui", "Eva"] { try Self.addMember(name, isPhone: name == "Rui", in: folder) }
      let rui = try await caller.cookie("Rui", "Rui's words")
      let eva = try await caller.cookie("Eva", "Eva's words")
      let node = caller.endpoint.router.api.node
      let path = try await caller.file("Smoke", cookie: rui)
      let id = try #require(path.split(separator: "/").last.map(String.init))
      #expect(
        await caller.ask(.post, path + "/comments", "{\"text\":\"Grows\"}", cookie: eva).status
          == .noContent)
      #expect(await node.perform(.commentReport(id, text: "Going")) == .done)

      // Its author confirms nothing, by the login; Eva and the laptop's user do, once each.
      #expect(await caller.ask(.post, path + "/confirm", cookie: rui).status == .forbidden)
      for _ in 0..<2 {
        #expect(await caller.ask(.post, path + "/confirm", cookie: eva).status == .noContent)
        #expect(await node.perform(.confirmReport(id)) == .done)
      }
      let report = try await caller.json(ofPath: path, cookie: eva)
      let (writtenBy, through) = (report["writtenBy"].word, report["through"].word)
      #expect(writtenBy == "Rui" && through == "Anna")
      #expect(report["ownerCallsign"].word == "Rui, through Anna's laptop")
      #expect(report["confirmations"] == .strings(["Anna", "Eva, through Anna's laptop"]))
      let comments = report["comments"].elements ?? []
      #expect(Set(comments.map { $0["writtenBy"].word ?? "" }) == ["Eva", ""])
      #expect(Set(comments.map { $0["callsign"].word }) == ["Eva, through Anna's laptop", "Anna"])
      let listed = try await caller.json(ofPath: "/api/v1/reports", cookie: eva).items
      #expect(listed.map { $0["writtenBy"].word } == ["Rui"])

      // An edit by another login leaves the author.
      let maria = try await caller.cookie("Maria", "Maria's words")
      #expect(
        await caller.ask(.patch, path, "{\"severity\":4}", cookie: maria).status == .noContent)
      let edited = try await caller.json(ofPath: path, cookie: maria)
      #expect(edited["writtenBy"].word == "Rui" && edited["severity"] == .count(4))
      let zone =
        #"{"name":"Camp","kind":"muster","circle":{"lat":46.5,"lon":7.5,"radiusMetres":100}}"#
      #expect(await caller.ask(.post, "/api/v1/fences", zone, cookie: maria).status == .created)
      let zones = try await caller.json(ofPath: "/api/v1/fences", cookie: eva).items
      #expect(zones.map { $0["writtenBy"].word } == ["Maria"])
      #expect(zones.map { $0["through"].word } == ["Anna"])
    }
  }
}

extension `Logging in`.Caller {
  /// Files a report, and returns its path.
  fileprivate func file(_ title: String, cookie: String) async throws -> String {
    let answer = await ask(.post, "/api/v1/reports", "{\"title\":\"\(title)\"}", cookie: cookie)
    #expect(answer.status == .created)
    return try #require(answer.headers[.location])
  }

  /// The paths of the reports that a login may change.
  fileprivate func own(cookie: String) async throws -> [String] {
    let answer = try await json(ofPath: "/api/v1/me/reports", cookie: cookie)
    return (answer["ids"].elements ?? []).compactMap(\.word).map { "/api/v1/reports/\($0)" }
  }

  fileprivate func timers(
    cookie: String
  ) async throws -> [(id: String, user: String, callsign: String)] {
    try await json(ofPath: "/api/v1/checkins", cookie: cookie).items
      .filter { $0["state"].word != "done" }
      .map { ($0["id"].word ?? "", $0["user"].word ?? "", $0["callsign"].word ?? "") }
  }

  func json(ofPath path: String, cookie: String) async throws -> JSON {
    let answer = await ask(.get, path, cookie: cookie)
    #expect(answer.status == .ok)
    let (parts, collected) = AsyncStream.makeStream(of: ByteBuffer.self)
    try await answer.body.write(BodyCollector(collected))
    var text = ""
    for await part in parts { text += String(buffer: part) }
    return JSON.read(of: text)
  }
}

/// Collects the body of an answer.
private struct BodyCollector: ResponseBodyWriter {
  private let parts: AsyncStream<ByteBuffer>.Continuation

  init(_ parts: AsyncStream<ByteBuffer>.Continuation) { self.parts = parts }

  mutating func write(_ buffer: ByteBuffer) async throws { parts.yield(buffer) }
  consuming func finish(_ trailingHeaders: HTTPFields?) async throws { parts.finish() }
}
