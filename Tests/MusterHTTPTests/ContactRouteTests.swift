import MusterInterchange
import Testing

@testable import MusterHTTP

@Suite struct `Emergency contacts over HTTP` {
  private static let path = "/api/v1/contacts"

  private func add(_ body: String, _ web: WebStage) async throws -> String {
    try await web.make(Self.path, JSON.read(of: body))
  }

  @Test func `a contact is added, changed and removed`() async throws {
    try await WebStage.run { web in
      let station = try await add(
        "{\"name\":\"Fire station\",\"phone\":\"+351 213 924 700\",\"lat\":46.5,\"lon\":7.5}", web)
      _ = try await add("{\"name\":\"Emergency number\",\"phone\":\"112\"}", web)
      let listed = try await web.get(Self.path).items
      #expect(listed.map { $0["name"].word } == ["Emergency number", "Fire station"])
      #expect(listed[0]["lat"] == .null && listed[1]["lat"] == .number("46.5"))
      #expect(listed[1]["id"].word == station && listed[1]["callsign"].word == "Anna")
      let one = "\(Self.path)/\(station)"
      #expect(try await web.status("PATCH", one, "{\"phone\":\"117\",\"note\":\"north\"}") == 204)
      #expect(try await web.status("PATCH", one, "{\"lat\":null,\"lon\":null}") == 204)
      let changed = try await web.get(Self.path).items[1]
      #expect(changed["phone"].word == "117" && changed["note"].word == "north")
      #expect(changed["name"].word == "Fire station" && changed["lon"] == .null)
      #expect(changed["otherPhones"] == .array([]))
      #expect(try await web.status("PATCH", one, "{\"lat\":1,\"lon\":2}") == 204)
      #expect(try await web.get(Self.path).items[1]["lon"] == .number("2"))
      #expect(try await web.status("DELETE", one) == 204)
      #expect(try await web.status("DELETE", one) == 404)
      #expect(try await web.status("PATCH", one, "{\"note\":\"\"}") == 404)
      #expect(try await web.get(Self.path).items.count == 1)
    }
  }

  @Test func `invalid contacts change nothing`() async throws {
    try await WebStage.run { web in
      let id = try await add("{\"name\":\"Police\",\"phone\":\"112\"}", web)
      for (body, status) in [
        ("{\"name\":\"Police\"}", 400), ("{\"name\":\"\",\"phone\":\"112\"}", 400),
        ("{\"name\":\"Police\",\"phone\":\"112\",\"lat\":1}", 400),
        ("{\"name\":\"Police\",\"phone\":112}", 400),
        ("{\"name\":\"Police\",\"phone\":\"call\"}", 422),
        ("{\"name\":\"Police\",\"phone\":\"112\",\"note\":\"two\\nlines\"}", 422),
        ("{\"name\":\"\(String(repeating: "a", count: 81))\",\"phone\":\"112\"}", 422),
      ] {
        #expect(try await web.status("POST", Self.path, body) == status, "\(body)")
      }
      for (body, status) in [
        ("{}", 400), ("{\"lat\":1}", 400), ("{\"lat\":1,\"lon\":null}", 422),
        ("{\"phone\":\"1\"}", 422), ("{\"callsign\":\"Eve\"}", 400),
      ] {
        let path = "\(Self.path)/\(id)"
        #expect(try await web.status("PATCH", path, body) == status, "\(body)")
      }
      let left = try await web.get(Self.path).items
      #expect(left.map { $0["phone"].word } == ["112"])
    }
  }

  @Test func `only command changes the contacts`() async throws {
    try await WebStage.run(role: .member) { web in
      let body = "{\"name\":\"Police\",\"phone\":\"112\"}"
      #expect(try await web.status("POST", Self.path, body) == 403)
      #expect(try await web.status("DELETE", "\(Self.path)/0123abcd") == 403)
      let listed = try await web.get(Self.path).items
      #expect(listed.isEmpty)
    }
  }

  @Test func `a danger has the contacts by distance, and a change of them is announced`()
    async throws
  {
    try await WebStage.run { web in
      let here = "{\"lat\":46.5,\"lon\":7.5,\"accuracyMetres\":5}"
      #expect(try await web.status("POST", "/api/v1/me/position", here) == 204)
      let circle = "\"circle\":{\"lat\":46.5,\"lon\":7.5,\"radiusMetres\":100}"
      _ = try await web.make(
        "/api/v1/fences",
        JSON.read(of: "{\"name\":\"Fire\",\"kind\":\"hazard\",\"needs\":\"relay\",\(circle)}"))
      let before = try await alerts(web)
      #expect(before.danger["contacts"] == .array([]))
      #expect(before.warning.members?["contacts"] == nil)
      try await web.client.follow("/api/v1/stream?datasets=alerts") { events in
        _ = try await events.next()
        _ = try await add("{\"name\":\"Far\",\"phone\":\"1 2\",\"lat\":46.6,\"lon\":7.5}", web)
        let notice = try await events.next()?.json
        #expect(notice?["dataset"].word == "alerts")
      }
      _ = try await add("{\"name\":\"Near\",\"phone\":\"13\",\"lat\":46.51,\"lon\":7.5}", web)
      _ = try await add("{\"name\":\"Emergency number\",\"phone\":\"112\"}", web)
      let contacts = try await alerts(web).danger["contacts"].elements ?? []
      #expect(contacts.map { $0["name"].word } == ["Near", "Far", "Emergency number"])
      #expect(contacts[0]["bearingDegrees"] == .count(0))
      #expect(contacts[0]["distanceMetres"] == .count(1112))
      #expect(contacts[2]["distanceMetres"] == .null)
    }
  }

  /// Returns the danger of being inside the zone, and the warning that a role is missing there.
  private func alerts(_ web: WebStage) async throws -> (danger: JSON, warning: JSON) {
    let all = try await web.get("/api/v1/alerts").items
    return (
      try #require(all.first { $0["kind"].word == "inHazard" }),
      try #require(all.first { $0["kind"].word == "emptyFence" })
    )
  }
}
