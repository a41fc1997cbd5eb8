import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  /// Check-ins with PINs on real laptops (decision 0047).
  @Suite struct DuressTests {
    @Test func `a forced check-in prints what any other does, and alarms command alone`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let annasNode = try await anna.run()
        let ben = try await field.joiner("Ben", inviting: anna)
        _ = try await ben.run(peers: [annasNode])
        let cleo = try await field.joiner("Cleo", inviting: anna)
        _ = try await cleo.run(peers: [annasNode])
        try await inStep(anna, ben, cleo) { $0["users"] == .number(3) }

        let both = try field.file("pins", "258013\n258014\n")
        let usual = try field.file("usual", "258013\n")
        let duress = try field.file("duress", "258014\n")
        let wrong = try field.file("wrong", "258015\n")
        try await ben.send("checkin", "pin", "set", "--from", both)
        try await ben.send("checkin", "start", "--every", "20m", "--pin-file", usual)
        try await ben.attempt("checkin", "ok", "--pin-file", wrong)
          .expectRefusal(containing: "the PIN is wrong")
        try await inStep(anna, ben, cleo)
        #expect(try await alarms(at: anna) == 0)

        let printed = try await ben.send("checkin", "ok", "--pin-file", usual)
        #expect(try await ben.send("checkin", "ok", "--pin-file", duress) == printed)
        try await eventually("Anna is alarmed") { try await alarms(at: anna) == 1 }
        try await inStep(anna, ben, cleo)
        for laptop in [ben, cleo] { #expect(try await alarms(at: laptop) == 0) }
        #expect(try await status(of: "Ben", at: anna) == "mayday")
        for laptop in [ben, cleo] {
          #expect(try await status(of: "Ben", at: laptop) != "mayday")
        }
        #expect(!(try await anna.send("export", "--format", "csv")).contains("duress"))

        try await cleo.attempt("checkin", "clear", "Ben").expectRefusal(
          containing: "requires command")
        try await anna.send("checkin", "clear", "Ben")
        #expect(try await alarms(at: anna) == 0)
        try await ben.send("checkin", "pin", "remove", "--pin-file", duress)
        try await ben.send("checkin", "ok")
        for laptop in [anna, ben, cleo] { try await laptop.requireSound() }
      }
    }

    /// What a laptop's page gets, as its program asks for it.
    private struct Page {
      let port: UInt16
      let token: String

      init(of laptop: Laptop, _ node: RunningNode) async throws {
        var port: UInt16?
        try await eventually("the dashboard is served") {
          let line = try node.child.complaints.firstMatch(
            of: /phones on http:\/\/127.0.0.1:(\d+)/)
          port = line.flatMap { UInt16($0.1) }
          return port != nil
        }
        self.port = port ?? 0
        token = try laptop.httpToken()
      }

      func ask(_ path: String, _ body: String? = nil) throws -> HTTPExchange.Answer {
        try HTTPExchange.request(
          port, path, body: body,
          headers: ["Authorization": "Bearer \(token)", "Content-Type": "application/json"])
      }

      /// All that can hold an answer, an alert, a text or a sign that a call was seen.
      func answers() throws -> [String] {
        let paths = [
          "me/call", "alerts", "directives", "directives?state=all", "unverified-calls?state=all",
        ]
        return try paths.map { "\($0): \(try ask("/api/v1/\($0)").body)" }
      }
    }

    @Test func `a call under duress has no way back by any route or stream, whatever command does`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let annas = try await anna.run(peers: [], "--http", "127.0.0.1:0")
        let ben = try await field.joiner("Ben", inviting: anna)
        let bens = try await ben.run(peers: [annas], "--http", "127.0.0.1:0")
        let cleo = try await field.joiner("Cleo", inviting: anna)
        let cleos = try await cleo.run(peers: [annas], "--http", "127.0.0.1:0")
        try await inStep(anna, ben, cleo) { $0["users"] == .number(3) }
        let own = try await Page(of: ben, bens)
        let other = try await Page(of: cleo, cleos)
        let command = try await Page(of: anna, annas)

        let both = try field.file("pins", "258013\n258014\n")
        let usual = try field.file("usual", "258013\n")
        try await ben.send("checkin", "pin", "set", "--from", both)
        try await ben.send("checkin", "start", "--every", "20m", "--pin-file", usual)
        func checkIn(_ pin: String) throws -> HTTPExchange.Answer {
          try own.ask("/api/v1/checkins/report", "{\"kind\":\"ok\",\"pin\":\"\(pin)\"}")
        }
        let ordinary = try checkIn("258013")
        let forced = try checkIn("258014")
        #expect(ordinary.status == 204 && forced.status == 204 && ordinary.body == forced.body)
        try await eventually("Anna is alarmed") { try await alarms(at: anna) == 1 }
        try await inStep(anna, ben, cleo)

        let before = try (own.answers(), other.answers())
        let sets = "reports,fences,events,directives,alerts,records,proximity"
        let streams = try [own, other].map {
          try EventRecording(of: sets, on: $0.port, token: $0.token)
        }
        defer { streams.forEach { $0.end() } }
        try await eventually("both streams are open") {
          streams.allSatisfy { $0.text.contains("text/event-stream") }
        }
        // Given command that does all it can about the alert
        let alert = try #require(
          try await anna.ask("alert", "list").items.first { $0["kind"].text == "duress" })
        let id = alert["id"].text ?? ""
        let answer = try command.ask(
          "/api/v1/alerts/\(id)/acknowledge", "{\"person\":true,\"answer\":\"We come\"}")
        #expect((400..<500).contains(answer.status), "\(answer)")
        try await anna.attempt("alert", "ack", id, "--answer", "We come").expectRefusal(
          containing: "duress")
        #expect(
          try command.ask("/api/v1/alerts/\(id)/acknowledge", "{\"person\":true}").status == 204)
        try await anna.send("checkin", "clear", "Ben")
        // A report follows whatever was sent before it.
        try await anna.send("report", "add", "--title", "Marker")
        try await inStep(anna, ben, cleo)
        try await eventually("the streams have the report") {
          streams.allSatisfy { $0.text.contains("\"dataset\":\"reports\"") }
        }
        #expect(try own.answers() == before.0)
        #expect(try other.answers() == before.1)
        for stream in streams {
          let sets = stream.text.matches(of: /"dataset":"([a-z]+)"/).map { String($0.1) }
          #expect(Set(sets) == ["reports"], "\(stream.text)")
        }
        for laptop in [anna, ben, cleo] { try await laptop.requireSound() }
      }
    }

    private func alarms(at laptop: Laptop) async throws -> Int {
      try await laptop.ask("alert", "list").items.count { $0["kind"].text == "duress" }
    }

    private func status(of callsign: String, at laptop: Laptop) async throws -> String? {
      try await laptop.ask("user", "list").items.first { $0["callsign"].text == callsign }?[
        "status"
      ].text
    }
  }
}
