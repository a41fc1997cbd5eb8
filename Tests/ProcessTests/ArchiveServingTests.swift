import Foundation
import MusterTestKit
import Testing

/// `muster-archive serve`: two programs over one database, and a node beside them.
extension ProcessTests.ArchiveTests {
  /// A served archive of the two laptops' operation, with a token that may read it.
  struct Served {
    let field: Field
    let cluster: PostgresCluster
    let anna: Laptop
    let operation: String
    let port: UInt16
    let token: String

    func answer(
      _ path: String, token other: String? = nil, headers: [String: String] = [:]
    ) throws -> HTTPExchange.Answer {
      let credentials = ["Authorization": "Bearer \(other ?? token)"]
      return try HTTPExchange.request(
        port, path, headers: credentials.merging(headers) { $1 })
    }

    func get(_ path: String, token other: String? = nil) throws -> JSON {
      let answer = try answer(path, token: other)
      guard answer.status == 200 else { throw Failed("\(path): \(answer)") }
      return try JSONDecoder().decode(JSON.self, from: Data(answer.body.utf8))
    }

    /// Reads below the operation.
    func read(_ path: String) throws -> JSON { try get("/api/v1/operations/\(operation)\(path)") }
  }

  private func serve(
    _ story: (Served) async throws -> Void
  ) async throws {
    try await Field.run { field in
      try await PostgresCluster.run { cluster in
        let (anna, ben) = try await apart(in: field)
        for post in [anna, ben] {
          try await archive("import", on: post, in: field, cluster: cluster)
        }
        try await archive("project", on: anna, in: field, cluster: cluster)
        let token = try await archive(
          "token", "create", "County", "--operation", "river flood", "--json", in: field,
          cluster: cluster
        ).json()
        let port = try FreePort.next()
        let server = try begin(
          ["serve", "--listen", "127.0.0.1:\(port)"], on: nil, in: field, cluster: cluster)
        defer { server.endNow() }
        try await eventually("the archive is served") {
          server.isRunning && (try? HTTPExchange.request(port, "/readyz"))?.status == 200
        }
        let status = try await anna.ask("status")
        try await story(
          Served(
            field: field, cluster: cluster, anna: anna,
            operation: status["operation"].text ?? "", port: port,
            token: token["token"].text ?? ""))
        server.signal(SIGTERM)
        let ended = try await server.end(within: .seconds(60))
        #expect(ended.status == 0, "\(ended)")
      }
    }
  }

  @Test func `an archive is read over HTTP, in the JSON of a node`() async throws {
    try await serve { served in
      let operations = try served.get("/api/v1/operations")["items"].items
      #expect(operations.map { $0["name"].text } == ["River flood"])
      let hash = try await served.anna.stateHash()
      #expect(try served.read("")["stateHash"].text == hash)
      // What Anna's own node lists is what the archive lists, but for ages.
      _ = try await served.anna.run()
      let titles = try served.read("/reports")["items"].items.compactMap { $0["title"].text }
      #expect(titles.sorted() == ["Bridge down", "Smoke over the ridge"])
      for (path, member) in [("fences", "name"), ("users", "callsign"), ("events", "type")] {
        let own = try HTTPExchange.request(socket: served.anna.socket, "/api/v1/\(path)")
        let here = try JSONDecoder().decode(JSON.self, from: Data(own.body.utf8))["items"].items
        let there = try served.read("/\(path)")["items"].items
        #expect(there.map { $0[member].text } == here.map { $0[member].text })
        #expect(there.first?.keys == here.first?.keys, "\(path)")
      }
      // Pages together have each row once.
      let first = try served.read("/reports?limit=1")
      let cursor = try #require(first["next"].text)
      let second = try served.read("/reports?limit=1&cursor=\(cursor)")
      #expect(second["next"] == .null)
      let pair = [first, second].compactMap { $0["items"].items.first?["title"].text }
      #expect(pair.sorted() == titles.sorted())
      // Single rows, positions and tracks.
      let smoke = try #require(
        try served.read("/reports")["items"].items.first {
          $0["title"].text == "Smoke over the ridge"
        })
      let shown = try served.read("/reports/\(smoke["id"].text ?? "")")
      #expect(shown["title"].text == "Smoke over the ridge" && shown["photos"].items.isEmpty)
      #expect(try served.read("/users/Anna")["callsign"].text == "Anna")
      let positions = try served.read("/positions")["items"].items
      #expect(positions.map { $0["callsign"].text } == ["Anna"])
      let before = try served.read("/positions?at=2001-01-01T00:00:00Z")["items"].items
      #expect(before.isEmpty)
      #expect(try served.read("/positions?at=0000-01-01T00:00:00Z")["items"].items.isEmpty)
      let early = try served.get("/api/v1/search?text=smoke&since=0000-01-01T00:00:00Z")
      #expect(early["items"].items.count == 1)
      // Names are texts, not patterns.
      #expect(try served.get("/api/v1/search?operation=%25")["items"].items.isEmpty)
      let unnamed = "/api/v1/operations/\(served.operation)/users/%00"
      #expect(try served.answer(unnamed).status == 404)
      let then = try served.read("/positions?at=2999-01-01T00:00:00Z")["items"].items
      #expect(then.map { $0["lat"].number } == positions.map { $0["lat"].number })
      #expect(try served.read("/tracks/Anna")["items"].items.count == 1)
      let found = try served.get("/api/v1/search?text=smoke&lat=46.05&lon=14.5&metres=500")
      #expect(found["items"].items.map { $0["operationId"].text } == [served.operation])
    }
  }

  @Test func `each layer of each operation is a collection of OGC API – Features`() async throws {
    try await serve { served in
      let collections = try served.get("/ogc/collections")["collections"].items
      #expect(
        collections.compactMap { $0["id"].text }
          == ["members", "reports", "fences", "events", "tracks"].map {
            "\(served.operation).\($0)"
          })
      let reports = "/ogc/collections/\(served.operation).reports/items"
      let features = try served.get(reports + "?bbox=14.4,46,14.55,46.2")["features"].items
      #expect(features.map { $0["properties"]["name"].text } == ["Smoke over the ridge"])
      let id = try #require(features.first?["id"].text)
      #expect(try served.get("\(reports)/\(id)") == features[0])
      let tracks = "/ogc/collections/\(served.operation).tracks/items"
      #expect(try served.get(tracks)["features"].items.count == 1)
    }
  }

  @Test func `a token reads its own operations only, until it is revoked`() async throws {
    try await serve { served in
      let (field, cluster) = (served.field, served.cluster)
      let paths = [
        "/api/v1/operations", "/api/v1/operations/\(served.operation)/users", "/api/v1/search",
        "/ogc", "/openapi.json",
      ]
      for path in paths {
        #expect(try HTTPExchange.request(served.port, path).status == 401)
        #expect(try served.answer(path, token: "0000").status == 401)
        // A page of another site, and a name that is not this machine's.
        let foreign = ["Origin": "https://example.org"]
        #expect(try served.answer(path, headers: foreign).status == 403)
        #expect(try served.answer(path, headers: ["Host": "example.org"]).status == 403)
      }
      // The token is hashed at rest.
      let stored = try await cluster.query("SELECT access_tokens::text FROM muster.access_tokens")
      #expect(!stored.contains(served.token))
      // A second operation, which the token may not read.
      let other = try await field.founder("Zoe")
      try await archive("import", on: other, in: field, cluster: cluster)
      try await archive("project", on: other, in: field, cluster: cluster)
      let hidden = try await other.ask("status")["operation"].text ?? ""
      #expect(try served.get("/api/v1/operations")["items"].items.count == 1)
      #expect(try served.answer("/api/v1/operations/\(hidden)/users").status == 404)
      #expect(try served.answer("/ogc/collections/\(hidden).members/items").status == 404)
      let zoe = try served.get("/api/v1/search?person=Zoe")
      #expect(zoe["items"].items.isEmpty)
      let all = try await archive(
        "token", "create", "Ministry", "--all-operations", "--json", in: field, cluster: cluster
      ).json()
      let wide = try served.get("/api/v1/operations", token: all["token"].text)
      #expect(wide["items"].items.count == 2)
      // Revoked, it is rejected with the next request.
      let tokens = try await archive("token", "list", "--json", in: field, cluster: cluster).json()
      let county = try #require(tokens.items.first { $0["agency"].text == "County" })
      try await archive(
        "token", "revoke", county["id"].text ?? "", in: field, cluster: cluster)
      #expect(try served.answer("/api/v1/operations").status == 401)
    }
  }

  @Test(.enabled(if: Installed.has("curl", "psql"), "needs curl and psql"))
  func `slow queries of one agency delay no other one, and end once`() async throws {
    try await serve { served in
      let ministry = try await archive(
        "token", "create", "Ministry", "--all-operations", "--json", in: served.field,
        cluster: served.cluster
      ).json()["token"].text
      func begin(_ program: String, _ words: [String], _ name: String) throws -> Child {
        try Child(
          URL(filePath: "/usr/bin/\(program)"), words,
          environment: Child.surroundings(home: served.field.path("unused")),
          in: served.field.folder, name: name)
      }
      func waiting() async throws -> Int? {
        Int(
          try await served.cluster.query(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"))
      }
      // Given a table that another program locks, and eight requests of the County for it
      let lock = try begin(
        "psql",
        [
          served.cluster.url, "-qc",
          "BEGIN; LOCK TABLE muster.users IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(300)",
        ], "lock")
      defer { lock.endNow() }
      try await eventually("the table is locked") {
        try await served.cluster.query(
          "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted") != "0"
      }
      let path = "/api/v1/operations/\(served.operation)/users"
      let requests = try (0..<8).map { number in
        try begin(
          "curl",
          [
            "-s", "-w", "%{http_code}", "-H", "Authorization: Bearer \(served.token)",
            "http://127.0.0.1:\(served.port)\(path)",
          ], "request-\(number)")
      }
      try await eventually("two of them query") { try await waiting() == 2 }
      // Then the Ministry is answered, and a client without a token too,
      let other = try served.get("/api/v1/operations", token: ministry)
      #expect(other["items"].items.count == 1)
      #expect(try served.answer("/api/v1/operations", token: "0000").status == 401)
      #expect(try await waiting() == 2)
      // and a query that takes too long is not repeated: it would take as long again.
      var answers: [String] = []
      try await eventually("the first two are answered", within: .seconds(100)) {
        requests.count { !$0.isRunning } >= 2
      }
      // The server does not notice that the locking client is gone.
      _ = try await served.cluster.query(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE mode = 'AccessExclusiveLock'")
      for request in requests {
        answers.append(try await request.end(within: .seconds(60)).output)
      }
      #expect(answers.contains { $0.contains("takes too long") && $0.hasSuffix("503") })
      #expect(answers.contains { $0.hasSuffix("200") }, "\(answers)")
    }
  }

  @Test func `an address that others can reach needs TLS`() async throws {
    try await Field.run { field in
      try await PostgresCluster.run { cluster in
        let child = try begin(
          ["serve", "--listen", "0.0.0.0:0"], on: nil, in: field, cluster: cluster)
        let ended = try await child.end(within: .seconds(60))
        #expect(ended.status == 1 && ended.errors.contains("--certificate"), "\(ended)")
      }
    }
  }

  @Test(.enabled(if: Installed.has("openssl", "curl"), "needs openssl and curl"))
  func `with a certificate the archive is served over TLS`() async throws {
    try await Field.run { field in
      try await PostgresCluster.run { cluster in
        let (chain, key) = (field.path("chain.pem"), field.path("key.pem"))
        func run(_ program: String, _ words: String...) async throws -> Ended {
          try await Child(
            URL(filePath: "/usr/bin/\(program)"), words,
            environment: Child.surroundings(home: field.path("unused")), in: field.folder,
            name: "\(program)-\(UInt32.random(in: .min ... .max))"
          ).end(within: .seconds(60))
        }
        let made = try await run(
          "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
          "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1", "-subj", "/CN=archive",
          "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", chain)
        try #require(made.status == 0, "\(made)")
        let port = try FreePort.next()
        let server = try begin(
          ["serve", "--listen", "0.0.0.0:\(port)", "--certificate", chain, "--key", key],
          on: nil, in: field, cluster: cluster)
        defer { server.endNow() }
        let address = "https://127.0.0.1:\(port)"
        try await eventually("the archive is served over TLS") {
          try await run("curl", "-sf", "--cacert", chain, address + "/readyz").status == 0
        }
        let refused = try await run(
          "curl", "-s", "-o", field.path("answer"), "-w", "%{http_code}", "--cacert", chain,
          address + "/api/v1/operations")
        #expect(refused.output == "401")
        let old = try await run(
          "curl", "-sf", "--tls-max", "1.1", "--cacert", chain, address + "/readyz")
        #expect(old.status != 0)
        // A page of another site, and a client without TLS.
        let page = try await run(
          "curl", "-s", "-o", field.path("answer"), "-w", "%{http_code}", "--cacert", chain,
          "-H", "Origin: https://example.org", address + "/api/v1/operations")
        #expect(page.output == "403")
        #expect(try await run("curl", "-sf", "http://127.0.0.1:\(port)/readyz").status != 0)
      }
    }
  }

  @Test func `a photo is served, and an export with it is verified years later`() async throws {
    try await Field.run { field in
      try await PostgresCluster.run { cluster in
        // Given a photo that only the archive keeps
        let anna = try await field.founder("Anna")
        let county = try await joiner("County", of: anna, role: "observer", in: field)
        let picture = field.path("red.png")
        try #require(Data(base64Encoded: ProcessTests.PhotoTests.png))
          .write(to: URL(filePath: picture))
        try await anna.send("report", "add", "--title", "Gas smell", "--photo", picture)
        try await archive("import", on: anna, in: field, cluster: cluster)
        try await archive("project", on: anna, in: field, cluster: cluster)
        let operation = try await anna.ask("status")["operation"].text ?? ""
        let hash = try await anna.stateHash()
        // When it is asked over HTTP
        let token = try await archive(
          "token", "create", "County", "--all-operations", in: field, cluster: cluster)
        let port = try FreePort.next()
        let server = try begin(
          ["serve", "--listen", "127.0.0.1:\(port)"], on: nil, in: field, cluster: cluster)
        defer { server.endNow() }
        try await eventually("the archive is served") {
          (try? HTTPExchange.request(port, "/readyz"))?.status == 200
        }
        let photo = "/api/v1/operations/\(operation)/reports/"
        let credentials = [
          "Authorization": "Bearer \(token.output.trimmingCharacters(in: .newlines))"
        ]
        let reports = try HTTPExchange.request(
          port, "/api/v1/operations/\(operation)/reports", headers: credentials)
        let listed = try JSONDecoder().decode(JSON.self, from: Data(reports.body.utf8))
        let id = try #require(listed["items"][0]["id"].text)
        let whole = try HTTPExchange.request(port, photo + "\(id)/photos/1", headers: credentials)
        #expect(whole.status == 200 && !whole.body.isEmpty, "\(whole.status)")
        let part = try HTTPExchange.request(
          port, photo + "\(id)/photos/1",
          headers: credentials.merging(["Range": "bytes=0-99"]) { $1 })
        #expect(part.status == 206 && whole.body.hasPrefix(part.body.prefix(50)))
        // Then an export is verified by a device that never held the operation.
        let bundle = field.path("county.bundle")
        try await archive("export", bundle, on: county, in: field, cluster: cluster)
        let verified = try await county.ask("verify", bundle)
        #expect(verified["ok"].truth == true, "\(verified)")
        #expect(verified["photoParts"].number.map { $0 > 0 } == true)
        #expect(verified["stateHash"].text == hash)
        #expect(try await county.ask("report", "list").items.isEmpty)
        // One changed byte is found.
        var bytes = try Data(contentsOf: URL(filePath: bundle))
        bytes[bytes.count / 2] ^= 1
        let damaged = field.path("damaged.bundle")
        try bytes.write(to: URL(filePath: damaged))
        try await county.attempt("verify", damaged).expectRefusal(containing: "damaged")
      }
    }
  }
}
