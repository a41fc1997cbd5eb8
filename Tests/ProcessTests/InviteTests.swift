import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  @Suite struct InviteTests {
    @Test func `an invalid invite is refused with the reason, and a valid one works after it`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        _ = try await anna.run()
        let before = try await anna.ask("device", "list").items.count
        let ben = try field.laptop("Ben")

        let short = try await anna.ask("invite", "--expires", "1s")
        let url = try #require(short["url"].text)
        let expires = try #require(short["expires"].text)
        #expect(Set(short.keys) == ["url", "id", "expires", "role"])
        try await eventually("the invite has expired") {
          try Date.now > Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(expires)
        }
        try await ben.attempt("join", url, "--callsign", "Ben").expectRefusal(containing: "expired")
        try await expectNothing(of: ben)

        let once = try #require(try await anna.ask("invite")["url"].text)
        try await field.laptop("Cora").send("join", once, "--callsign", "Cora")
        try await ben.attempt("join", once, "--callsign", "Ben").expectRefusal(
          containing: "used up")
        try await expectNothing(of: ben)
        #expect(try await anna.ask("device", "list").items.count == before + 1)

        let twice = try #require(
          try await anna.ask("invite", "--uses", "2", "--role", "relay")["url"].text)
        let joined = try await ben.ask("join", twice, "--callsign", "Ben")
        #expect(joined["role"] == .string("relay"))
        try await ben.attempt("join", twice, "--callsign", "Ben").expectRefusal(
          containing: "already")
        try await ben.attempt("init", "Other", "--callsign", "Ben")
          .expectRefusal(containing: "already")
        #expect(try await ben.ask("status")["role"] == .string("relay"))
      }
    }

    @Test func `a lost paper is withdrawn, with the devices that joined by it in view`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let node = try await anna.run()
        let made = try await anna.ask("invite", "--uses", "9")
        let paper = try #require(made["url"].text)
        try await field.laptop("Cora").send("join", paper, "--callsign", "Cora")
        let listed = try await anna.ask("invite", "list")[0]
        #expect(listed["id"].text == made["id"].text)
        #expect(try await anna.send("invite", "list").contains("(no callsign yet)"))
        #expect(listed["state"] == .string("open") && listed["usesLeft"] == .number(8))
        let cora = try #require(listed["devices"].items.first?.text)
        let id = try #require(listed["id"].text)

        let words = try await anna.send("invite", "withdraw", String(id.prefix(8)))
        #expect(words.contains("withdrawn") && words.contains(cora.prefix(8)), "\(words)")
        let ben = try field.laptop("Ben")
        try await ben.attempt("join", paper, "--callsign", "Ben")
          .expectRefusal(containing: "withdrawn")
        try await expectNothing(of: ben)
        // It can be listed and withdrawn without a running node too.
        try await node.stop()
        #expect(try await anna.ask("invite", "list")[0]["state"] == .string("withdrawn"))
        let again = try await anna.attempt("invite", "withdraw", id, "--json")
        #expect(again.status == 0 && again.output.contains("withdrawn"))
        // The withdrawal is complete: there is nothing to send.
        #expect(!again.errors.contains("not sent"), "\(again)")
        try await anna.attempt("invite", "withdraw", "00000000").expectRefusal(
          containing: "made no invite")
      }
    }

    @Test func `an invite of a laptop that serves phones has a link, by which laptops join too`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let node = try await anna.run(peers: [], "--serve", "127.0.0.1:0")
        var link = ""
        try await eventually("the listener runs") {
          link = try await anna.ask("invite")["link"].text ?? ""
          return !link.isEmpty
        }
        let code = try #require(link.firstMatch(of: /^https:\/\/.+:\d+\/join#invite=([\w-]+)$/)?.1)
        let ben = try field.laptop("Ben")
        try await ben.send("join", link, "--callsign", "Ben")
        #expect(try !field.complaints.contains(code))
        try await node.stop()
      }
    }

    @Test func `an altered invite never enrols a device`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        _ = try await anna.run()
        let url = try #require(try await anna.ask("invite", "--uses", "9")["url"].text)
        let start = try #require(url.range(of: "join/")).upperBound
        let length = url.distance(from: start, to: url.endIndex)
        let ben = try field.laptop("Ben")
        // The root key, the secret, the name, an address, the expiry.
        for place in [5, length / 3, length / 2, length * 3 / 4, length - 2] {
          let index = url.index(start, offsetBy: place)
          let other = url[index] == "A" ? "B" : "A"
          let altered = url.replacingCharacters(in: index...index, with: other)
          let ended = try await ben.attempt(
            "join", altered, "--callsign", "Ben", "--timeout", "1s")
          #expect(ended.status == 1 || ended.status == 64, "\(ended)")
          #expect(ended.output.isEmpty)
          try await expectNothing(of: ben)
        }
        #expect(try await anna.ask("device", "list").items.count == 1)
        try await ben.attempt("join", "https://example.org", "--callsign", "Ben")
          .expectRefusal(status: 64, containing: "muster://")
        try await ben.send("join", url, "--callsign", "Ben")
      }
    }

    @Test func `without an answer, a join times out and can be retried`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let node = try await anna.run()
        let url = try #require(try await anna.ask("invite")["url"].text)
        try await node.stop()
        try await anna.attempt("invite").expectRefusal(containing: "muster run")

        let ben = try field.laptop("Ben")
        let start = ContinuousClock.now
        let ended = try await ben.attempt("join", url, "--callsign", "Ben", "--timeout", "2s")
        #expect(ContinuousClock.now - start < .seconds(50), "the default is a minute")
        ended.expectRefusal(containing: "no answer")
        try await expectNothing(of: ben)

        _ = try await anna.run(on: node.port)
        try await ben.send("join", url, "--callsign", "Ben")
      }
    }

    /// Requires that the home contains no device.
    private func expectNothing(
      of laptop: Laptop, at place: SourceLocation = #_sourceLocation
    ) async throws {
      #expect(!FileManager.default.fileExists(atPath: laptop.key.path), sourceLocation: place)
      try await laptop.attempt("status").expectRefusal(containing: "muster join", at: place)
    }
  }
}
