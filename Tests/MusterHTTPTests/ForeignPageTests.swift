import MusterInterchange
import Testing

@testable import MusterHTTP

/// Row W2: pages of other sites, and DNS rebinding, can neither write nor read.
@Suite struct `Pages of other sites` {
  private static func disguises(_ port: Int) -> [[String: String]] {
    [
      ["Origin": "http://evil.example"], ["Origin": "null"],
      ["Origin": "https://127.0.0.1:\(port)"], ["Origin": "http://127.0.0.1:\(port + 1)"],
      ["Origin": "http://localhost:\(port)"], ["Origin": "http://127.0.0.1:\(port).evil.example"],
      ["Host": "evil.example"], ["Host": "evil.example:\(port)"],
      ["Host": "127.0.0.1.evil.example"], ["Host": "10.0.0.1:\(port)"],
      ["Host": "evil.example:\(port)", "Origin": "http://evil.example:\(port)"],
      ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
      ["Sec-Fetch-Site": "cross-site", "Origin": "http://127.0.0.1:\(port)"],
    ]
  }

  @Test func `a request that can be read in two ways is rejected`() async throws {
    try await WebStage.run { web in
      let host = "127.0.0.1:\(web.port)"
      // The names of these headers end the line before them.
      for disguise in [
        ["A: 1\r\nHost": "evil.example"], ["A: 1\r\nHost": host],
        ["Transfer-Encoding": "gzip, chunked"], ["Transfer-Encoding": "xchunked"],
        ["Transfer-Encoding": "gzip"],
      ] {
        for path in ["/healthz", "/api/v1/status", "/dashboard/icon.svg", "/?id=a&lat=1&lon=1"] {
          let answer = try await web.client.ask("GET", path, headers: disguise)
          #expect(answer.status == 400, "\(path) \(disguise): \(answer)")
        }
      }
    }
  }

  @Test func `are rejected on every route, with any headers`() async throws {
    try await WebStage.run { web in
      let id = try await web.make("/api/v1/reports", .object(["title": .string("Smoke")]))
      let before = try await web.get("/api/v1/changes")
      var tried = 0
      for route in API.routes where route.method != .get {
        let path = route.path.replacing("{id}", with: id)
        for disguise in Self.disguises(web.port) {
          let answer = try await web.client.ask(
            route.method.rawValue, path, body: "{\"title\":\"x\"}", headers: disguise,
            isRefused: true)
          #expect(answer.status == 403, "\(path) \(disguise): \(answer)")
          #expect(answer.headers["access-control-allow-origin"] == nil)
          tried += 1
        }
      }
      #expect(tried >= 8 * API.routes.count { $0.method != .get })
      for disguise in Self.disguises(web.port) {
        #expect(try await web.status("GET", "/api/v1/users", nil, disguise) == 403)
      }
      #expect(try await web.get("/api/v1/changes") == before)
    }
  }

  @Test func `the node's own page is allowed`() async throws {
    try await WebStage.run { web in
      for host in ["127.0.0.1:\(web.port)", "localhost:\(web.port)", "[::1]:\(web.port)"] {
        let own = ["Host": host, "Origin": "http://\(host)", "Sec-Fetch-Site": "same-origin"]
        let status = try await web.status("PUT", "/api/v1/me/team", "{\"team\":\"A\"}", own)
        #expect(status == 204, "\(host)")
      }
    }
  }

  @Test func `every response forbids scripts, frames and content sniffing`() async throws {
    try await WebStage.run { web in
      for path in ["/api/v1/users", "/api/v1/nothing", "/openapi.json", "/metrics"] {
        let headers = try await web.client.ask("GET", path).headers
        #expect(headers["content-security-policy"]?.contains("default-src 'none'") == true)
        #expect(headers["x-content-type-options"] == "nosniff")
        #expect(headers["cache-control"] == "no-store")
      }
    }
  }

  @Test func `on a public address only trackers are served`() async throws {
    try await WebStage.run(access: .phones(token: "s3cret")) { web in
      for path in ["/api/v1/users", "/s3cret/api/v1/users", "/metrics", "/healthz"] {
        let status = try await web.status("GET", path)
        #expect(status == 403 || status == 404, "\(path): \(status)")
      }
      #expect(try await web.status("GET", "/s3cret/?id=truck&lat=46.5&lon=7.5") == 200)
      #expect(try await web.status("GET", "/?id=truck&lat=46.5&lon=7.5") == 401)
    }
  }

  @Test func `commands of the command line are accepted on the own socket only`() async throws {
    let command = ["Content-Type": "application/json"]
    try await WebStage.run { web in
      for method in ["POST", "GET", "PUT"] {
        let status = try await web.status(method, "/api/v1/commands", "x", command)
        #expect(status == 404)
      }
    }
    try await WebStage.run(access: .phones(token: "s3cret")) { web in
      let bare = try await web.status("POST", "/api/v1/commands", "x", command)
      #expect(bare == 403)
      let status = try await web.status("POST", "/s3cret/api/v1/commands", "x", command)
      #expect(status == 403 || status == 404, "\(status)")
    }
  }
}
