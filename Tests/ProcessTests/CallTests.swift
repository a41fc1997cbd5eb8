import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  @Suite struct CallTests {
    @Test func `muster sos follows a call until command saw it, and an answer arrives`()
      async throws
    {
      try await Field.run { field in
        // Given Ben, who reaches Anna's command post through Cleo
        let anna = try await field.founder("Anna")
        let annasNode = try await anna.run()
        let cleo = try await field.joiner("Cleo", inviting: anna)
        let ben = try await field.joiner("Ben", inviting: anna)
        let cleosNode = try await cleo.run(peers: [annasNode])
        _ = try await ben.run(peers: [cleosNode])

        // When Ben calls, and a member acknowledges
        let caller = try ben.begin(["sos", "--note", "Broken leg", "--utc"])
        try await eventually("the call is at command") {
          try caller.written.contains("at command")
        }
        func isRaised(at laptop: Laptop) async throws -> Bool {
          try await laptop.ask("alert", "list").items.contains {
            $0["kind"] == .string("help") && $0["acknowledgedBy"] == .null
          }
        }
        try await eventually("Cleo has the alert") { try await isRaised(at: cleo) }
        try await cleo.send("alert", "ack", "help")
        try await eventually("Ben sees the member") {
          try caller.written.contains("seen by Cleo (member)")
        }
        #expect(caller.isRunning, "a member is not command")
        #expect(try await isRaised(at: anna), "a member silences no command device")

        // Then command's answer acknowledges the call, and ends the command
        let sent = try await anna.send("alert", "ack", "help", "--answer", "Helicopter in 20 min")
        #expect(sent.contains("answer sent"), "\(sent)")
        let ended = try await caller.end(within: .seconds(60))
        #expect(ended.status == 0 && ended.output.contains("seen by Anna (command), "), "\(ended)")
        #expect(ended.output.contains("Anna: Helicopter in 20 min"), "\(ended)")
        let longest = ended.output.split(separator: "\n").map(\.count).max() ?? 0
        #expect(longest <= 80, "\(ended.output)")
        let screen = try await ben.send("watch", "--once")
        #expect(screen.contains("your call for help: seen by Anna (command)"), "\(screen)")

        // And the end of the call is its caller's
        let over = try await ben.attempt("sos", "--cancel")
        #expect(over.status == 0 && over.output.contains("SAFE"), "\(over)")
        let again = try await ben.attempt("sos", "--no-wait", "--json")
        #expect(again.status == 0 && again.output.isEmpty, "\(again)")
        let json = try ben.begin(["sos", "--json"])
        try await eventually("JSON has one object a line") {
          let first = try json.written.split(separator: "\n").first
          return first?.contains("\"state\"") == true && first?.contains("\"seenBy\":[]") == true
        }
        try await ben.attempt("sos", "--cancel")
        let last = try await json.end(within: .seconds(60))
        #expect(last.output.hasSuffix("{\"state\":\"ended\"}\n"), "\(last)")
      }
    }
  }
}
