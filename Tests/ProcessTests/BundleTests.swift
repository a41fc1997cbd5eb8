import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  @Suite struct BundleTests {
    /// Two laptops of one operation without a network.
    private func apart(in field: Field) async throws -> (anna: Laptop, ben: Laptop) {
      let anna = try await field.founder("Anna")
      let ben = try field.laptop("Ben")
      let (request, grant) = (field.path("ben.request"), field.path("ben.grant"))
      try await ben.send("join", "--request", request, "--callsign", "Ben")
      try await anna.send("admit", request, "--out", grant)
      try await ben.send("join", "--grant", grant)
      return (anna, ben)
    }

    @Test func `two laptops converge by memory stick, with and without a running node`()
      async throws
    {
      try await Field.run { field in
        let (anna, ben) = try await apart(in: field)
        let there = field.path("there.bundle")
        try await anna.send("report", "add", "--title", "Bridge down")
        let bens = try await ben.send("report", "add", "--title", "Smoke", "--evacuate")
        // Anna's node runs, Ben's does not.
        _ = try await anna.run()
        let made = try await anna.ask("bundle", "create", there)
        let attributes = try FileManager.default.attributesOfItem(atPath: there)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(made["bytes"].number == (attributes[.size] as? Int).map(Double.init))
        let merged = try await ben.ask("bundle", "merge", there)
        #expect(merged["whole"] == .bool(true))
        #expect(merged["frames"]["refused"]["forged"].number == 0)
        #expect(merged["frames"]["new"].number ?? 0 > 0)

        let back = field.path("back.bundle")
        try await ben.send("bundle", "create", back)
        let output = try await anna.send("bundle", "merge", back)
        #expect(output.hasPrefix("Frames: "))
        try await anna.send("report", "show", bens)
        #expect(try await anna.stateHash() == ben.stateHash())
        for laptop in [anna, ben] { try await laptop.requireSound() }
        // A second merge adds nothing.
        let again = try await anna.ask("bundle", "merge", back)
        #expect(again["frames"]["new"].number == 0 && again["records"]["new"].number == 0)
      }
    }

    @Test func `a kill while a bundle is verified leaves no copy of a key`() async throws {
      try await Field.run { field in
        let (anna, _) = try await apart(in: field)
        try await anna.send("report", "add", "--title", "Bridge down")
        let file = field.path("flood.bundle")
        try await anna.send("bundle", "create", file)
        let temporary = field.folder.appending(path: "temporary")
        try FileManager.default.createDirectory(
          at: temporary, withIntermediateDirectories: false)
        // A pipe with half of the bundle, so that the command waits for the rest.
        let pipe = field.path("pipe.bundle")
        #expect(mkfifo(pipe, 0o600) == 0)
        let command = try field.start(
          ["verify", pipe, "--home", anna.home.path],
          environment: ["MUSTER_STATE": anna.state.path, "TMPDIR": temporary.path], stays: false)
        let half = try Data(contentsOf: URL(filePath: file))
        // Also for reading, so that opening it does not wait.
        let writer = try FileHandle(forUpdating: URL(filePath: pipe))
        try writer.write(contentsOf: half.prefix(half.count / 2))
        func left() throws -> [URL] {
          let files = FileManager.default.enumerator(at: temporary, includingPropertiesForKeys: nil)
          return (files?.allObjects ?? []).compactMap { $0 as? URL }.filter { !$0.hasDirectoryPath }
        }
        try await eventually("the database of the check exists") {
          try left().contains { $0.lastPathComponent == "muster.sqlite" }
        }
        command.signal(SIGKILL)
        _ = try await command.end(within: .seconds(60))
        let key = try Data(contentsOf: anna.key)
        for file in try left() {
          #expect(try Data(contentsOf: file).range(of: key.suffix(32)) == nil, "\(file.path)")
        }
        // The home is usable, and the same check works.
        #expect(try await anna.ask("verify", file)["ok"].truth == true)
      }
    }

    @Test func `a file is overwritten only with --force`() async throws {
      try await Field.run { field in
        let (anna, _) = try await apart(in: field)
        let file = try field.file("precious", "do not lose me")
        try await anna.attempt("bundle", "create", file).expectRefusal(containing: "--force")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "do not lose me")
        try await anna.send("bundle", "create", file, "--force")
        try await anna.attempt("bundle", "create", field.path("nowhere/flood.bundle"))
          .expectRefusal(containing: "No such file")
        try await anna.attempt("bundle", "create", field.folder.path)
          .expectRefusal(containing: "not a plain file")
        // and no partial file remains.
        let names = try FileManager.default.contentsOfDirectory(atPath: field.folder.path)
        #expect(!names.contains { $0.contains(".part-") }, "\(names)")
      }
    }

    @Test func `faults of a file are reported, and its intact parts are merged`() async throws {
      try await Field.run { field in
        let (anna, ben) = try await apart(in: field)
        for number in 1...40 { try await anna.send("report", "add", "--title", "\(number)") }
        let file = field.path("flood.bundle")
        try await anna.send("bundle", "create", file)
        let whole = try Data(contentsOf: URL(filePath: file))
        func spoilt(_ name: String, _ spoil: (inout Data) -> Void) throws -> String {
          var data = whole
          spoil(&data)
          try data.write(to: URL(filePath: field.path(name)))
          return field.path(name)
        }

        let half = try await ben.attempt(
          "bundle", "merge", spoilt("half") { $0.removeLast($0.count / 2) }, "--json")
        #expect(half.status == 1 && half.complaint.contains("truncated"))
        #expect(try half.json()["whole"] == .bool(false))
        #expect(try half.json()["frames"]["new"].number ?? 0 > 0)
        let flipped = try await ben.attempt(
          "bundle", "merge", spoilt("flipped") { $0[$0.count - 300] ^= 1 })
        #expect(flipped.status == 1 && flipped.complaint.contains("damaged"))
        let longer = try await ben.attempt(
          "bundle", "merge", spoilt("longer") { $0.append(contentsOf: [1, 2, 3]) })
        #expect(longer.status == 1 && longer.complaint.contains("bytes after its end"))
        try await ben.attempt("bundle", "merge", try field.file("text", "just a text"))
          .expectRefusal(containing: "not a bundle")
        try await ben.attempt("bundle", "merge", field.path("none"))
          .expectRefusal(containing: "No such file")

        let zoe = try await field.founder("Zoe", of: "Ridge fire")
        try await zoe.attempt("bundle", "merge", file).expectRefusal(
          containing: "another operation")
        let back = field.path("back.bundle")
        try await ben.send("bundle", "create", back)
        try await anna.send("bundle", "merge", back)
        #expect(try await anna.stateHash() == ben.stateHash())
      }
    }
  }
}
