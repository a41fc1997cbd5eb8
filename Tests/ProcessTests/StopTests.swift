import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  @Suite struct StopTests {
    @Test func `a node that receives a stop signal leaves no trace, and later continues`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let annasNode = try await anna.run()
        let ben = try await field.joiner("Ben", inviting: anna)
        var logs: JSON?
        for signal in [SIGTERM, SIGINT, SIGTERM] {
          let node = try await ben.run(peers: [annasNode])
          try await ben.send("report", "add", "--title", "Before signal \(signal)")
          #expect(FileManager.default.fileExists(atPath: ben.socket.path))
          try await inStep(anna, ben)
          let status = try await ben.ask("status")
          #expect(status["logs"] == logs ?? status["logs"], "a restart opened a new log")
          logs = status["logs"]
          try await node.stop(by: signal)
          #expect(!FileManager.default.fileExists(atPath: ben.socket.path))
          // The database was closed: its log is empty.
          let log = ben.home.appending(path: "data/muster.sqlite-wal").path
          if FileManager.default.fileExists(atPath: log) {
            let size = try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int
            #expect(size == 0)
          }
        }

        // Without the sentinel it begins a new incarnation, and loses nothing of this one.
        try FileManager.default.removeItem(at: ben.state)
        let node = try await ben.run(peers: [annasNode])
        try await ben.send("report", "add", "--title", "In the next life")
        try await inStep(anna, ben) { $0["reports"] == .number(4) }
        let restarted = try await ben.ask("status")["logs"]
        #expect(restarted.number == (logs?.number ?? 0) + 1)
        try await anna.requireSound()
        try await ben.requireSound()
        try await node.stop()

        _ = try await ben.run(peers: [annasNode])
        try await ben.send("report", "add", "--title", "Still in that life")
        try await inStep(anna, ben) { $0["reports"] == .number(5) }
        #expect(try await ben.ask("status")["logs"] == restarted)
      }
    }

    @Test func `simultaneous commands wait for each other, and for a starting node`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        var commands: [Child] = []
        for number in 0..<4 {
          commands.append(try anna.begin(["report", "add", "--title", "Report \(number)"]))
        }
        // No node yet: each command needs exclusive use of the home.
        let node = try await anna.run()
        for command in commands {
          let ended = try await command.end(within: .seconds(60))
          #expect(ended.status == 0, "\(ended)")
        }
        try await node.stop()

        let starting = try anna.begin(
          ["run", "--listen", "127.0.0.1:0", "--no-multicast", "--no-http"], stays: true)
        try await eventually("the node has locked the home, and may not listen yet") {
          try String(contentsOf: anna.home.appending(path: "run/lock"), encoding: .utf8)
            .contains("\(starting.pid)")
        }
        #expect(try await anna.ask("report", "list").items.count == 4)
        starting.signal(SIGTERM)
        #expect(try await starting.end(within: .seconds(60)).status == 0)
      }
    }

    @Test func `a copy of a home begins a new incarnation, and nothing forks`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let annasNode = try await anna.run()
        let ben = try await field.joiner("Ben", inviting: anna)
        let node = try await ben.run(peers: [annasNode])
        try await ben.send("report", "add", "--title", "Before the copy")
        try await inStep(anna, ben) { $0["reports"] == .number(1) }
        try await node.stop()
        let logs = try #require(try await ben.ask("status")["logs"].number)

        let clone = try field.laptop("Copy")
        try FileManager.default.copyItem(at: ben.home, to: clone.home)
        let bensNode = try await ben.run(peers: [annasNode])
        try await ben.send("report", "add", "--title", "On the first")
        try await inStep(anna, ben) { $0["reports"] == .number(2) }
        try await bensNode.stop()
        #expect(try await ben.ask("status")["logs"] == .number(logs))

        _ = try await clone.run(peers: [annasNode])
        try await clone.send("report", "add", "--title", "On the copy")
        try await inStep(anna, clone) { $0["reports"] == .number(3) }
        // It replaced the other: no device is in use twice.
        #expect(try await anna.ask("status")["clones"].items.isEmpty)
        #expect(try await clone.ask("status")["logs"].number == logs + 1)
        try await anna.requireSound()
        try await clone.requireSound()
      }
    }
  }
}
