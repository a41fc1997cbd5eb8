import Testing

import MusterInterchange

@Suite struct `An invite URL` {
  @Test func `returns the encoded bytes`() throws {
    for count in 1...40 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 250) }
      let text = InvitationURL(bytes).text
      let parsed = try InvitationURL(parsing: text)
      #expect(parsed.invitation == bytes)
      #expect(!text.contains { "+=".contains($0) })
    }
  }

  @Test func `is base64url without padding`() {
    let url = InvitationURL([0xFB, 0xFF, 0xFE, 0x00])
    #expect(url.text == "muster://join/-__-AA")
    #expect("\(url)" == "redacted")
  }

  @Test func `survives the line breaks of a mail program`() throws {
    let url = try InvitationURL(parsing: " MUSTER://join/-__\n-AA\n")
    #expect(url.invitation == [0xFB, 0xFF, 0xFE, 0x00])
  }

  @Test func `is a link for cameras too, which is read like the URL`() throws {
    let url = InvitationURL([0xFB, 0xFF, 0xFE, 0x00])
    let link = try #require(url.link(at: "https://10.0.0.5:7443", role: .member))
    #expect(link == "https://10.0.0.5:7443/join#invite=-__-AA")
    for text in [
      link, link.replacing("https", with: "HTTPS"), link.replacing("-AA", with: "\n-AA"),
    ] {
      #expect(try InvitationURL(parsing: text) == url)
    }
    // Who has the rights of command has Muster: no browser is given such an invite.
    #expect(url.link(at: "https://10.0.0.5:7443", role: .command) == nil)
  }

  @Test(arguments: [
    "https://10.0.0.5:7443/join#invite=", "https://10.0.0.5:7443/join?invite=AAAA",
    "http://10.0.0.5:7443/join#invite=AAAA", "https://10.0.0.5:7443/join#invite=A&AA",
    "", "join", "https://join/AAAA", "muster://join/", "muster://join/A", "muster://join/AA+A",
    "muster://join/AAé", "muster://join/AA=", "muster://other/AAAA",
    "muster://join/" + String(repeating: "A", count: 4000),
  ])
  func `is rejected with a reason if it is malformed`(text: String) {
    #expect {
      try InvitationURL(parsing: text)
    } throws: { "\($0)".contains("invite URL") }
  }
}
