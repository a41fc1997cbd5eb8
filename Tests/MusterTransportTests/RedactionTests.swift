import MusterModel
import Testing

@testable import MusterTransport

@Suite struct `Secrets of connections` {
  private func texts(_ value: some Any) -> [String] {
    var dumped = ""
    dump([value], to: &dumped)
    return ["\(value)", String(reflecting: value), "\([value])", dumped]
  }

  @Test func `a proxy shows no password, not even in an error`() throws {
    let proxy = try UplinkProxy("http://user:PASSWORD@proxy.example:3128", except: "")
    for text in texts(proxy) { #expect(!text.contains("PASSWORD")) }
    for wrong in [
      "http://user:PASSWORD@proxy.example", "https://user:PASSWORD@proxy.example:1",
      "user:PASSWORD@proxy.example:0", "http://user:PASS@WORD@proxy.example:x",
    ] {
      #expect {
        try UplinkProxy(wrong, except: "")
      } throws: { error in
        let text = "\(error) \(String(reflecting: error))"
        return text.contains("proxy.example") && !text.contains("PASS") && !text.contains("user")
      }
    }
  }

  @Test func `the identities of listeners show no private key`() throws {
    let seed = [UInt8](repeating: 0x17, count: 32)
    let uplinks = try UplinkIdentity(seed: { _ in seed }, named: [])
    var next: UInt8 = 0x20
    let browsers = try BrowserIdentity(
      names: BrowserName.all(of: "127.0.0.1"), now: Timestamp(milliseconds: 0)
    ) {
      next += 1
      return [UInt8](repeating: next, count: 32)
    }
    for text in texts(uplinks) + texts(browsers) {
      #expect(text.contains("redacted") && !text.contains(", 23, 23"))
    }
  }
}
