import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  @Suite struct DamageTests {
    @Test func `a damaged laptop reports it, keeps the damaged file, and is restored by a peer`()
      async throws
    {
      try await Field.run { field in
        // Given two converged laptops, one of which is switched off
        let anna = try await field.founder("Anna")
        let annasNode = try await anna.run()
        let ben = try await field.joiner("Ben", inviting: anna)
        let bensNode = try await ben.run(peers: [annasNode])
        for number in 1...10 {
          try await anna.send("report", "add", "--title", "Anna's \(number)")
          try await ben.send("report", "add", "--title", "Ben's \(number)")
        }
        try await inStep(anna, ben)
        try await bensNode.stop()

        // When bytes of its database flip
        let database = ben.home.appending(path: "data/muster.sqlite")
        var bytes = try Data(contentsOf: database)
        for page in stride(from: 3, to: bytes.count / 4096, by: 3) {
          bytes[page * 4096 + 2000 + page] ^= 0x40
        }
        try bytes.write(to: database)

        // Then it reports the damage once, and a peer restores the lost data
        let again = try await ben.run(peers: [annasNode])
        let warnings = try again.child.complaints.matches(of: /the database was damaged/)
        #expect(warnings.count == 1)
        try await inStep(anna, ben)
        try await ben.requireSound()
        #expect(try await ben.ask("report", "list").items.count == 20)

        // And the damaged file is kept, readable by its owner only
        let kept = database.path + ".damaged-1"
        #expect(try Data(contentsOf: URL(filePath: kept)) == bytes)
        let mode = try FileManager.default.attributesOfItem(atPath: kept)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        try await ben.send("report", "add", "--title", "After the damage")
        try await inStep(anna, ben)
        try await again.stop()
        try await ben.requireSound()
      }
    }

    @Test func `without peers, lost data is listed`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        for number in 1...5 {
          try await anna.send("report", "add", "--title", "Report \(number)")
        }
        let database = anna.home.appending(path: "data/muster.sqlite")
        try Data().write(to: database)

        let verdict = try await anna.attempt("verify", "--json")
        #expect(verdict.status == 1)
        #expect(verdict.complaint.contains("the database was damaged (the database is gone)"))
        let problems = try verdict.json()["problems"].items.compactMap(\.text)
        #expect(problems.contains { $0.contains("missing from log") }, "\(problems)")
      }
    }

    @Test func `kill -9 during init leaves a complete operation, or none`() async throws {
      try await Field.run { field in
        for round in 0..<8 {
          let laptop = try field.laptop("Founder \(round)")
          let founding = try laptop.begin(["init", "River flood", "--callsign", "Anna"])
          // Not a wait for a condition: the rounds differ in this delay.
          try await Task.sleep(for: .milliseconds(8 * round))
          founding.signal(SIGKILL)
          let ended = try await founding.end(within: .seconds(60))
          if !FileManager.default.fileExists(atPath: laptop.key.path) {
            #expect(ended.status != 0)
            try await laptop.send("init", "River flood", "--callsign", "Anna")
          }
          try await laptop.requireSound()
        }
      }
    }
  }
}
