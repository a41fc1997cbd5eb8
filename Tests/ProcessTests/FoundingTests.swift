import Foundation
import Testing

extension ProcessTests {
  @Suite struct FoundingTests {
    @Test func `a killed init can be repeated, or has completed`() async throws {
      try await Field.run { field in
        let start = ContinuousClock.now
        _ = try await field.founder("First")
        let whole = ContinuousClock.now - start
        let rounds = 8
        for round in 0..<rounds {
          let anna = try field.laptop("Anna \(round)")
          let child = try anna.begin(["init", "Flood", "--callsign", "Anna"])
          let moment = ContinuousClock.now + whole * round / rounds
          while ContinuousClock.now < moment { try await Task.sleep(for: .milliseconds(1)) }
          child.endNow()

          let again = try await anna.attempt("init", "Flood", "--callsign", "Anna")
          if again.status != 0 { again.expectRefusal(containing: "already") }
          // The keys are created last, one after the other: rarely only the first exists.
          guard FileManager.default.fileExists(atPath: anna.key.path) else { continue }
          try await anna.requireSound()
          try await anna.send("report", "add", "--title", "Bridge down")
          #expect(try await anna.ask("status")["callsign"] == .string("Anna"))
        }
      }
    }

    @Test func `the remains of an init are removed, but never data whose key is elsewhere`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let hash = try await anna.stateHash()
        let (keys, away) = (anna.home.appending(path: "keys"), field.folder.appending(path: "away"))
        try FileManager.default.moveItem(at: keys, to: away)
        try await anna.attempt("init", "Other", "--callsign", "Eve").expectRefusal(
          containing: "--keys")
        #expect(try await anna.ask("status", "--keys", away.path)["stateHash"].text == hash)

        // As if it had been killed just before the keys were created.
        let mark = anna.home.appending(path: "data/unfinished")
        #expect(!FileManager.default.fileExists(atPath: mark.path))
        try Data().write(to: mark)
        try await anna.send("init", "Other", "--callsign", "Eve")
        #expect(try await anna.ask("status")["operationName"] == .string("Other"))
        try await anna.requireSound()
        #expect(!FileManager.default.fileExists(atPath: mark.path))
      }
    }

    @Test func `a killed join by file can be repeated, and nothing is missing`()
      async throws
    {
      try await Field.run { field in
        let (anna, ben) = (try await field.founder("Anna"), try field.laptop("Ben"))
        let (request, grant) = ("\(field.folder.path)/request", "\(field.folder.path)/grant")
        try await ben.send("join", "--request", request, "--callsign", "Ben")
        try await anna.send("admit", request, "--out", grant)
        let pending = ben.home.appending(path: "keys/pending.key")
        let kept = field.folder.appending(path: "pending.key")
        try FileManager.default.copyItem(at: pending, to: kept)
        try await ben.send("join", "--grant", grant)

        // As if it had been killed just before the device's key existed.
        try FileManager.default.removeItem(at: ben.key)
        try Data().write(to: ben.home.appending(path: "data/unfinished"))
        try FileManager.default.moveItem(at: kept, to: pending)
        try await ben.send("join", "--grant", grant)
        try await ben.requireSound()
        try await ben.send("report", "add", "--title", "Bridge down")
        try await ben.requireSound()
      }
    }
  }
}
