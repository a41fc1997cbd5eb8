import Foundation
import MusterNode
import class MusterTestKit.TemporaryFolder
import Testing

@testable import MusterHTTP

@Suite struct `The token of the loopback listener` {
  private static let token = "00112233445566778899aabbccddeeff"

  @Test func `is required on every route except the page's files and the probes`() async throws {
    try await WebStage.run(access: .local(token: Self.token)) { web in
      let bearer = ["Authorization": "Bearer \(Self.token)"]
      for path in ["/api/v1/users", "/api/v1/stream", "/openapi.json", "/metrics", "/tiles/1/0/0"] {
        let bare = try await web.client.ask("GET", path)
        #expect(bare.status == 401, "\(path)")
        #expect(bare.headers["www-authenticate"] == "Bearer realm=\"muster\"")
        #expect(bare.headers["content-type"] == "application/problem+json")
        guard path != "/api/v1/stream" else { continue }
        #expect(try await web.status("GET", path, nil, bearer) != 401, "\(path)")
      }
      #expect(try await web.status("POST", "/api/v1/reports", "{\"title\":\"x\"}") == 401)
      #expect(try await web.status("POST", "/api/v1/reports", "{\"title\":\"x\"}", bearer) == 201)
      for path in ["/healthz", "/readyz", "/dashboard/js/main.js"] {
        #expect(try await web.status("GET", path) == 200, "\(path)")
      }
      let foreign = bearer.merging(["Origin": "http://evil.example"]) { $1 }
      #expect(try await web.status("GET", "/api/v1/users", nil, foreign) == 403)
    }
  }

  @Test func `is exchanged for a cookie by the printed address`() async throws {
    try await WebStage.run(access: .local(token: Self.token)) { web in
      let link = try await web.client.ask("GET", "/?token=\(Self.token)")
      #expect(link.status == 303 && link.headers["location"] == "/")
      #expect(link.headers["cache-control"] == "no-store")
      let cookie = try #require(link.headers["set-cookie"])
      #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
      #expect(cookie.hasPrefix("muster-\(web.port)=") && !cookie.contains(Self.token))
      let kept = ["Cookie": String(cookie.prefix { $0 != ";" })]
      #expect(try await web.status("GET", "/", nil, kept) == 200)
      #expect(try await web.status("GET", "/api/v1/users", nil, kept) == 200)
      let page = kept.merging(["Origin": "http://evil.example"]) { $1 }
      #expect(try await web.status("GET", "/api/v1/users", nil, page) == 403)
    }
  }

  @Test func `is explained to a browser without it`() async throws {
    try await WebStage.run(access: .local(token: Self.token)) { web in
      for path in ["/", "/?token=", "/?token=ffff"] {
        let page = try await web.client.ask("GET", path)
        #expect(page.status == 401, "\(path)")
        #expect(page.body.contains("muster run") && page.body.contains("run/http-token"))
        #expect(page.headers["set-cookie"] == nil && page.headers["cache-control"] == "no-store")
      }
      let page = try await web.client.ask("GET", "/", headers: ["Accept-Language": "pt-PT,pt"])
      #expect(page.body.contains("Chave"))
    }
  }

  @Test func `is required of phones too, in the path or as a password`() async throws {
    try await WebStage.run(access: .local(token: Self.token)) { web in
      let query = "?id=truck&lat=46.5&lon=7.5"
      let bare = try await web.status("GET", "/\(query)")
      #expect(bare == 401)
      #expect(try await web.status("GET", "/\(Self.token)/\(query)") == 200)
      let basic = Data("mia:\(Self.token)".utf8).base64EncodedString()
      let headers = ["Authorization": "Basic \(basic)"]
      #expect(try await web.status("GET", "/?id=b&lat=46.5&lon=7.5", nil, headers) == 200)
    }
  }

  @Test func `is not required if the user trusts the machine`() async throws {
    try await WebStage.run { web in
      let link = try await web.client.ask("GET", "/?token=whatever")
      #expect(link.status == 303 && link.headers["set-cookie"] == nil)
      #expect(try await web.status("GET", "/") == 200)
    }
  }

  @Test func `is kept over restarts, for this user only`() throws {
    try Self.inFolder { folder in
      let first = try LocalToken(in: folder)
      #expect(first.text.utf8.count == 32)
      #expect(try Self.text(in: folder) == first.text)
      let facts = try FileManager.default.attributesOfItem(atPath: first.path)
      #expect(facts[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test func `is replaced if other users could have read or planted it`() throws {
    try Self.inFolder { folder in
      let first = try LocalToken(in: folder)
      let files = FileManager.default
      try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: first.path)
      let second = try LocalToken(in: folder)
      #expect(second.text != first.text)
      try files.removeItem(atPath: first.path)
      let elsewhere = folder + "/elsewhere"
      try (first.text + "\n").write(toFile: elsewhere, atomically: true, encoding: .utf8)
      try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: elsewhere)
      try files.createSymbolicLink(atPath: first.path, withDestinationPath: elsewhere)
      #expect(try Self.text(in: folder) != first.text)
      for damaged in ["", "short", String(repeating: "x", count: 32), first.text + first.text] {
        try damaged.write(toFile: first.path, atomically: false, encoding: .utf8)
        #expect(try Self.text(in: folder).utf8.count == 32)
      }
    }
  }

  @Test func `cannot be created in an unwritable folder`() {
    #expect(throws: PrivateFileFault.self) { try LocalToken(in: "/proc/nothing") }
  }

  @Test func `a port in use is skipped for the next free one`() async throws {
    try await WebStage.run { first in
      try await WebStage.run(whenTaken: .useNext, port: first.port) { second in
        #expect(second.port != first.port)
        let status = try await second.status("GET", "/healthz")
        #expect(status == 200)
      }
    }
  }

  private static func text(in folder: String) throws -> String {
    try LocalToken(in: folder).text
  }

  private static func inFolder(_ story: (String) throws -> Void) throws {
    let folder = try TemporaryFolder()
    try story(folder.url.path)
  }
}
