import Hummingbird
import MusterInterchange
import MusterModel
import MusterNode
import Testing

@testable import MusterHTTP

/// Logins with the rights of a member add, and change nothing.
extension `Logging in` {
  private static let mayAdd: Set<String> = [
    "POST /api/v1/reports", "POST /api/v1/reports/{id}/confirm",
    "POST /api/v1/reports/{id}/comments", "POST /api/v1/reports/{id}/photos",
  ]
  private static let maySpeak: Set<String> = [
    "PUT /api/v1/me/safety", "POST /api/v1/me/position", "PUT /api/v1/me/team",
    "POST /api/v1/directives/{id}/acknowledgements",
    "POST /api/v1/directives/{id}/acknowledgements/undo",
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

  @Test func `a member files a report, comments on it, and does not resolve or delete it`()
    async throws
  {
    try await Self.run { caller, folder in
      try Self.addMember("Rui", isPhone: true, in: folder)
      let rui = try await caller.cookie("Rui", "Rui's words")
      let filed = await caller.ask(.post, "/api/v1/reports", "{\"title\":\"Smoke\"}", cookie: rui)
      #expect(filed.status == .created)
      let path = try #require(filed.headers[.location])
      #expect(
        await caller.ask(.post, path + "/comments", "{\"text\":\"Grows\"}", cookie: rui).status
          == .noContent)
      #expect(await caller.ask(.post, path + "/confirm", cookie: rui).status == .noContent)
      for (method, body) in [
        (HTTPRequest.Method.patch, "{\"status\":\"resolved\"}"), (.patch, "{\"title\":\"\"}"),
        (.delete, nil),
      ] {
        #expect(await caller.ask(method, path, body, cookie: rui).status == .forbidden)
      }
      for odd in ["/api/v1/reports//comments", path + "/photos/1/marks", path + "//confirm"] {
        let answer = await caller.ask(.post, odd, "{\"text\":\"x\"}", cookie: rui)
        #expect([.forbidden, .notFound].contains(answer.status), "\(odd): \(answer.status)")
      }
      #expect(try LoginFile(in: folder).read().first { $0.name == "Rui" }?.rights == .member)
    }
  }
}
