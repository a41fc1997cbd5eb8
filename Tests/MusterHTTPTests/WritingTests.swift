import MusterInterchange
import MusterModel
import Testing

@testable import MusterHTTP

@Suite struct `Writing over HTTP` {
  private static let title: JSON = .object(["title": .string("Smoke")])

  @Test func `a report is added, changed, discussed and deleted, and its author confirms nothing`()
    async throws
  {
    try await WebStage.run { web in
      let id = try await web.make("/api/v1/reports", Self.title)
      let path = "/api/v1/reports/\(id)"
      #expect(try await web.status("PATCH", path, "{\"severity\":5,\"toEvacuate\":true}") == 204)
      // The laptop's user filed it: others confirm it.
      #expect(try await web.status("POST", path + "/confirm") == 422)
      #expect(try await web.status("POST", path + "/comments", "{\"text\":\"So it is\"}") == 204)
      #expect(try await web.status("PATCH", path, "{\"status\":\"resolved\"}") == 204)
      let report = try await web.get(path)
      #expect(report["severity"] == .count(5) && report["toEvacuate"] == .bool(true))
      #expect(report["confirmations"] == .strings([]) && report["title"].word == "Smoke")
      #expect(report["comments"].elements?.first?["text"].word == "So it is")
      #expect(report["status"].word == "resolved")
      #expect(try await web.status("DELETE", path) == 204)
      #expect(try await web.status("GET", path) == 404)
      #expect(try await web.status("DELETE", path) == 404)
    }
  }

  @Test func `a stale version changes nothing`() async throws {
    try await WebStage.run { web in
      let id = try await web.make("/api/v1/reports", Self.title)
      let path = "/api/v1/reports/\(id)"
      let first = try await web.client.ask("GET", path)
      let version = try #require(first.headers["etag"])
      #expect(
        try await web.status("PATCH", path, "{\"severity\":2}", ["If-Match": version]) == 204)
      for stale in [version, "W/\(version)", "\"0\", \"1\"", "", "stale", "\""] {
        let answer = try await web.client.ask(
          "PATCH", path, body: "{\"severity\":3}", headers: ["If-Match": stale])
        #expect(answer.status == 412, "\(stale): \(answer)")
        #expect(try await web.status("DELETE", path, nil, ["If-Match": stale]) == 412)
      }
      #expect(try await web.get(path)["severity"] == .count(2))
      let fresh = try await web.client.ask("GET", path).headers["etag"] ?? ""
      #expect(fresh != version)
      let either = "\(version), \(fresh)"
      #expect(try await web.status("DELETE", path, nil, ["If-Match": either]) == 204)
    }
  }

  @Test(arguments: [2, 20])
  func `of many concurrent changes with one version, one succeeds`(many: Int) async throws {
    try await WebStage.run { web in
      let id = try await web.make("/api/v1/reports", Self.title)
      let path = "/api/v1/reports/\(id)"
      for round in 0..<10 {
        let version = try await web.client.ask("GET", path).headers["etag"] ?? ""
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
          for number in 0..<many {
            group.addTask {
              try await web.status(
                "PATCH", path, "{\"title\":\"\(round) by \(number)\"}", ["If-Match": version])
            }
          }
          return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(answers.sorted() == [204] + Array(repeating: 412, count: many - 1))
      }
    }
  }

  @Test func `a fence is added as a circle or an outline, switched and deleted`() async throws {
    try await WebStage.run { web in
      let ring = "[[7.0,46.0],[7.1,46.0],[7.1,46.1],[7.0,46.0]]"
      let outline = """
        {"name":"Plume","kind":"hazard","active":false,"dwellSeconds":30,"mode":"strict-aws",
         "geojson":{"type":"Polygon","coordinates":[\(ring)]}}
        """
      let answer = try await web.client.ask("POST", "/api/v1/fences", body: outline)
      #expect(answer.status == 201)
      let path = try #require(answer.headers["location"])
      #expect(try await web.get(path)["active"] == .bool(false))
      let inside = "/api/v1/point-in-fences?lat=46.02&lon=7.08"
      #expect(try await web.get(inside).items.isEmpty)
      #expect(try await web.status("POST", path + "/activate") == 204)
      #expect(try await web.get(inside).items[0]["name"].word == "Plume")
      #expect(try await web.get("/api/v1/point-in-fences?lat=46.09&lon=7.01").items.isEmpty)
      #expect(try await web.status("POST", path + "/deactivate") == 204)
      #expect(try await web.status("DELETE", path) == 204)
      #expect(try await web.status("GET", path) == 404)
    }
  }

  @Test func `command issues directives, and answers for others`() async throws {
    try await WebStage.run { web in
      let id = try await web.make(
        "/api/v1/directives",
        .object(["kind": .string("rollcall"), "users": .strings(["Anna"])]))
      let path = "/api/v1/directives/\(id)"
      #expect(try await web.get(path)["unaccounted"] == .strings(["Anna"]))
      #expect(try await web.status("POST", path + "/acknowledgements", "{\"user\":\"Zoe\"}") == 422)
      #expect(
        try await web.status("POST", path + "/acknowledgements", "{\"note\":\"here\"}") == 204)
      #expect(try await web.get(path)["unaccounted"] == .array([]))
      #expect(try await web.status("POST", path + "/close") == 204)
      #expect(
        try await web.status("PUT", "/api/v1/users/Anna/override", "{\"safety\":\"help\"}") == 204)
      #expect(try await web.get("/api/v1/users/Anna")["safety"].word == "unsafe")
      #expect(try await web.status("DELETE", "/api/v1/users/Anna/override") == 204)
      #expect(try await web.status("PUT", "/api/v1/users/Anna/team", "{\"team\":\"North\"}") == 204)
      #expect(try await web.get("/api/v1/users/Anna")["team"].word == "North")
      #expect(try await web.status("PUT", "/api/v1/users/Zoe/team", "{\"team\":\"North\"}") == 404)
    }
  }

  @Test(arguments: [
    ("{\"title\":\"x\",\"colour\":1}", 400, "the member colour is unknown"),
    ("{\"title\":1}", 400, "a text is expected"), ("{}", 400, "title is missing"),
    ("[]", 400, "an object is expected"), ("{\"title\":\"x\"", 400, "not JSON"),
    ("{\"title\":\"x\",\"title\":\"y\"}", 400, "twice"), ("", 400, "not JSON"),
    ("{\"title\":\"x\",\"severity\":6}", 400, "from 1 to 5"),
    ("{\"title\":\"x\",\"severity\":2.5}", 400, "from 1 to 5"),
    ("{\"title\":\"x\",\"severity\":1e99}", 400, "from 1 to 5"),
    ("{\"title\":\"x\",\"lat\":1}", 400, "requires lon"),
    ("{\"title\":\"x\",\"lat\":91,\"lon\":0}", 400, "from -90"),
    ("{\"title\":\"x\",\"lat\":NaN,\"lon\":0}", 400, "a number is expected"),
    ("{\"title\":\"x\",\"category\":\"Fire\"}", 400, "one of: "),
    ("{\"title\":\"a\\u0000b\"}", 400, "control character"),
    ("{\"title\":\"\\ud800\"}", 400, "half of an escaped pair"),
    ("{\"title\":\" \"}", 422, "is empty"),
    ("{\"title\":\"\(String(repeating: "é", count: 150))\"}", 422, "at most 200"),
    ("{\"title\":\"\(String(repeating: "a", count: 201))\"}", 400, "at most 200"),
    (String(repeating: "[", count: 5000), 400, "nested"),
  ])
  func `invalid requests are rejected, with a remedy`(
    body: String, status: Int, words: String
  ) async throws {
    try await WebStage.run { web in
      let answer = try await web.client.ask("POST", "/api/v1/reports", body: body)
      #expect(answer.status == status, "\(answer)")
      #expect(answer.headers["content-type"] == "application/problem+json")
      let problem = answer.json
      #expect(problem["status"] == .count(status))
      #expect(problem["detail"].word?.contains(words) == true, "\(answer)")
      #expect(try await web.get("/api/v1/reports").items.isEmpty)
    }
  }

  @Test func `sizes and kinds of requests are bounded`() async throws {
    try await WebStage.run { web in
      let long = "{\"title\":\"\(String(repeating: "a", count: RequestLimits.bodyBytes))\"}"
      #expect(try await web.status("POST", "/api/v1/reports", long) == 413)
      let form = ["Content-Type": "text/plain"]
      #expect(try await web.status("POST", "/api/v1/reports", "{\"title\":\"x\"}", form) == 415)
      #expect(
        try await web.status("GET", "/api/v1/users?" + String(repeating: "a", count: 5000)) == 414)
      #expect(try await web.status("GET", "/api/v1/..%2f..%2fetc%2fpasswd") == 404)
      #expect(try await web.status("GET", "/api/v1/users/%ff") == 404)
      let other = try await web.client.ask("PUT", "/api/v1/reports", body: "{}")
      #expect(other.status == 405 && other.headers["allow"] == "GET, HEAD, POST")
      #expect(try await web.get("/api/v1/reports").items.isEmpty)
    }
  }

  @Test func `an observer reads, and its writes are rejected`() async throws {
    try await WebStage.run(role: .observer) { web in
      for (method, path, body) in [
        ("POST", "/api/v1/reports", "{\"title\":\"x\"}"),
        (
          "POST", "/api/v1/fences",
          "{\"name\":\"x\",\"circle\":{\"lat\":1,\"lon\":1,\"radiusMetres\":9}}"
        ),
        ("POST", "/api/v1/directives", "{\"kind\":\"rollcall\"}"),
      ] {
        let answer = try await web.client.ask(method, path, body: body)
        #expect(answer.status == 403, "\(path): \(answer)")
        #expect(answer.json["detail"].word?.contains("role is observer") == true, "\(answer)")
      }
      #expect(try await web.get("/api/v1/status")["reports"] == .count(0))
    }
  }
}
