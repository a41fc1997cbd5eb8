import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  @Suite struct MeshTests {
    /// `Ben→Cleo` for each link that a laptop knows of.
    private func neighbourLinks(_ laptop: Laptop) async throws -> Set<String> {
      Set(
        try await laptop.ask("peers", "--mesh").items.compactMap { link in
          guard let from = link["fromCallsign"].text, let to = link["toCallsign"].text
          else { return nil }
          return "\(from)→\(to)"
        })
    }

    @Test func `the first of three in a row learns of the link between the others`() async throws {
      try await Field.run { field in
        // Given Ben between Anna and Cleo, who do not have each other's address
        let anna = try await field.founder("Anna")
        let annasNode = try await anna.run()
        let ben = try await field.joiner("Ben", inviting: anna, role: "command")
        let bensNode = try await ben.run(peers: [annasNode])
        try await inStep(anna, ben)
        let cleo = try await field.joiner("Cleo", inviting: ben)
        _ = try await cleo.run(peers: [bensNode])
        // Then all know all links, once they have settled
        let all: Set = ["Anna→Ben", "Ben→Anna", "Ben→Cleo", "Cleo→Ben"]
        for laptop in [anna, ben, cleo] {
          try await eventually("\(laptop.name) knows all links", within: .seconds(180)) {
            // Each query is a separate process.
            try await Task.sleep(for: .seconds(1))
            return try await neighbourLinks(laptop) == all
          }
        }
        let links = try await anna.ask("peers", "--mesh").items
        let far = try #require(links.first { $0["toCallsign"].text == "Cleo" })
        #expect(far["isMutual"] == .bool(true) && far["isCurrent"] == .bool(true))
        #expect(far["path"].text == "unicast" && far["behindFrames"] == .null)
        let table = try await anna.send("peers", "--mesh")
        #expect(table.contains("both ways") && table.contains("unknown"))
      }
    }
  }
}
