import MusterInterchange
import MusterModel
import MusterNode
import Testing

@testable import MusterHTTP

@Suite struct `Alerts acknowledged over HTTP` {
  @Test func `an acknowledgement keeps its name and time, and the first one counts`() async throws {
    try await WebStage.run { web in
      let fence = try await web.makeEmptyZone()
      _ = try await web.makeEmptyZone("Church", latitude: 46.6)
      let waiting = try await web.get("/api/v1/alerts").items
      let alert = try #require(waiting.first { $0["row"].word == fence })
      #expect(alert["kind"].word == "emptyFence" && alert["acknowledgedBy"] == .null)
      let id = try #require(alert["id"].word)
      let path = "/api/v1/alerts/\(id)/acknowledge"
      try await web.client.follow("/api/v1/stream?datasets=alerts") { events in
        let first = try await events.next()
        #expect(first?.name == "counts")
        let seen = try await web.status("POST", path, "{\"name\":\"Maria\"}")
        let notice = try await events.next()?.json
        #expect(seen == 204)
        #expect(notice?["dataset"].word == "alerts" && notice?["reload"] == .bool(false))
      }
      #expect(try await web.status("POST", path, "{\"name\":\"José\"}") == 204)
      let seen = try await web.get("/api/v1/alerts").items.first { $0["id"].word == id }
      #expect(seen?["acknowledgedBy"].word == "Maria")
      #expect(seen?["acknowledgedAt"].word?.hasPrefix("20") == true)
      // Without a name it is the node's own user.
      for other in waiting.compactMap({ $0["id"].word }) where other != id {
        #expect(try await web.status("POST", "/api/v1/alerts/\(other)/acknowledge", "{}") == 204)
      }
      let names = try await web.get("/api/v1/alerts").items.map { $0["acknowledgedBy"].word }
      #expect(Set(names) == ["Maria", "Anna"])
      // An acknowledgement without an effect is not counted as a change.
      let counts = try await web.get("/api/v1/changes")
      #expect(try await web.status("POST", path, "{\"name\":\"Ana\"}") == 204)
      #expect(try await web.get("/api/v1/changes")["alerts"] == counts["alerts"])
      for wrong in ["help:\(fence)", "nothing", "emptyFence:ffffffff"] {
        #expect(try await web.status("POST", "/api/v1/alerts/\(wrong)/acknowledge", "{}") == 404)
      }
      for body in ["{\"name\":\"\"}", "{\"name\":\"a\\nb\"}", "{\"who\":\"Maria\"}", "[]"] {
        #expect(try await web.status("POST", path, body) == 400, "\(body)")
      }
    }
  }

  @Test func `command puts a warning aside, and takes that back`() async throws {
    try await WebStage.run { web in
      let fence = try await web.makeEmptyZone()
      let path = "/api/v1/alerts/emptyFence:\(fence)/shelve"
      let wrong = [
        "{}", "{\"reason\":\"\"}", "{\"reason\":\"x\",\"minutes\":61}",
        "{\"reason\":\"x\",\"minutes\":0}", "{\"reason\":\"x\",\"name\":\"Eva\"}",
      ]
      for body in wrong { #expect(try await web.status("POST", path, body) >= 400, "\(body)") }
      func shelved() async throws -> JSON {
        let all = try await web.get("/api/v1/alerts").items
        return try #require(all.first { $0["row"].word == fence })["shelved"]
      }
      #expect(try await shelved() == .null)
      #expect(
        try await web.status("POST", path, "{\"reason\":\"on its way\",\"minutes\":5}") == 204)
      #expect(try await shelved()["by"].word == "Anna")
      #expect(try await shelved()["reason"].word == "on its way")
      #expect(try await shelved()["until"].word?.hasPrefix("20") == true)
      #expect(try await web.status("DELETE", path) == 204)
      #expect(try await shelved() == .null)
      #expect(try await web.status("DELETE", path) == 422)
      try await web.node.raiseUnverifiedCall(
        UnverifiedCall(
          credential: "token", name: "Rui", address: "10.0.0.7", note: "leg", position: nil,
          madeAt: Timestamp(milliseconds: 1_750_000_000_000), cause: .sharedToken))
      let call = try #require(
        try await web.get("/api/v1/alerts").items.first { $0["kind"].word == "unverifiedCall" })
      let other = "/api/v1/alerts/\(call["id"].word ?? "")/shelve"
      #expect(try await web.status("POST", other, "{\"reason\":\"x\"}") == 403)
    }
  }

  @Test func `a laptop without a call has none, and only a call for help has an answer`()
    async throws
  {
    try await WebStage.run { web in
      #expect(try await web.get("/api/v1/me/call")["call"] == .null)
      #expect(try await web.status("PUT", "/api/v1/me/safety", "{\"safety\":\"help\"}") == 204)
      let call = try await web.get("/api/v1/me/call")["call"]
      #expect(call["open"] == .bool(true) && call["callsign"].word == "Anna")
      #expect(call["state"].word == "atCommand", "this laptop is of command")
      #expect(call["seenBy"] == .array([]) && call["answers"] == .array([]))
      #expect(call["madeAt"].word != nil)
      let fence = try await web.makeEmptyZone()
      let path = "/api/v1/alerts/emptyFence:\(fence)/acknowledge"
      #expect(try await web.status("POST", path, "{\"answer\":\"coming\"}") == 422)
      #expect(try await web.status("POST", path, "{\"answer\":\"\"}") == 422)
      #expect(try await web.status("PUT", "/api/v1/me/safety", "{\"safety\":\"safe\"}") == 204)
      #expect(try await web.get("/api/v1/me/call")["call"] == .null)
    }
  }
}
