import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  /// Row I9: commanders against one another, with real processes.
  @Suite struct CouncilTests {
    @Test func `a stolen commander votes against both others and is voted out`() async throws {
      try await Field.run { field in
        // Given a founder, two commanders and a member, and a council of the three
        let anna = try field.laptop("Anna")
        let made = try await anna.send("init", "River flood", "--callsign", "Anna", "--council")
        #expect(made.contains("council propose"))
        let annasNode = try await anna.run()
        let ben = try await field.joiner("Ben", inviting: anna, role: "command")
        let bensNode = try await ben.run(peers: [annasNode])
        let cleo = try await field.joiner("Cleo", inviting: anna, role: "command")
        _ = try await cleo.run(peers: [annasNode, bensNode])
        let dan = try await field.joiner("Dan", inviting: anna)
        _ = try await dan.run(peers: [annasNode, bensNode])
        try await inStep(anna, ben, cleo, dan)
        try await ben.attempt("council", "propose", "Anna", "Ben", "Cleo", "--yes")
          .expectRefusal(containing: "there is no council yet")
        let proposed = try await anna.ask("council", "propose", "Anna", "Ben", "Cleo", "--yes")
        #expect(proposed.items.map { $0["counts"] } == [.bool(true)])
        try await eventually("the council has reached everybody") {
          var reached = true
          for laptop in [ben, cleo, dan] {
            reached = try await laptop.ask("council", "status").items.count == 1 && reached
          }
          return reached
        }
        // When a thief of Anna's laptop revokes both others
        let first = try await anna.send("revoke", "Ben", "--yes")
        #expect(first.contains("1 of 2 votes, 1 more needed"), "\(first)")
        _ = try await anna.send("revoke", "Cleo", "--yes")
        try await anna.attempt("revoke", "Ben", "--yes").expectRefusal(containing: "already")
        try await eventually("Ben sees the dispute") {
          try await disputed(at: ben) == ["Ben", "Cleo"]
        }
        // and they vote the thief out
        let second = try await ben.send("revoke", "Anna", "--yes")
        #expect(second.contains("1 of 2 votes, 1 more needed"), "\(second)")
        try await eventually("Cleo has received the vote") {
          try await disputed(at: cleo).contains("Anna")
        }
        let third = try await cleo.send("revoke", "Anna", "--yes")
        #expect(third.contains("Revoked Anna's device"), "\(third)")
        // Then Anna is revoked everywhere and no other, and the device that Anna admitted continues
        for laptop in [ben, cleo, dan] {
          try await eventually("\(laptop.name) shows Anna alone as revoked") {
            try await revoked(at: laptop) == ["Anna"]
          }
        }
        try await dan.send("report", "add", "--title", "Still here")
        let eve = try await field.joiner("Eve", inviting: ben)
        _ = try await eve.run(peers: [bensNode])
        try await inStep(ben, cleo, dan, eve) { $0["reports"] == .number(1) }
        try await ben.requireSound()
        try await dan.requireSound()
        guard try Python.has("nacl") else { return }
        for laptop in [ben, eve] { try await VerifierTests.expectSameState(of: laptop) }
      }
    }

    private func disputed(at laptop: Laptop) async throws -> [String] {
      try await laptop.ask("device", "list").items.filter { $0["disputed"] == .bool(true) }
        .compactMap { $0["callsign"].text }.sorted()
    }

    private func revoked(at laptop: Laptop) async throws -> [String] {
      try await laptop.ask("device", "list").items.filter { $0["isRevoked"] == .bool(true) }
        .compactMap { $0["callsign"].text }.sorted()
    }
  }
}
