import Testing

@testable import MusterHTTP

struct AccessRuleTests {
  private let trusting = AccessRule(.trusted)
  private let local = AccessRule(.local(token: "s3cret"))
  private let open = AccessRule(.phones(token: "s3cret"))

  @Test(arguments: [
    "127.0.0.1:7480", "127.0.0.1", "localhost:7480", "LOCALHOST", "[::1]:7480", "[::1]",
    "127.1.2.3:80",
  ])
  func `requests for this machine's own name are allowed on a loopback address`(host: String) {
    #expect(trusting.judge(path: "/owntracks", .init(host: host)) == .allowed(path: "/owntracks"))
    let path = "/s3cret/owntracks"
    #expect(local.judge(path: path, .init(host: host)) == .allowed(path: "/owntracks"))
  }

  @Test(arguments: [
    nil, "", "evil.example", "evil.example:7480", "127.0.0.1.evil.example", "127.evil.example.x",
    "localhost.evil.example", "10.0.0.1", "[::2]:7480", "::1", "127.0.0.1:7480:evil", "127.0.0.256",
  ])
  func `requests for another name are rejected`(host: String?) {
    #expect(trusting.judge(path: "/", .init(host: host)) == .forbidden)
    let knowing = AccessRule.Headers(host: host, authorization: "Bearer s3cret")
    #expect(local.judge(path: "/s3cret/", knowing) == .forbidden)
    #expect(local.judgeProgram(path: "/api/v1/users", knowing) == .forbidden)
  }

  @Test func `a web page of another site is rejected, with any credentials`() {
    for rule in [trusting, local, open] {
      let page = AccessRule.Headers(host: "127.0.0.1:7480", origin: "https://evil.example")
      #expect(rule.judge(path: "/s3cret/", page) == .forbidden)
      for site in ["cross-site", "same-site", "same-origin"] {
        let image = AccessRule.Headers(host: "127.0.0.1:7480", fetchSite: site)
        #expect(rule.judge(path: "/s3cret/", image) == .forbidden)
      }
    }
    let typed = AccessRule.Headers(host: "localhost", fetchSite: "none")
    #expect(trusting.judge(path: "/", typed) == .allowed(path: "/"))
  }

  @Test func `the token may be the first part of the path or a password`() {
    let phone = AccessRule.Headers(host: "10.0.0.1:7480")
    #expect(open.judge(path: "/s3cret", phone) == .allowed(path: "/"))
    #expect(open.judge(path: "/s3cret/", phone) == .allowed(path: "/"))
    #expect(open.judge(path: "/s3cret/owntracks", phone) == .allowed(path: "/owntracks"))
    // mia:s3cret
    let basic = AccessRule.Headers(host: "10.0.0.1", authorization: "Basic bWlhOnMzY3JldA==")
    #expect(open.judge(path: "/owntracks", basic) == .allowed(path: "/owntracks"))
  }

  @Test(arguments: [
    "/", "/owntracks", "/s3cre", "/s3crets", "/S3CRET", "//s3cret", "", "s3cret/", "/x/s3cret",
  ])
  func `requests without the token are rejected`(path: String) {
    let phone = AccessRule.Headers(host: "127.0.0.1:7480")
    #expect(open.judge(path: path, phone) == .unauthorized)
    #expect(local.judge(path: path, phone) == .unauthorized)
  }

  @Test(arguments: [
    "Basic bWlhOnMzY3JldA", "Basic", "Basic ", "Bearer s3cret", "Basic czNjcmV0", "Basic ////",
    "Basic bWlhOndyb25n",
  ])
  func `a wrong password is rejected`(authorization: String) {
    let phone = AccessRule.Headers(host: "10.0.0.1", authorization: authorization)
    #expect(open.judge(path: "/owntracks", phone) == .unauthorized)
  }

  @Test func `a program on this machine sends the token, or a cookie derived from it`() throws {
    func verdict(_ headers: AccessRule.Headers) -> AccessRule.Verdict {
      local.judgeProgram(path: "/api/v1/users", headers)
    }
    let host = "127.0.0.1:7480"
    #expect(verdict(.init(host: host)) == .unauthorized)
    for wrong in ["Bearer s3cre", "Bearer s3crets", "Bearer", "s3cret", "Basic bWlhOnMzY3JldA=="] {
      #expect(verdict(.init(host: host, authorization: wrong)) == .unauthorized, "\(wrong)")
    }
    let allowed = AccessRule.Verdict.allowed(path: "/api/v1/users")
    #expect(verdict(.init(host: host, authorization: "bearer s3cret")) == allowed)
    let cookie = try #require(local.setCookie(.init(host: host)))
    #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict") && !cookie.contains("s3cret"))
    let pair = String(cookie.prefix { $0 != ";" })
    #expect(verdict(.init(host: host, cookies: ["a=b; \(pair)"])) == allowed)
    // A cookie of another port of this machine, where another node may listen.
    #expect(verdict(.init(host: "127.0.0.1:7481", cookies: [pair])) == .unauthorized)
    let other = AccessRule(.local(token: "s3cres"))
    #expect(
      other.judgeProgram(path: "/", .init(host: host, cookies: [pair])) == .unauthorized)
    // A page of another port has the cookie too; the browser sends its origin.
    let page = AccessRule.Headers(
      host: host, origin: "http://127.0.0.1:8000", fetchSite: "same-site", cookies: [pair])
    #expect(verdict(page) == .forbidden)
  }

  @Test func `with a trusted machine its programs need no credentials`() {
    let bare = AccessRule.Headers(host: "127.0.0.1:7480")
    #expect(trusting.judgeProgram(path: "/metrics", bare) == .allowed(path: "/metrics"))
    #expect(trusting.setCookie(bare) == nil)
    #expect(open.judgeProgram(path: "/metrics", bare) == .forbidden)
  }
}
