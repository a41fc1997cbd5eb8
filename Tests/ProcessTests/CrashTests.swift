import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  @Suite struct CrashTests {
    /// The number of kills; `MUSTER_KILLS=50` raises it.
    private static let rounds =
      ProcessInfo.processInfo.environment["MUSTER_KILLS"].flatMap(Int.init) ?? 10

    @Test func `acknowledged data survives kill -9, here and on other nodes`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let annasNode = try await anna.run()
        let ben = try await field.joiner("Ben", inviting: anna)
        var acknowledged: Set<String> = []
        for round in 0..<Self.rounds {
          let node = try await ben.run(peers: [annasNode])
          acknowledged.formUnion(try await added(on: ben, untilKilled: node, round: round))
        }
        // Each round was killed between two of its reports.
        #expect(acknowledged.count >= Self.rounds)

        let kept = try await ids(on: ben)
        #expect(acknowledged.subtracting(kept).isEmpty)
        try await ben.requireSound()
        _ = try await ben.run(peers: [annasNode])
        try await inStep(anna, ben)
        #expect(acknowledged.subtracting(try await ids(on: anna)).isEmpty)
        try await anna.requireSound()
        try await ben.requireSound()
      }
    }

    @Test(
      .enabled(
        if: Installed.hasFile(URL(filePath: "/proc/self/coredump_filter")), "needs Linux's /proc"))
    func `a crash leaves no file with keys in it`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let node = try await anna.run()
        let process = URL(filePath: "/proc/\(node.child.pid)")
        func read(_ name: String) throws -> String {
          try String(contentsOf: process.appending(path: name), encoding: .utf8)
        }
        #expect(try read("limits").firstMatch(of: /Max core file size +0 +0\s/) != nil)
        let filter = try read("coredump_filter").trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(filter == "00000000", "what a dump may hold, where the limit is not asked for")
      }
    }

    /// Adds reports from three clients as fast as possible, and kills the node after the first few.
    /// Returns the printed ids.
    private func added(
      on laptop: Laptop, untilKilled node: RunningNode, round: Int
    ) async throws -> [String] {
      var commands: [Child] = []
      for number in 0..<4 {
        commands.append(
          try laptop.begin(["report", "add", "--title", "Round \(round), report \(number)"]))
      }
      // The number of answers before the kill differs each time.
      try await eventually("report \(round % 3) of round \(round) is answered") {
        try commands.count { try !$0.written.isEmpty } > round % 3
      }
      node.child.signal(SIGKILL)
      _ = try await node.child.end(within: .seconds(60))
      var ids: [String] = []
      for command in commands {
        let ended = try await command.end(within: .seconds(60))
        if ended.status == 0 {
          ids.append(ended.output.trimmingCharacters(in: .newlines))
        } else {
          ended.expectRefusal()
          #expect(!ended.complaint.contains("errno"), "words of the system: \(ended)")
        }
      }
      return ids
    }

    private func ids(on laptop: Laptop) async throws -> Set<String> {
      Set(try await laptop.ask("report", "list").items.compactMap { $0["id"].text })
    }
  }
}
