import MusterInterchange
import Testing

@testable import MusterHTTP

@Suite struct `The roster over HTTP` {
  private static let path = "/api/v1/roster"

  @Test func `a file is added, an arrival stated and withdrawn, a person removed`() async throws {
    try await WebStage.run { web in
      let body = "name;team;role;phone\nRui;North;member;112\n;;;113\nMia"
      #expect(try await web.status("POST", Self.path, body) == 200)
      let listed = try await web.get(Self.path).items
      #expect(listed.map { $0["name"].word } == ["Mia", "Rui"])
      #expect(listed[1]["phone"].word == "112" && listed[1]["hasArrived"] == .bool(false))
      let one = "\(Self.path)/\(listed[1]["id"].word ?? "")"
      #expect(try await web.status("PUT", "\(one)/arrival", "{\"person\":\"abcd\"}") == 422)
      #expect(try await web.status("PUT", "\(one)/arrival", "{}") == 204)
      #expect(try await web.get(Self.path).items[1]["hasArrived"] == .bool(true))
      #expect(try await web.status("DELETE", "\(one)/arrival") == 204)
      #expect(try await web.status("DELETE", one) == 204)
      #expect(try await web.status("DELETE", one) == 404)
      #expect(try await web.get(Self.path).items.count == 1)
      #expect(try await web.status("POST", Self.path, "\n") == 422)
    }
  }

  @Test func `only command changes the roster`() async throws {
    try await WebStage.run(role: .member) { web in
      let status = try await web.status("POST", Self.path, "Rui")
      #expect(status == 403)
    }
  }
}
