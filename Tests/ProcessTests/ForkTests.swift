import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  /// Databases that are restored or copied without the program's knowledge.
  @Suite struct ForkTests {
    /// All files of a laptop that a node writes, with their contents.
    private func snapshot(of laptop: Laptop) throws -> [URL: Data] {
      var files: [URL: Data] = [:]
      for folder in [laptop.home.appending(path: "data"), laptop.state] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        for path in paths {
          let file = folder.appending(path: path)
          guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else {
            continue
          }
          files[file] = try Data(contentsOf: file)
        }
      }
      return files
    }

    /// Restores a snapshot into the same files, like a rollback of a virtual machine's disk: no
    /// local file reveals it.
    private func rollBack(_ laptop: Laptop, to files: [URL: Data]) throws {
      for file in try snapshot(of: laptop).keys where files[file] == nil {
        try FileManager.default.removeItem(at: file)
      }
      for (file, contents) in files {
        let handle = try FileHandle(forUpdating: file)
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: contents)
        try handle.close()
      }
    }

    private func titles(on laptop: Laptop) async throws -> [String] {
      try await laptop.ask("report", "list").items.compactMap { $0["title"].text }.sorted()
    }

    @Test(.needsVerifier)
    func `a disk rollback causes a fork, and nothing is lost`() async throws {
      try await Field.run { field in
        // Given a converged laptop whose disk is rolled back, including its sentinel
        let anna = try await field.founder("Anna")
        let annasNode = try await anna.run()
        let ben = try await field.joiner("Ben", inviting: anna)
        try await ben.send("report", "add", "--title", "Before")
        let before = try snapshot(of: ben)
        try await ben.send("report", "add", "--title", "Forgotten by its author")
        let bensNode = try await ben.run(peers: [annasNode])
        try await inStep(anna, ben) { $0["reports"] == .number(2) }
        try await bensNode.stop()
        try rollBack(ben, to: before)
        // When it writes before it has received anything
        try await ben.send("report", "add", "--title", "In its place")
        let node = try await ben.run(peers: [annasNode])
        // Then both branches count on both laptops, both name the author of the fork,
        try await inStep(anna, ben) { $0["reports"] == .number(3) }
        for laptop in [anna, ben] {
          let forks = try await laptop.ask("status")["forks"].items
          #expect(forks.map { $0["callsign"].text } == ["Ben"])
          #expect(forks.map { $0["branches"] } == [.number(2)])
          let words = try await laptop.send("status")
          #expect(words.contains("FORK"))
        }
        // and it continues in a new incarnation.
        try await ben.send("report", "add", "--title", "After")
        try await inStep(anna, ben) { $0["reports"] == .number(4) }
        let shown = try await titles(on: anna)
        #expect(shown == ["After", "Before", "Forgotten by its author", "In its place"])
        try await node.stop()
        try await ben.requireSound()
        try await anna.requireSound()
        try await VerifierTests.expectSameState(of: anna)
        try await VerifierTests.expectSameState(of: ben)
      }
    }

    @Test func `a copied home begins a new incarnation on each laptop, without a fork`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let annasNode = try await anna.run()
        let ben = try await field.joiner("Ben", inviting: anna)
        try await ben.send("report", "add", "--title", "Before")
        // Given Ben's home copied to another computer without a sentinel
        let copy = try field.laptop("Copy")
        try FileManager.default.copyItem(at: ben.home, to: copy.home)
        // When both write and are active at once
        try await ben.send("report", "add", "--title", "By Ben")
        try await copy.send("report", "add", "--title", "By the copy")
        _ = try await ben.run(peers: [annasNode])
        _ = try await copy.run(peers: [annasNode])
        try await inStep(anna, ben) { $0["reports"] == .number(3) }
        try await inStep(anna, copy) { $0["reports"] == .number(3) }
        // Then nothing forks, all report that Ben's laptop is in use twice, and all continue.
        try await eventually("Anna sees the clone") {
          try await anna.ask("status")["clones"].items.map { $0["callsign"].text } == ["Ben"]
        }
        let forks = try await anna.ask("status")["forks"].items
        #expect(forks.isEmpty)
        #expect(try await anna.send("status").contains("CLONE"))
        try await eventually("Anna has an alert") {
          try await anna.ask("alert", "list").items.contains { $0["kind"].text == "clone" }
        }
        try await copy.send("report", "add", "--title", "More")
        try await inStep(anna, ben) { $0["reports"] == .number(4) }
      }
    }
  }
}
