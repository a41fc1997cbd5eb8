import Foundation
import Testing

extension NetworkTests {
  @Suite struct ChangeTests {
    @Test func `a laptop that comes back with another address is soon in step again`()
      async throws
    {
      try await Valley.tell { valley in
        let anna = try await valley.founder("Anna")
        let ben = try await valley.joiner("Ben", admittedBy: anna)
        let cora = try await valley.joiner("Cora", admittedBy: anna)
        let wire = try valley.wire(anna, ben, cora)
        for laptop in [anna, ben, cora] { try await laptop.run() }
        try await inStep(anna, ben, cora) { $0["users"] == .number(3) }

        try wire.take(cora)
        var elsewhere: Set<String> = []
        for laptop in [anna, ben] {
          elsewhere.insert(try await laptop.report("While Cora is away, by \(laptop.name)"))
        }
        let own = try await cora.report("While I am away")
        try await inStep(anna, ben) { $0["reports"] == .number(2) }
        try #require(try await cora.reports() == [own])

        try wire.bring(cora, at: 33)
        let taken = try await inStep(anna, ben, cora, within: .seconds(30)) {
          $0["reports"] == .number(3)
        }
        print("in step \(taken.wholeMilliseconds) ms after coming back with another address")
        for laptop in [anna, ben, cora] {
          try #require(try await laptop.reports() == elsewhere.union([own]))
        }
        try await eventually("Anna and Ben reach Cora where she is now") {
          for laptop in [anna, ben] {
            let peers = try await laptop.ask("status")["peers"].items
            let peer = peers.first { $0["callsign"] == .string("Cora") } ?? .null
            if peer["address"] != .string("\(wire.address(33)):7474") { return false }
          }
          return true
        }
      }
    }

    @Test func `two operations on one wire never mix`() async throws {
      try await Valley.tell { valley in
        let anna = try await valley.founder("Anna", of: "River flood")
        let ben = try await valley.joiner("Ben", admittedBy: anna)
        let eve = try await valley.founder("Eve", of: "Forest fire")
        let finn = try await valley.joiner("Finn", admittedBy: eve)
        try valley.wire(anna, ben, eve, finn)
        for laptop in [anna, ben, eve, finn] { try await laptop.run() }

        let flood: Set = [try await anna.report("Dam"), try await ben.report("Bridge")]
        let fire: Set = [try await eve.report("Smoke"), try await finn.report("Embers")]
        for (one, other) in [(anna, ben), (eve, finn)] {
          try await inStep(one, other) {
            $0["users"] == .number(2) && $0["reports"] == .number(2)
          }
        }
        let hashes = try await [anna.stateHash(), eve.stateHash()]
        try #require(hashes[0] != hashes[1])
        let before = try await rejections(of: [anna, ben, eve, finn])
        try await eventually("each has heard more of the other operation, and dropped it") {
          let now = try await rejections(of: [anna, ben, eve, finn])
          return zip(before, now).allSatisfy { $0 < $1 }
        }

        for (laptop, reports, neighbour, hash) in [
          (anna, flood, "Ben", hashes[0]), (ben, flood, "Anna", hashes[0]),
          (eve, fire, "Finn", hashes[1]), (finn, fire, "Eve", hashes[1]),
        ] {
          try #require(try await laptop.reports() == reports)
          try #require(try await laptop.neighbours() == [neighbour])
          try #require(try await laptop.ask("device", "list").items.count == 2)
          try #require(try await laptop.stateHash() == hash)
        }
      }
    }

    private func rejections(of laptops: [Laptop]) async throws -> [Double] {
      var counts: [Double] = []
      for laptop in laptops {
        counts.append(try await laptop.ask("status")["rejected"]["unauthenticated"].number ?? 0)
      }
      return counts
    }
  }
}
