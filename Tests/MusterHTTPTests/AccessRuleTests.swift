import MusterHTTP
import Testing

struct AccessRuleTests {
  private let local = AccessRule(token: nil)
  private let open = AccessRule(token: "s3cret")

  @Test(arguments: [
    "127.0.0.1:7480", "127.0.0.1", "localhost:7480", "LOCALHOST", "[::1]:7480", "[::1]",
    "127.1.2.3:80",
  ])
  func `whoever means this machine is heard on a loopback address`(host: String) {
    #expect(local.judge(path: "/owntracks", .init(host: host)) == .allowed(path: "/owntracks"))
  }

  @Test(arguments: [
    nil, "", "evil.example", "evil.example:7480", "127.0.0.1.evil.example", "127.evil.example.x",
    "localhost.evil.example", "10.0.0.1", "[::2]:7480", "::1", "127.0.0.1:7480:evil", "127.0.0.256",
  ])
  func `a name that was pointed here is not`(host: String?) {
    #expect(local.judge(path: "/", .init(host: host)) == .forbidden)
  }

  @Test func `a web page is not heard, whatever it knows`() {
    for rule in [local, open] {
      let page = AccessRule.Headers(host: "127.0.0.1:7480", origin: "https://evil.example")
      #expect(rule.judge(path: "/s3cret/", page) == .forbidden)
      for site in ["cross-site", "same-site", "same-origin"] {
        let image = AccessRule.Headers(host: "127.0.0.1:7480", fetchSite: site)
        #expect(rule.judge(path: "/s3cret/", image) == .forbidden)
      }
    }
    let typed = AccessRule.Headers(host: "localhost", fetchSite: "none")
    #expect(local.judge(path: "/", typed) == .allowed(path: "/"))
  }

  @Test func `the token may be the beginning of the path or a password`() {
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
  func `without the token nobody is heard`(path: String) {
    let phone = AccessRule.Headers(host: "127.0.0.1:7480")
    #expect(open.judge(path: path, phone) == .unauthorized)
  }

  @Test(arguments: [
    "Basic bWlhOnMzY3JldA", "Basic", "Basic ", "Bearer s3cret", "Basic czNjcmV0", "Basic ////",
    "Basic bWlhOndyb25n",
  ])
  func `a wrong password is none`(authorization: String) {
    let phone = AccessRule.Headers(host: "10.0.0.1", authorization: authorization)
    #expect(open.judge(path: "/owntracks", phone) == .unauthorized)
  }
}
