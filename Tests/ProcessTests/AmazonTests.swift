import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  /// boto3, the AWS CLI and signed requests use real nodes as Amazon Location and Cognito Sync.
  @Suite struct AmazonTests {
    private static let scripts = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Amazon")

    private static func run(_ script: String, _ words: String...) async throws {
      try await run(script, words)
    }

    private static func run(_ script: String, _ words: [String]) async throws {
      let verdict = try await Python.run([scripts.appending(path: script).path] + words)
      #expect(verdict.status == 0, "\(verdict.output)")
    }

    @Test(.enabled(if: try Python.has("boto3", "awscli"), "needs python3 with boto3 and awscli"))
    func `unmodified programs for Amazon Location find their service`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let annasNode = try await anna.run(peers: [], "--http", "127.0.0.1:0")
        let ben = try await field.joiner("Ben", inviting: anna, role: "command")
        let bensNode = try await ben.run(peers: [annasNode], "--http", "127.0.0.1:0")
        let cleo = try await field.founder("Cleo", of: "Alone")
        let cleosNode = try await cleo.run(peers: [], "--http", "127.0.0.1:0", "--aws-anonymous")
        // Anna's node knows Ben's callsign.
        try await inStep(anna, ben) { $0["users"] == .number(2) }

        let nodes = """
          {"first": {\(try await Self.place(anna, annasNode)), \(try await Self.key(anna, "command"))},
           "second": {\(try await Self.place(ben, bensNode)), \(try await Self.key(ben, "command"))},
           "open": {\(try await Self.place(cleo, cleosNode))},
           "observer": {\(try await Self.key(anna, "observer"))},
           "member": {\(try await Self.key(anna, "member"))},
           "signedOff": {\(try await Self.key(anna, "member", of: "Ben"))}}
          """
        try await Self.run("check.py", try field.file("nodes.json", nodes))

        // A revoked key is unknown at once.
        let keys = try await anna.ask("access-key", "list").items
        #expect(keys.count == 4 && keys.count { $0["callsign"] == .string("Ben") } == 1)
        try await anna.send("access-key", "revoke", keys[0]["id"].text ?? "")
        #expect(try await anna.ask("access-key", "list").items.count == 3)
        for node in [annasNode, bensNode, cleosNode] { try await node.stop() }
        for laptop in [anna, ben, cleo] { try await laptop.requireSound() }
      }
    }

    @Test(.enabled(if: try Python.has("boto3"), "needs python3 with boto3"))
    func `a key ends with a device of its person, and revoke names it`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let node = try await anna.run(peers: [], "--http", "127.0.0.1:0")
        let tablet = try await field.joiner("Tablet", inviting: anna, of: "Anna")
        let place = try await Self.place(anna, node)
        let before = try await Self.key(anna, "member")
        let own = try field.file("before.json", "{\"anna\": {\(place), \(before)}}")
        try await Self.run("key.py", own, "anna", "200")
        let signedOff = try await anna.send(
          "user", "signoff", "Anna", "--reason", "Rest", "--yes")
        #expect(signedOff.contains("does not work until the person is signed on again"))
        try await Self.run("key.py", own, "anna", "403")
        _ = try await anna.send("user", "signon")
        try await Self.run("key.py", own, "anna", "200")
        // The tablet is lost, and may know the secret; Anna has another laptop.
        let device = try #require(try await tablet.ask("status")["device"].text)
        #expect(try await anna.send("revoke", device, "--yes").contains("no longer works"))
        try await Self.run("key.py", own, "anna", "403")
        let after = try await Self.key(anna, "member")
        let new = try field.file("after.json", "{\"anna\": {\(place), \(after)}}")
        try await Self.run("key.py", new, "anna", "200")
        try await node.stop()
      }
    }

    /// `MUSTER_SYNC_RECORDS=10000` writes as many records.
    @Test(.enabled(if: try Python.has("boto3"), "needs python3 with boto3"))
    func `unmodified programs for Cognito Sync find their records on every node`() async throws {
      let count = ProcessInfo.processInfo.environment["MUSTER_SYNC_RECORDS"] ?? "500"
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let annasNode = try await anna.run(peers: [], "--http", "127.0.0.1:0")
        let ben = try await field.joiner("Ben", inviting: anna, role: "member")
        let bensNode = try await ben.run(peers: [annasNode], "--http", "127.0.0.1:0")
        try await inStep(anna, ben) { $0["users"] == .number(2) }
        func nodes(_ second: RunningNode) async throws -> String {
          let here = try await Self.place(anna, annasNode)
          let there = try await Self.place(ben, second)
          return """
            {"first": {\(here), \(try await Self.key(anna, "member"))},
             "second": {\(there), \(try await Self.key(ben, "member", of: "Anna"))},
             "observer": {\(here), \(try await Self.key(anna, "observer"))},
             "ben": {\(here), \(try await Self.key(anna, "member", of: "Ben"))}}
            """
        }
        let together = try field.file("nodes.json", try await nodes(bensNode))
        try await Self.run("sync.py", together, "check")
        try await Self.run("sync.py", together, "compare")

        // While Ben is out of reach, Anna's programs go on.
        try await bensNode.stop()
        try await Self.run("sync.py", together, "load", count, "first")
        let back = try await ben.run(peers: [annasNode], "--http", "127.0.0.1:0")
        try await Self.run(
          "sync.py", try field.file("later.json", try await nodes(back)), "compare")
        for node in [annasNode, back] { try await node.stop() }
        for laptop in [anna, ben] { try await laptop.requireSound() }
      }
    }

    /// `MUSTER_SYNC_RECORDS=10000` writes as many records, half of them at each device.
    @Test(.enabled(if: try Python.has("boto3"), "needs python3 with boto3"))
    func `two devices of a person that were apart lose no record, and keep both values of one`()
      async throws
    {
      let all = ProcessInfo.processInfo.environment["MUSTER_SYNC_RECORDS"].flatMap { Int($0) }
      let half = "\((all ?? 500) / 2)"
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let annasNode = try await anna.run(peers: [], "--http", "127.0.0.1:0")
        let tablet = try await field.joiner("Tablet", inviting: anna, of: "Anna")
        func run(_ first: RunningNode, _ second: RunningNode, _ stories: String...) async throws {
          let here = try await Self.place(anna, first)
          let there = try await Self.place(tablet, second)
          let nodes = """
            {"first": {\(here), \(try await Self.key(anna, "member"))},
             "second": {\(there), \(try await Self.key(tablet, "member", of: "Anna"))}}
            """
          let file = try field.file("nodes.json", nodes)
          for story in stories {
            try await Self.run("sync.py", [file] + story.split(separator: " ").map(String.init))
          }
        }
        let together = try await tablet.run(peers: [annasNode], "--http", "127.0.0.1:0")
        try await inStep(anna, tablet) { $0["users"] == .number(1) }
        try await run(annasNode, together, "begin")
        for node in [annasNode, together] { try await node.stop() }
        // Each goes on while the other one is off: nodes that ran together find each other again.
        let alone = try await tablet.run(peers: [], "--http", "127.0.0.1:0")
        try await run(annasNode, alone, "apart second blue", "load \(half) second")
        try await alone.stop()
        let later = try await anna.run(peers: [], "--http", "127.0.0.1:0")
        try await run(later, alone, "apart first red", "load \(half) first")
        let back = try await tablet.run(peers: [later], "--http", "127.0.0.1:0")
        try await run(later, back, "merged \(half)")
        for node in [later, back] { try await node.stop() }
        for laptop in [anna, tablet] { try await laptop.requireSound() }
      }
    }

    private static func place(_ laptop: Laptop, _ node: RunningNode) async throws -> String {
      var port: UInt16?
      try await eventually("\(laptop.name)'s node serves programs") {
        let line = try node.child.complaints.firstMatch(of: /phones on http:.*:(\d+)/)
        port = line.flatMap { UInt16($0.1) }
        return port != nil
      }
      return "\"url\": \"http://127.0.0.1:\(port ?? 0)\", \"token\": \"\(try laptop.httpToken())\""
    }

    private static func key(
      _ laptop: Laptop, _ rights: String, of user: String? = nil
    ) async throws -> String {
      let key = try await laptop.ask(
        "access-key", "create", "--rights", rights, "--user", user ?? laptop.name)
      let members = try ["id", "secret", "identityPoolId", "identityId"].map { name in
        guard let text = key[name].text else { throw Failed("no \(name) in \(key)") }
        return text
      }
      return """
        "id": "\(members[0])", "secret": "\(members[1])", "pool": "\(members[2])", \
        "identity": "\(members[3])"
        """
    }
  }
}
