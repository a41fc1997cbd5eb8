import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  @Suite struct StrangerTests {
    @Test func `two operations on one machine never mix`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna", of: "River flood")
        let eve = try await field.founder("Eve", of: "Forest fire")
        let hashes = try await [anna.stateHash(), eve.stateHash()]
        let annasNode = try await anna.run()
        let evesNode = try await eve.run(peers: [annasNode])
        // Both initiate handshakes with each other.
        try await annasNode.stop()
        let again = try await anna.run(on: annasNode.port, peers: [evesNode])
        try await eventually("each has received from the other, and dropped it") {
          for laptop in [anna, eve] {
            let status = try await laptop.ask("status")
            if status["rejected"].total(besides: ["noInterface"]) < 2 { return false }
          }
          return true
        }
        for laptop in [anna, eve] {
          let status = try await laptop.ask("status")
          #expect(status["peers"] == .array([]))
          #expect(status["users"] == .number(1))
        }
        try await again.stop()
        try await evesNode.stop()
        #expect(try await [anna.stateHash(), eve.stateHash()] == hashes)
      }
    }

    @Test func `ten thousand hostile datagrams change nothing and stop nothing`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        // Anna sends to an address of a silent listener, who records her datagrams.
        let eve = try LoopbackSocket()
        let annasNode = try await anna.run(peers: [], "--peer", "127.0.0.1:\(eve.port)")
        let ben = try await field.joiner("Ben", inviting: anna)
        _ = try await ben.run(peers: [annasNode])
        try await inStep(anna, ben) { $0["users"] == .number(2) }
        var recorded: [[UInt8]] = []
        try await eventually("Eve has recorded some") {
          recorded += eve.received()
          return recorded.count >= 2
        }
        let before = try await anna.ask("status")

        var dice = SplitMix64(seed: 20_261_121)
        var report: String?
        for number in 0..<10_000 {
          let datagram = hostile(&dice, like: recorded)
          // Not faster than the socket accepts them, or the system would drop them before the node.
          while !eve.send(datagram, to: annasNode.port) { await Task.yield() }
          if number % 200 == 199 { try await Task.sleep(for: .milliseconds(5)) }
          if number == 5000 {
            report = try await anna.send("report", "add", "--title", "Under fire")
          }
        }

        let id = try #require(report)
        try await eventually("the report reaches Ben") {
          try await ben.attempt("report", "show", id).status == 0
        }
        try await inStep(anna, ben)
        let after = try await anna.ask("status")
        #expect(after["rejected"].total() > before["rejected"].total() + 5000)
        #expect(after["users"] == .number(2))
        #expect(after["peers"].items.map { $0["callsign"].text } == ["Ben"])
        #expect(annasNode.child.isRunning)
        try await anna.requireSound()
      }
    }

    /// Random bytes, or a real datagram: damaged, truncated, extended or replayed.
    private func hostile(_ dice: inout SplitMix64, like recorded: [[UInt8]]) -> [UInt8] {
      var bytes = recorded[Int.random(in: 0..<recorded.count, using: &dice)]
      switch Int.random(in: 0..<5, using: &dice) {
      case 0:
        let length = Int.random(in: 0...1500, using: &dice)
        bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &dice) }
      case 1:
        for _ in 0..<Int.random(in: 1...8, using: &dice) {
          bytes[Int.random(in: 0..<bytes.count, using: &dice)] ^=
            UInt8.random(in: 1 ... .max, using: &dice)
        }
      case 2: bytes = Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &dice)))
      case 3: bytes += (0..<Int.random(in: 1...64, using: &dice)).map { UInt8($0) }
      default:
        // A valid packet kind in the first byte, with a random body.
        bytes = [UInt8.random(in: 0...16, using: &dice)] + bytes.shuffled(using: &dice)
      }
      return bytes
    }
  }
}
