import MusterInterchange
import MusterModel
import MusterNode
import Testing

@testable import MusterHTTP

@Suite struct `Delta sync over HTTP` {
  private static let title: JSON = .object(["title": .string("Smoke")])

  @Test func `a base query has all rows in pages, and a delta those that changed`() async throws {
    try await WebStage.run { web in
      var ids: [String] = []
      for _ in 0..<5 { ids.append(try await web.make("/api/v1/reports", Self.title)) }
      var (found, path) = ([JSON](), "/api/v1/sync/reports?limit=2")
      var startedAt: Set<JSON> = []
      while true {
        let page = try await web.get(path)
        found += page.items
        startedAt.insert(page["startedAt"])
        guard let token = page["nextToken"].word else { break }
        path = "/api/v1/sync/reports?limit=2&nextToken=\(token)"
      }
      #expect(found.map { $0["id"].word } == ids)
      #expect(found.allSatisfy { $0["_deleted"] == .bool(false) && $0["_version"] == .count(1) })
      #expect(startedAt.count == 1)
      let since = try #require(startedAt.first?.text)
      #expect(try await web.get("/api/v1/sync/reports?lastSync=\(since)").items.isEmpty)
      #expect(
        try await web.status("PATCH", "/api/v1/reports/\(ids[3])", "{\"severity\":5}") == 204)
      #expect(try await web.status("DELETE", "/api/v1/reports/\(ids[1])") == 204)
      let delta = try await web.get("/api/v1/sync/reports?lastSync=\(since)")
      #expect(delta.items.map { $0["id"].word } == [ids[3], ids[1]])
      #expect(delta.items.map { $0["_deleted"] } == [.bool(false), .bool(true)])
      #expect(delta.items[0]["severity"] == .count(5) && delta.items[0]["_version"] == .count(2))
      #expect(delta.items[1]["title"] == .null)
      #expect(try await web.get("/api/v1/sync/reports").items.count == 4)
    }
  }

  @Test func `the records of the node's user are a set of their own`() async throws {
    try await WebStage.run { web in
      let change = RecordChange(key: "gate", value: "shut", seenCount: 0)
      _ = try await UserRecords.update("notes", [change], at: web.node)
      let base = try await web.get("/api/v1/sync/records")
      #expect(base.items.map { $0["key"].word } == ["gate"])
      #expect(base.items[0]["dataset"].word == "notes" && base.items[0]["value"].word == "shut")
      #expect(base.items[0]["_version"] == .count(1))
      let since = base["startedAt"].text
      #expect(try await UserRecords.delete("notes", at: web.node)?.recordCount == 0)
      let delta = try await web.get("/api/v1/sync/records?lastSync=\(since)").items
      #expect(delta.map { $0["_deleted"] } == [.bool(true)] && delta[0]["syncCount"] == .count(2))
      #expect(try await web.get("/api/v1/sync/records").items.isEmpty)
    }
  }

  @Test func `a write of another version conflicts and returns the row`() async throws {
    try await WebStage.run { web in
      let id = try await web.make("/api/v1/reports", Self.title)
      let path = "/api/v1/reports/\(id)"
      #expect(try await web.status("PATCH", path, "{\"_version\":1,\"severity\":2}") == 204)
      let answer = try await web.client.ask("PATCH", path, body: "{\"_version\":1,\"severity\":3}")
      #expect(answer.status == 409)
      #expect(answer.json["current"]["_version"] == .count(2))
      #expect(answer.json["current"]["severity"] == .count(2))
      #expect(try await web.status("DELETE", path + "?_version=1") == 409)
      #expect(try await web.get(path)["severity"] == .count(2))
      #expect(try await web.status("DELETE", path + "?_version=2") == 204)
    }
  }

  @Test func `people and fences have what was written, and nothing that follows from time`()
    async throws
  {
    try await WebStage.run { web in
      let people = try await web.get("/api/v1/sync/users").items
      #expect(people.map { $0["callsign"].word } == ["Anna"])
      #expect(people.allSatisfy { $0["status"] == .null && $0["age"] == .null })
      let circle = "{\"name\":\"Plume\",\"circle\":{\"lat\":46,\"lon\":7,\"radiusMetres\":50}}"
      #expect(try await web.status("POST", "/api/v1/fences", circle) == 201)
      let fences = try await web.get("/api/v1/sync/fences").items
      #expect(fences.map { $0["name"].word } == ["Plume"] && fences[0]["inside"] == .null)
    }
  }

  @Test(arguments: [
    "/api/v1/sync/reports?nextToken=x", "/api/v1/sync/reports?lastSync=-1",
    "/api/v1/sync/reports?nextToken=users.1.0.1.00000000000000000000000000000000",
    "/api/v1/sync/reports?lastSync=5&nextToken=reports.1.0.1.00000000000000000000000000000000",
    "/api/v1/sync/reports?limit=0",
  ])
  func `a malformed query, or a token of another one, is rejected`(path: String) async throws {
    try await WebStage.run { web in
      let status = try await web.status("GET", path)
      #expect(status == 400)
    }
  }
}
