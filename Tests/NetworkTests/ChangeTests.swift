import Foundation
import MusterTestKit
import Testing

extension NetworkTests {
  @Suite struct ChangeTests {
    @Test func `a laptop that returns with another address converges soon`()
      async throws
    {
      try await Valley.run { valley in
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
        print("converged \(taken.wholeMilliseconds) ms after the return with another address")
        for laptop in [anna, ben, cora] {
          try #require(try await laptop.reports() == elsewhere.union([own]))
        }
        try await eventually("Anna and Ben reach Cora at her new address") {
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
      try await Valley.run { valley in
        let anna = try await valley.founder("Anna", of: "River flood")
        let ben = try await valley.joiner("Ben", admittedBy: anna)
        let eve = try await valley.founder("Eve", of: "Forest fire")
        let finn = try await valley.joiner("Finn", admittedBy: eve)
        let wire = try valley.wire(anna, ben, eve, finn)
        try await anna.run()
        try await eve.run()
        let bensNode = try await ben.run()
        let finnsNode = try await finn.run()

        let flood: Set = [try await anna.report("Dam"), try await ben.report("Bridge")]
        let fire: Set = [try await eve.report("Smoke"), try await finn.report("Embers")]
        for (one, other) in [(anna, ben), (eve, finn)] {
          try await inStep(one, other) {
            $0["users"] == .number(2) && $0["reports"] == .number(2)
          }
        }
        let hashes = try await [anna.stateHash(), eve.stateHash()]
        try #require(hashes[0] != hashes[1])

        // Finn connects to Anna while none of her peers runs, then Ben to Eve.
        for node in [bensNode, finnsNode] {
          node.signal(SIGTERM)
          try await node.succeed(within: .seconds(20))
        }
        let knocking = try await stranger(finn, knocksAt: anna, on: wire)
        knocking.signal(SIGTERM)
        try await knocking.succeed(within: .seconds(20))
        _ = try await stranger(ben, knocksAt: eve, on: wire)
        try await finn.run()

        for (laptop, reports, neighbour, hash) in [
          (anna, flood, "Ben", hashes[0]), (ben, flood, "Anna", hashes[0]),
          (eve, fire, "Finn", hashes[1]), (finn, fire, "Eve", hashes[1]),
        ] {
          try await eventually("\(laptop.name) receives \(neighbour) again") {
            try await laptop.neighbours().contains(neighbour)
          }
          try #require(try await laptop.neighbours() == [neighbour])
          try #require(try await laptop.reports() == reports)
          try #require(try await laptop.ask("device", "list").items.count == 2)
          try #require(try await laptop.stateHash() == hash)
        }
      }
    }

    /// Starts a node that calls a node of another operation; returns when it was rejected.
    private func stranger(
      _ laptop: Laptop, knocksAt host: Laptop, on wire: Wire
    ) async throws -> Child {
      let before = try await rejections(of: host)
      let node = try await laptop.run("--peer", "\(wire.address(host.number)):7474")
      try await eventually("\(host.name) has rejected \(laptop.name)") {
        try await rejections(of: host) > before
      }
      return node
    }

    private func rejections(of laptop: Laptop) async throws -> Double {
      try await laptop.ask("status")["rejected"]["unauthenticated"].number ?? 0
    }
  }
}
