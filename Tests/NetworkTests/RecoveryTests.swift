import Foundation
import MusterTestKit
import Testing

extension NetworkTests {
  @Suite struct RecoveryTests {
    @Test func `when one of two paths fails, writes take the other`() async throws {
      try await Valley.run { valley in
        let anna = try await valley.founder("Anna")
        let ben = try await valley.joiner("Ben", admittedBy: anna)
        let wires = [try valley.wire(anna, ben), try valley.wire(anna, ben)]
        for laptop in [anna, ben] { try await laptop.run() }
        try await inStep(anna, ben) { $0["users"] == .number(2) }

        for round in 1...2 {
          // The path in use goes silent while its link stays up.
          let address = try await anna.peer("Ben")["address"].text ?? ""
          let used = try #require(
            wires.first { address.hasPrefix($0.address(ben.number)) }, "no wire to \(address)")
          try used.muffle()
          let id = try await anna.report("Round \(round)")
          let taken = try await inStep(anna, ben) { $0["reports"] == .number(Double(round)) }
          try #require(try await ben.reports().contains(id))
          print("round \(round): by the other path after \(taken.wholeMilliseconds) ms")
          try used.unmuffle()
          try await eventually("both paths work again") {
            try await ben.peer("Anna")["isConnected"] == .bool(true)
          }
        }
      }
    }

    @Test func `a suspended node converges soon after it resumes`()
      async throws
    {
      try await Valley.run { valley in
        let anna = try await valley.founder("Anna")
        let ben = try await valley.joiner("Ben", admittedBy: anna)
        try valley.wire(anna, ben)
        try await anna.run()
        let bensNode = try await ben.run()
        try await inStep(anna, ben) { $0["users"] == .number(2) }

        bensNode.signal(SIGSTOP)
        let id = try await anna.report("While Ben is away")
        try await eventually("Ben has been silent for 6 s") {
          try await anna.peer("Ben")["lastHeardSeconds"].number ?? 0 >= 6
        }
        bensNode.signal(SIGCONT)
        let taken = try await inStep(anna, ben, within: .seconds(20)) {
          $0["reports"] == .number(1)
        }
        try #require(try await ben.reports() == [id])
        print("converged \(taken.wholeMilliseconds) ms after resuming")
      }
    }

    @Test func `the author at the end of a chain sees the command post's mark`()
      async throws
    {
      try await Valley.run { valley in
        let anna = try await valley.founder("Anna")
        let ben = try await valley.joiner("Ben", admittedBy: anna)
        let cora = try await valley.joiner("Cora", admittedBy: anna)
        for (one, other) in [(anna, ben), (ben, cora)] { try valley.wire(one, other) }
        let annasNode = try await anna.run()
        for laptop in [ben, cora] { try await laptop.run() }
        try await inStep(anna, ben, cora) { $0["users"] == .number(3) }
        annasNode.signal(SIGTERM)
        try await annasNode.succeed(within: .seconds(20))
        let id = try await cora.report("Smoke")
        try await inStep(ben, cora) { $0["reports"] == .number(1) }
        let early = try await cora.ask("report", "show", id)["delivery"]
        try #require(early["commandPost"] == .bool(false))

        try await anna.run()
        let taken = try await eventually("Cora sees the command post's mark") {
          let delivery = try await cora.ask("report", "show", id)["delivery"]
          return delivery["devices"] == .number(3) && delivery["commandPost"] == .bool(true)
        }
        print(
          "the mark of the command post arrived over two links in \(taken.wholeMilliseconds) ms")
      }
    }
  }
}
