import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  @Suite struct ConfirmationTests {
    @Test func `a write waits for a command post, or reports what is missing`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let annasNode = try await anna.run()
        let ben = try await field.joiner("Ben", inviting: anna)

        // Without a node nothing can be confirmed, and nothing is written
        try await ben.attempt("user", "status", "help", "--wait").expectRefusal(
          containing: "--wait")
        #expect(
          try await ben.ask("user", "list").items.allSatisfy { $0["status"] != .string("mayday") })

        // Without waiting it is saved, and not called sent
        let saved = try await ben.send("user", "team", "North")
        #expect(saved.contains("Team set to North · saved; not sent yet"), "\(saved)")

        // Alone, the change is saved, and the command reports what is missing
        try await annasNode.stop()
        _ = try await ben.run()
        let lonely = try await ben.attempt("user", "status", "help", "--wait", "1")
        #expect(lonely.status == 75)
        #expect(lonely.output.contains("NEED HELP · saved; not sent yet: no device in contact"))
        #expect(lonely.errors.contains("not confirmed after 1 s: on 1 of 2 devices"))
        #expect(
          try await ben.ask("user", "list").items.contains { $0["status"] == .string("mayday") })
      }
    }

    @Test func `a confirmed write names the command post`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let annasNode = try await anna.run()
        let ben = try await field.joiner("Ben", inviting: anna)
        _ = try await ben.run(peers: [annasNode])
        let help = try await ben.send("user", "status", "help", "--wait", "60")
        #expect(help.contains("NEED HELP · ") && help.contains("command post ✓"))
        #expect(help.contains("on 2 of 2 devices"))
        let report = try await ben.attempt("report", "add", "--title", "Smoke", "--wait", "60")
        #expect(report.status == 0 && report.output.split(separator: "\n").count == 1)
        #expect(report.errors.contains("Report added · sent to 1 device"))
        #expect(report.errors.contains("command post ✓"))
        let call = try await anna.attempt("direct", "rollcall", "--wait", "60")
        #expect(call.status == 0 && call.errors.contains("on 2 of 2 devices"))
      }
    }
  }
}
