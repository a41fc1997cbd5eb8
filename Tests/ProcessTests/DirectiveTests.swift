import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  @Suite struct DirectiveTests {
    @Test func `a roll call, answers, an override and alerts`() async throws {
      try await Field.run { field in
        // Given Anna and Ben, and a subscriber at Ben's node
        let anna = try await field.founder("Anna")
        let annasNode = try await anna.run()
        let ben = try await field.joiner("Ben", inviting: anna)
        _ = try await ben.run(peers: [annasNode])
        let listener = try ben.begin(["alert", "follow", "--all", "--json"], stays: true)
        let fence = try await anna.send(
          "fence", "add", "--name", "School", "--kind", "muster", "--circle", "48,11,100",
          "--dwell", "30s", "--strict-aws", "--needs", "command")
        try await eventually("Ben has the fence as drawn") {
          let shown = try await ben.ask("fence", "list")[0]
          return shown["dwellSeconds"] == .number(30) && shown["mode"] == .string("strict-aws")
            && shown["needs"] == .string("command")
        }

        // When Anna issues directives
        let short = String(fence.prefix(8))
        let leave = try await anna.send(
          "direct", "evacuate", "--to", short, "--text", "North road", "--deadline", "2s")
        let call = try await anna.send("direct", "rollcall", "--deadline", "10m")
        try await eventually("Ben receives both") {
          try await ben.ask("direct", "list").items.count == 2
        }
        try await ben.attempt("direct", "message", "hello").expectRefusal(containing: "command")
        try await ben.attempt("ack", String(call.prefix(8)), "--for", "Anna")
          .expectRefusal(containing: "command")
        try await eventually("the evacuation is overdue") {
          let shown = try await anna.ask("direct", "show", leave)
          return shown["overdue"] == .bool(true) && shown["unaccounted"] == .array([.string("Ben")])
            && shown["fenceName"] == .string("School")
        }

        // Then all see an answer
        let answered = try await ben.send(
          "ack", String(call.prefix(8)), "--note", "by the river")
        #expect(answered.contains("Still open: evacuate to School ("), "\(answered)")
        try await eventually("Anna sees Ben's answer") {
          let person = try await anna.ask("direct", "show", call)["people"][0]
          return person["state"] == .string("acknowledged")
            && person["reason"] == .string("acknowledged: by the river")
        }
        #expect(try await anna.send("direct", "show", call).contains("Everyone is accounted for"))
        #expect(try await anna.send("direct", "list").contains("overdue"))
        try await anna.send("direct", "close", leave)

        try await words(anna, ben)
        try await alerts(anna, receivedBy: listener)
        let screen = try await ben.send("watch", "--once")
        for word in ["ALERTS", "PEOPLE", "Anna", "ORDERS", "ZONES", "School", "PEERS"] {
          #expect(screen.contains(word), "\(screen)")
        }
        try await ben.attempt("watch").expectRefusal(containing: "terminal")
        try await inStep(anna, ben)
        try await anna.requireSound()
        try await ben.requireSound()
      }
    }

    /// Ben's own report, and Anna's override.
    private func words(_ anna: Laptop, _ ben: Laptop) async throws {
      try await ben.send("user", "status", "help", "--note", "Broken leg")
      try await eventually("Anna has an alert") {
        try await anna.ask("alert", "list").items.contains {
          $0["kind"] == .string("help") && $0["level"] == .string("danger")
        }
      }
      try await anna.send("user", "override", "Ben", "safe", "--note", "in the tent")
      try await eventually("Ben sees Anna's override beside his own report") {
        let users = try await ben.ask("user", "list").items
        let own = users.first { $0["callsign"] == .string("Ben") }
        return own?["safety"] == .string("safe")
          && own?["override"]["callsign"] == .string("Anna")
          && own?["word"]["claim"] == .string("help")
      }
      try await ben.attempt("user", "override", "Anna", "safe").expectRefusal(containing: "command")
      try await anna.send("settings", "set", "--reading", "2s", "--share-track")
      try await eventually("Ben's laptop receives sampling settings") {
        let profile = try await ben.ask("settings", "show")["foreground"]
        return profile["readingSeconds"] == .number(2) && profile["sharesTrack"] == .bool(true)
      }
    }

    private func alerts(_ anna: Laptop, receivedBy listener: Child) async throws {
      try await anna.send("report", "add", "--title", "Dam breaks", "--evacuate")
      try await eventually("Ben receives the evacuation, and the roll call once") {
        let lines = try listener.written.split(separator: "\n")
        let called = lines.count { $0.contains("roll call") && $0.contains("raised") }
        return called == 1 && lines.contains { $0.contains("reports: evacuate. Dam breaks") }
      }
    }
  }
}
