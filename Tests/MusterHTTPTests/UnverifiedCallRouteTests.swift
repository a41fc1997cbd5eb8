import MusterInterchange
import MusterModel
import MusterNode
import Testing

@testable import MusterHTTP

@Suite struct `Unverified calls over HTTP` {
  private static let path = "/api/v1/unverified-calls"

  private static func call(_ credential: String, name: String = "Rui") -> UnverifiedCall {
    UnverifiedCall(
      credential: credential, name: name, address: "10.0.0.7", note: "leg broken",
      position: Coordinate(latitude: 46.5, longitude: 7.5),
      madeAt: Timestamp(milliseconds: 1_750_000_000_000), cause: .sharedToken)
  }

  private static func count(_ web: WebStage) async throws -> Int {
    try await web.get(path).items.count
  }

  private static func alerts(_ web: WebStage) async throws -> [JSON] {
    try await web.get("/api/v1/alerts").items.filter { $0["kind"].word == "unverifiedCall" }
  }

  @Test func `a call is listed, then closed with a reason`() async throws {
    try await WebStage.run { web in
      #expect(try await Self.count(web) == 0)
      try await web.client.follow("/api/v1/stream?datasets=alerts") { events in
        _ = try await events.next()
        try await web.node.raiseUnverifiedCall(Self.call("token"))
        #expect(try await events.next()?.json["dataset"].word == "alerts")
      }
      let listed = try await web.get(Self.path)
      #expect(listed["further"] == .number("0"))
      let call = try #require(listed.items.first)
      #expect(call["name"].word == "Rui" && call["address"].word == "10.0.0.7")
      #expect(call["note"].word == "leg broken" && call["cause"].word == "sharedToken")
      #expect(call["lat"] == .number("46.5") && call["lon"] == .number("7.5"))
      #expect(call["madeAt"].word == "2025-06-15T15:06:40Z")
      #expect(call["receivedBy"].word == "Anna" && call["state"].word == "open")
      let alerts = try await Self.alerts(web)
      let alert = try #require(alerts.first)
      #expect(alert["level"].word == "warning")
      #expect(alert["text"].word == "unverified call for help: Rui")

      let one = "\(Self.path)/\(call["id"].word ?? "")"
      #expect(try await web.status("POST", "\(one)/close", "{\"reason\":\"spoke to her\"}") == 204)
      #expect(try await web.status("POST", "\(one)/close", "{\"reason\":\"again\"}") == 422)
      #expect(try await Self.count(web) == 0)
      let all = try await web.get("\(Self.path)?state=all").items
      let ended = try #require(all.first)
      #expect(ended["state"].word == "closed" && ended["reason"].word == "spoke to her")
      #expect(ended["decidedBy"].word == "Anna" && ended["person"] == .null)
      #expect(try await Self.alerts(web).count == 0)
    }
  }

  @Test func `a confirmed call is a MAYDAY of the person`() async throws {
    try await WebStage.run { web in
      try await web.node.raiseUnverifiedCall(Self.call("token"))
      let users = try await web.get("/api/v1/users").items
      #expect(users.map { $0["status"].word } != ["mayday"])
      let open = try await web.get(Self.path).items
      let id = try #require(open.first?["id"].word)
      let one = "\(Self.path)/\(id.prefix(8))/confirm"
      #expect(try await web.status("POST", one, "{\"user\":\"Unknown\"}") == 422)
      #expect(try await web.status("POST", one, "{\"user\":\"Anna\"}") == 204)
      let people = try await web.get("/api/v1/users").items
      let anna = try #require(people.first)
      #expect(anna["status"].word == "mayday")
      #expect(anna["override"]["note"].word?.contains("10.0.0.7") == true)
      let all = try await web.get("\(Self.path)?state=all").items
      let ended = try #require(all.first)
      #expect(ended["state"].word == "confirmed" && ended["personName"].word == "Anna")
      #expect(ended["person"] == anna["id"])
    }
  }

  @Test func `invalid requests change nothing`() async throws {
    try await WebStage.run { web in
      try await web.node.raiseUnverifiedCall(Self.call("token"))
      let open = try await web.get(Self.path).items
      let id = try #require(open.first?["id"].word)
      let none = String(repeating: "a", count: 32)
      let long = String(repeating: "a", count: Limits.unverifiedNoteBytes + 1)
      for (path, body, status) in [
        ("\(id)/close", "{}", 400), ("\(id)/close", "{\"reason\":\" \"}", 422),
        ("\(id)/close", "{\"reason\":\"\(long)\"}", 422), ("\(id)/close", "{\"reason\":7}", 400),
        ("\(none)/close", "{\"reason\":\"x\"}", 404), ("\(id)/confirm", "{}", 400),
        ("\(none)/confirm", "{\"user\":\"Anna\"}", 404), ("x/close", "{\"reason\":\"x\"}", 404),
      ] {
        #expect(
          try await web.status("POST", "\(Self.path)/\(path)", body) == status, "\(path) \(body)")
      }
      #expect(try await web.status("GET", "\(Self.path)?state=closed") == 400)
      let left = try await web.get(Self.path).items
      #expect(left.map { $0["state"].word } == ["open"])
    }
  }

  @Test(arguments: [Role.member, .observer])
  func `a laptop below command lists and receives calls, and decides nothing`(
    role: Role
  ) async throws {
    try await WebStage.run(role: role) { web in
      try await web.node.raiseUnverifiedCall(Self.call("token"))
      let open = try await web.get(Self.path).items
      let id = try #require(open.first?["id"].word)
      #expect(try await web.status("POST", "\(Self.path)/\(id)/close", "{\"reason\":\"x\"}") == 403)
      #expect(
        try await web.status("POST", "\(Self.path)/\(id)/confirm", "{\"user\":\"Ben\"}") == 403)
      #expect(try await Self.alerts(web).count == 1)
    }
  }

  @Test func `webhooks receive no unverified call, as an alert or as its end`() async throws {
    try await WebStage.run { web in
      // Only a running node reviews alerts.
      await web.node.start(peers: [], linkRate: nil)
      try await web.node.raiseUnverifiedCall(Self.call("token"))
      try await eventually {
        try await web.node.raisedAlerts().contains { $0.id.kind == .unverifiedCall }
      }
      let posted = try await web.node.postedAlerts()
      #expect(posted.isEmpty)
      let place = try await WebhookPosition.now(of: web.node)
      #expect(place.alerts.isEmpty)
    }
  }
}
