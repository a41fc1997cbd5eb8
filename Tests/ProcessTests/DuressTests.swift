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
