import Foundation
import TestSupport
import Testing

extension NetworkTests {
  @Suite struct RecoveryTests {
    @Test func `when one of two paths dies, what is written takes the other`() async throws {
      try await Valley.tell { valley in
        let anna = try await valley.founder("Anna")
        let ben = try await valley.joiner("Ben", admittedBy: anna)
        let wires = [try valley.wire(anna, ben), try valley.wire(anna, ben)]
        for laptop in [anna, ben] { try await laptop.run() }
        try await inStep(anna, ben) { $0["users"] == .number(2) }

        for round in 1...2 {
          // Whichever they talk by now goes silent without a sign: the plug stays in.
          let address = try await anna.peer("Ben")["address"].text ?? ""
          let used = try #require(
            wires.first { address.hasPrefix($0.address(ben.number)) }, "no wire to \(address)")
          try used.muffle()
          let id = try await anna.report("Round \(round)")
          let taken = try await inStep(anna, ben) { $0["reports"] == .number(Double(round)) }
          try #require(try await ben.reports().contains(id))
          print("round \(round): by the other path after \(taken.wholeMilliseconds) ms")
          try used.unmuffle()
          try await eventually("both paths carry again") {
            try await ben.peer("Anna")["isConnected"] == .bool(true)
          }
        }
      }
    }

    @Test func `a node that was stopped, as by a closed lid, is soon in step again`()
      async throws
    {
      try await Valley.tell { valley in
        let anna = try await valley.founder("Anna")
        let ben = try await valley.joiner("Ben", admittedBy: anna)
        try valley.wire(anna, ben)
        try await anna.run()
        let bensNode = try await ben.run()
        try await inStep(anna, ben) { $0["users"] == .number(2) }

        bensNode.signal(SIGSTOP)
        let id = try await anna.report("While Ben is away")
        try await eventually("Ben has been silent for a while") {
          try await anna.peer("Ben")["lastHeardSeconds"].number ?? 0 >= 6
        }
        bensNode.signal(SIGCONT)
        let taken = try await inStep(anna, ben, within: .seconds(20)) {
          $0["reports"] == .number(1)
        }
        try #require(try await ben.reports() == [id])
        print("in step \(taken.wholeMilliseconds) ms after waking")
      }
    }

    @Test func `the author at the end of a chain sees that the command post has it`()
      async throws
    {
      try await Valley.tell { valley in
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
        print("the mark of the command post came over two links in \(taken.wholeMilliseconds) ms")
      }
    }
  }
}
