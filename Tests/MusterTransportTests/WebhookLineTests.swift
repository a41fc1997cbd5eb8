import Testing

@testable import MusterTransport

@Suite struct `Where events are posted to` {
  @Test func `a signature is that of Standard Webhooks' published example`() {
    let key = WebhookLine.key(of: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    let text = "msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{\"test\": 2432232314}"
    #expect(
      WebhookLine.signature(of: text, by: key)
        == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    #expect(WebhookLine.key(of: "a plain secret") == Array("a plain secret".utf8))
  }

  @Test func `an address is shown without what may be a secret in it`() throws {
    let address = try WebhookAddress(parsing: "https://board.example:8443/hook?token=abc")
    #expect(address.shown == "https://board.example:8443/hook" && address.host == "board.example")
    #expect(address.url.hasSuffix("token=abc"))
    #expect(!"\(address) \(String(reflecting: [address]))".contains("abc"))
  }

  @Test func `a fault of TLS names no folder of the machine that built the program`() {
    let text =
      "handshakeFailed(NIOSSL.BoringSSLError.sslError([Error: 268436504 error:10000418:SSL "
      + "routines:OPENSSL_internal:TLSV1_ALERT_UNKNOWN_CA at /home/ci/muster/tls record.cc:486, "
      + "Error: 5 at /a.cc:1]))"
    #expect(
      UplinkFailureText.withoutSources(text)
        == "handshakeFailed(NIOSSL.BoringSSLError.sslError([Error: 268436504 error:10000418:SSL "
        + "routines:OPENSSL_internal:TLSV1_ALERT_UNKNOWN_CA, Error: 5]))")
  }

  @Test(arguments: [
    "", "board.example/hook", "ftp://board.example/", "https://", "https:///hook", "file:///etc",
    "https://me:word@board.example/", "https://board.example/#part", "https://board .example/",
    "https://board.example:70000/", "http://böard.example/",
    "https://board.example/" + String(repeating: "x", count: 3000),
  ])
  func `what is no address of HTTP is refused`(text: String) {
    #expect(throws: WebhookAddress.Fault.self) { try WebhookAddress(parsing: text) }
  }
}
