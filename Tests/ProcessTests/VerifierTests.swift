import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  /// `Tests/Verifier` is a second implementation in another language, written from `docs/wire.md`.
  /// Its result from a home's files must equal the node's.
  @Suite struct VerifierTests {
    private static let script = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Verifier/verify.py")

    @Test(.needsVerifier)
    func `a second implementation derives the same state from the files`() async throws {
      try await Field.run { field in
        // Given two partitioned laptops that both edited, commented and confirmed
        let anna = try await field.founder("Anna")
        let annasNode = try await anna.run()
        let ben = try await field.joiner("Ben", inviting: anna)
        let report = try await anna.send("report", "add", "--title", "Bridge", "--severity", "2")
        let bensNode = try await ben.run(peers: [annasNode])
        try await inStep(anna, ben) { $0["reports"] == .number(1) }
        try await bensNode.stop()
        try await ben.send("report", "add", "--title", "Tree", "--evacuate")
        try await ben.send("report", "comment", report, String(repeating: "It moves. ", count: 500))
        try await ben.send("report", "confirm", report)
        try await ben.send("user", "status", "help", "--note", "on the far bank")
        try await ben.send("checkin", "start", "--every", "20m", "--note", "Route 4")
        try await ben.send("checkin", "ok")
        try await anna.send("report", "edit", report, "--title", "Bridge out", "--severity", "5")
        try await anna.send(
          "fence", "add", "--name", "Camp", "--kind", "muster", "--circle", "40.4,-7.5,300")
        try await anna.send("position", "set", "40.4,-7.5")
        _ = try await ben.run(peers: [annasNode])
        try await inStep(anna, ben) { $0["reports"] == .number(2) && $0["fences"] == .number(1) }
        // When the second implementation reads their files, it finds the same state
        for laptop in [anna, ben] { try await expectSameState(of: laptop) }
      }
    }

    /// Logs two phones in over TLS: the first files a report, which the second confirms.
    private static let phones = """
      import http.client, json, ssl, sys
      port, passphrase = int(sys.argv[1]), open(sys.argv[2]).read().strip()
      context = ssl._create_unverified_context()
      def ask(cookie, path, body=None):
          line = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=30)
          headers = {"content-type": "application/json", **({"cookie": cookie} if cookie else {})}
          line.request("POST", path, json.dumps(body or {}), headers)
          answer = line.getresponse()
          assert answer.status in (201, 204), (path, answer.status, answer.read())
          return answer
      def cookie(name):
          answer = ask(None, "/api/v1/session", {"name": name, "passphrase": passphrase})
          return answer.getheader("set-cookie").split(";")[0]
      rui, post = cookie("Rui"), cookie("Post")
      path = ask(rui, "/api/v1/reports", {"title": "Bridge"}).getheader("location")
      ask(post, path + "/comments", {"text": "It moves. " * 90})
      ask(post, path + "/confirm")
      """

    @Test(.needsVerifier)
    func `both implementations agree about what logins wrote`() async throws {
      let https = try FreePort.next()
      try await Field.run { field in
        // Given a laptop that two phones write through, of which one is a person
        let anna = try await field.founder("Anna")
        let annasNode = try await anna.run("--serve", "127.0.0.1:\(https)")
        try await eventually("phones are served") {
          try annasNode.child.complaints.contains("on https://127.0.0.1:\(https)")
        }
        let passphrase = try field.file("passphrase", "correct horse battery staple\n")
        try await anna.send(
          "login", "add", "Rui", "--rights", "member", "--phone", "--passphrase-file", passphrase)
        try await anna.send(
          "login", "add", "Post", "--rights", "member", "--passphrase-file", passphrase)
        let session = try await Python.run(["-c", Self.phones, "\(https)", passphrase])
        try #require(session.status == 0, "\(session.output)")
        // When another laptop has received it
        let ben = try await field.joiner("Ben", inviting: anna)
        _ = try await ben.run(peers: [annasNode])
        try await inStep(anna, ben) { $0["reports"] == .number(1) }
        // Then both show who wrote it, and the second implementation finds the same state
        for laptop in [anna, ben] {
          try await eventually("the report has its author") {
            let report = try await laptop.ask("report", "show", "Bridge")
            return report["writtenBy"].text == "Rui" && report["through"].text == "Anna"
              && report["comments"].items.map { $0["writtenBy"].text } == ["Post"]
              && report["confirmations"] == .array([.string("Post, through Anna's laptop")])
          }
          let page = try await laptop.send("report", "show", "Bridge")
          #expect(page.contains("by Rui, through Anna's laptop at "))
          try await expectSameState(of: laptop)
        }
      }
    }

    @Test(.needsVerifier)
    func `both implementations agree about a revoked laptop`() async throws {
      try await Field.run { field in
        // Given a stolen laptop, and a thief who writes on it out of reach of the others
        let anna = try await field.founder("Anna")
        let annasNode = try await anna.run()
        let ben = try await field.joiner("Ben", inviting: anna)
        let bensNode = try await ben.run(peers: [annasNode])
        try await ben.send("report", "add", "--title", "Before")
        try await inStep(anna, ben) { $0["reports"] == .number(1) }
        try await bensNode.stop()
        try await ben.send("report", "add", "--title", "By the thief")
        // When it is revoked, and its frames arrive after that
        let devices = try await anna.ask("device", "list").items
        let stolen = try #require(devices.first { $0["callsign"].text == "Ben" }?["id"].text)
        let output = try await anna.send("revoke", "Ben", "--yes")
        #expect(
          output == "Revoked Ben's device \(stolen.prefix(8)); new data is encrypted with a new key"
        )
        _ = try await ben.run(peers: [annasNode])
        try await eventually("the thief's frames are in quarantine") {
          try await anna.ask("status")["quarantined"].number ?? 0 > 0
        }
        // Then they are shown nowhere, and the thief's own laptop reports it
        let titles = try await anna.ask("report", "list").items.map { $0["title"].text }
        #expect(titles == ["Before"])
        try await eventually("the thief sees the revocation") {
          try await ben.attempt("report", "add", "--title", "Again").status == 1
        }
        let listed = try await anna.ask("device", "list").items
        #expect(listed.filter { $0["isRevoked"] == .bool(true) }.map { $0["id"].text } == [stolen])
        try await anna.requireSound()
        try await expectSameState(of: anna)
        try await releaseEverything(on: anna)
      }
    }

    /// When command releases frames from quarantine, they count in both implementations.
    private func releaseEverything(on laptop: Laptop) async throws {
      let held = try await laptop.ask("quarantine", "list")
      for frame in held.items {
        guard let id = frame["id"].text else { throw Failed("no id in \(frame)") }
        try await laptop.send("quarantine", "release", id, "--yes")
      }
      let status = try await laptop.ask("status")
      #expect(status["reports"] == .number(2))
      try await laptop.requireSound()
      try await expectSameState(of: laptop)
    }

    private func expectSameState(of laptop: Laptop) async throws {
      try await Self.expectSameState(of: laptop)
    }

    /// Checks that the second implementation agrees with the node.
    static func expectSameState(of laptop: Laptop) async throws {
      let verdict = try await Python.run([Self.script.path, laptop.home.path])
      let said = try JSONDecoder().decode(JSON.self, from: Data(verdict.output.utf8))
      #expect(verdict.status == 0, "\(verdict.output)")
      #expect(said["ok"] == .bool(true))
      #expect(said["stateHash"].text == (try await laptop.stateHash()))
    }
  }
}
