import Foundation
import MusterTestKit
import Testing

extension NetworkTests {
  @Suite struct PoorAirTests {
    @Test func `three laptops converge with 30 % loss`() async throws {
      try await Valley.run { valley in
        let anna = try await valley.founder("Anna")
        let ben = try await valley.joiner("Ben", admittedBy: anna)
        let cora = try await valley.joiner("Cora", admittedBy: anna)
        let laptops = [anna, ben, cora]
        try valley.wire(anna, ben, cora)
        for laptop in laptops { try Rule.losing(percent: 30).apply(in: laptop.space) }
        for laptop in laptops { try await laptop.run() }

        var written: Set<String> = []
        for number in 1...10 {
          for laptop in laptops {
            written.insert(try await laptop.report("Number \(number) of \(laptop.name)"))
          }
        }
        let taken = try await inStep(anna, ben, cora, within: .seconds(60)) {
          $0["reports"] == .number(30) && $0["users"] == .number(3)
        }
        print("with a loss of 30 %, three converge \(taken.wholeMilliseconds) ms after 30 reports")
        for laptop in laptops {
          try #require(try await laptop.reports() == written)
          try #require(try Rule.dropped(in: laptop.space) > 0)
          try await laptop.requireSound()
        }
      }
    }

    @Test func `a newcomer receives all data over 64 kbit/s, and new data at once`()
      async throws
    {
      try await Valley.run { valley in
        let anna = try await valley.founder("Anna")
        let ben = try await valley.joiner("Ben", admittedBy: anna)
        let wire = try valley.wire(anna, ben)
        try wire.narrow(to: "64kbit")
        var written: Set<String> = []
        for number in 1...20 {
          // Hex digits of different numbers, which do not compress well.
          let text = (1...100).map { String(number &* 7919 &+ $0 &* 104_729, radix: 16) }
          written.insert(
            try await anna.send(
              "report", "add", "--title", "Number \(number)", "--description",
              text.joined(separator: " ")))
        }
        for laptop in [anna, ben] { try await laptop.run() }
        let taken = try await inStep(anna, ben, within: .seconds(90)) {
          $0["reports"] == .number(20)
        }
        try #require(try await ben.reports() == written)
        print("over 64 kbit/s, 20 reports of 700 bytes took \(taken.wholeMilliseconds) ms")
        try #require(try wire.heldBack() > 0)

        let id = try await ben.report("Received")
        try await inStep(anna, ben) { $0["reports"] == .number(21) }
        try #require(try await anna.reports().contains(id))
        for laptop in [anna, ben] { try await laptop.requireSound() }
      }
    }

    @Test func `a device that joined over the network finds the inviter without multicast`()
      async throws
    {
      try await Valley.run { valley in
        let anna = try await valley.founder("Anna")
        let ben = try valley.laptop("Ben")
        try valley.wire(anna, ben)
        for laptop in [anna, ben] { try Rule.withoutMulticast.apply(in: laptop.space) }
        try await anna.run()
        let url = try #require(try await anna.ask("invite")["url"].text)
        try await ben.send("join", url, "--callsign", "Ben")
        try await ben.run()
        try await inStep(anna, ben) { $0["users"] == .number(2) }
        try #require(try await ben.neighbours() == ["Anna"])
      }
    }

    @Test func `without multicast, one --peer each suffices`() async throws {
      try await Valley.run { valley in
        let anna = try await valley.founder("Anna")
        let ben = try await valley.joiner("Ben", admittedBy: anna)
        let cora = try await valley.joiner("Cora", admittedBy: anna)
        let laptops = [anna, ben, cora]
        let wire = try valley.wire(anna, ben, cora)
        for laptop in laptops { try Rule.withoutMulticast.apply(in: laptop.space) }
        try await anna.run()
        let alone = try await ben.run()
        try await eventually("both have sent announces, which were dropped") {
          try Rule.dropped(in: anna.space) > 0 && Rule.dropped(in: ben.space) > 0
        }
        for laptop in [anna, ben] { try #require(try await laptop.neighbours().isEmpty) }

        alone.signal(SIGTERM)
        try await alone.succeed(within: .seconds(20))
        for laptop in [ben, cora] {
          try await laptop.run("--peer", "\(wire.address(anna.number)):7474")
        }
        let id = try await cora.report("By name")
        try await inStep(anna, ben, cora) {
          $0["users"] == .number(3) && $0["reports"] == .number(1)
        }
        try #require(try await ben.reports() == [id])
        try #require(try await anna.neighbours() == ["Ben", "Cora"])
      }
    }

    @Test func `photos cross a tunnel without a single IP fragment`() async throws {
      try await Valley.run { valley in
        let anna = try await valley.founder("Anna")
        let ben = try await valley.joiner("Ben", admittedBy: anna)
        let wire = try valley.wire(anna, ben)
        // Given links that carry the datagrams of frames, and none of 1,452 bytes
        for laptop in [anna, ben] { try wire.limitPackets(of: laptop, to: 1400) }
        for laptop in [anna, ben] { try await laptop.run() }
        try await inStep(anna, ben)
        // And forged ICMP messages, by which links carry no more than 600 bytes
        try wire.forgeSmallPath(of: anna, to: ben, maximum: 600)
        try wire.forgeSmallPath(of: ben, to: anna, maximum: 600)
        let picture = URL(filePath: #filePath).deletingLastPathComponent()
          .appending(path: "../../docs/images/dashboard-mesh.png").standardizedFileURL
        try await ben.send("report", "add", "--title", "Gas smell", "--photo", picture.path)
        try await eventually("Anna has the photo") {
          let photo = try await anna.ask("report", "photo", "list", "Gas smell")[0]
          return photo["original"]["percent"] == .number(100)
        }
        // Then neither frames nor the probe of the larger size leave in pieces
        for laptop in [anna, ben] {
          let counters = try Namespaces.run(
            "ip", "netns", "exec", laptop.space, "cat", "/proc/net/snmp")
          try #require(try Wire.fragmentsCreated(in: counters) == 0, "\(laptop.name)")
        }
      }
    }
  }
}
