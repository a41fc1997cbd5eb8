import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  @Suite struct JoinByFileTests {
    @Test func `an admission under a callsign that exists is done with a warning`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let other = try field.laptop("Other")
        let (request, grant) = (field.path("a.request"), field.path("a.grant"))
        try await other.send("join", "--request", request, "--callsign", "Anna")
        let admitted = try await anna.attempt("admit", request, "--out", grant)
        #expect(admitted.status == 0, "\(admitted)")
        #expect(admitted.errors.contains("a person called Anna, or alike, exists"), "\(admitted)")
      }
    }

    @Test func `a laptop joins by files on a memory stick, with a passphrase`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let ben = try field.laptop("Ben")
        let words = try field.file("words", "correct horse\n")
        let wrong = try field.file("wrong", "correct house\n")
        let (request, grant) = (field.path("ben.request"), field.path("ben.grant"))

        try await ben.send(
          "join", "--request", request, "--callsign", "Ben", "--passphrase-file", words)
        let admitted = try await anna.ask("admit", request, "--out", grant, "--role", "observer")
        #expect(admitted["callsign"] == .string("Ben"))
        #expect(admitted["role"] == .string("observer"))

        // A grant of another operation is refused before anything is kept.
        try await ben.attempt(
          "join", "--grant", grant, "--passphrase-file", words, "--operation",
          String(repeating: "0", count: 32)
        ).expectRefusal(containing: "not 0000")
        try await ben.attempt("join", "--grant", grant, "--passphrase-file", wrong)
          .expectRefusal(containing: "passphrase")
        try await ben.attempt("join", "--grant", grant).expectRefusal(containing: "passphrase")
        try await ben.send("join", "--grant", grant, "--passphrase-file", words)

        try await ben.attempt("status").expectRefusal(containing: "--passphrase-file")
        try await ben.attempt("status", "--passphrase-file", wrong)
          .expectRefusal(containing: "passphrase")
        let status = try await ben.ask("status", "--passphrase-file", words)
        #expect(status["role"] == .string("observer"))
        for laptop in [anna, ben] { try expectPrivate(laptop) }

        let annasNode = try await anna.run()
        _ = try await ben.run(peers: [annasNode], "--passphrase-file", words)
        let report = try await anna.send("report", "add", "--title", "Bridge down")
        try await eventually("Ben reads it") {
          try await ben.attempt("report", "show", report).status == 0
        }
        try await ben.attempt("report", "add", "--title", "Mine").expectRefusal(
          containing: "observer")
        try await inStep(anna, ben)
      }
    }

    @Test func `a grant is valid only for the laptop that requested it`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let (ben, eve) = (try field.laptop("Ben"), try field.laptop("Eve"))
        let (request, grant) = (field.path("ben.request"), field.path("ben.grant"))
        try await ben.send("join", "--request", request, "--callsign", "Ben")
        try await anna.send("admit", request, "--out", grant)

        try await eve.attempt("join", "--grant", grant).expectRefusal(containing: "--request")
        try await eve.send("join", "--request", field.path("eve.request"), "--callsign", "Eve")
        try await eve.attempt("join", "--grant", grant).expectRefusal(containing: "another device")

        // This hinders neither of them.
        try await anna.send("admit", field.path("eve.request"), "--out", field.path("eve.grant"))
        try await eve.send("join", "--grant", field.path("eve.grant"))
        try await ben.send("join", "--grant", grant)
        try await ben.attempt("join", "--grant", grant).expectRefusal(containing: "already")
      }
    }

    @Test func `damaged files are refused, and the valid ones still work`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let ben = try field.laptop("Ben")
        let (request, grant) = (field.path("ben.request"), field.path("ben.grant"))
        try await ben.send("join", "--request", request, "--callsign", "Ben")
        let before = try await anna.ask("status")["frames"]
        try await anna.attempt("admit", try damaged(request, as: "bad", in: field), "--out", grant)
          .expectRefusal(containing: "join request")
        try await anna.attempt("admit", field.path("nowhere"), "--out", grant)
          .expectRefusal(containing: "No such file")
        #expect(try await anna.ask("status")["frames"] == before)
        #expect(!FileManager.default.fileExists(atPath: grant))

        try await anna.send("admit", request, "--out", grant)
        let bad = try await ben.attempt("join", "--grant", damaged(grant, as: "bad", in: field))
        bad.expectRefusal(containing: "grant")
        try await ben.send("join", "--grant", grant)
      }
    }

    private func damaged(_ path: String, as name: String, in field: Field) throws -> String {
      var bytes = try Data(contentsOf: URL(filePath: path))
      bytes[bytes.count * 2 / 3] ^= 1
      let copy = field.path(name)
      try bytes.write(to: URL(filePath: copy))
      return copy
    }

    private func expectPrivate(_ laptop: Laptop) throws {
      let keys = laptop.home.appending(path: "keys")
      let files = try FileManager.default.contentsOfDirectory(atPath: keys.path)
      #expect(files.contains("device.key"))
      #expect(!files.contains("pending.key"))
      for path in [keys] + files.map({ keys.appending(path: $0) }) {
        let mode = try FileManager.default.attributesOfItem(atPath: path.path)[.posixPermissions]
        #expect(mode as? Int == (path == keys ? 0o700 : 0o600), "\(path.lastPathComponent)")
      }
    }
  }
}
