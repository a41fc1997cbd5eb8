import Foundation
import MusterTestKit
import Testing

/// `muster-archive serve --uplink`: two programs over one database, for two operations.
extension ProcessTests {
  @Suite(.needsPostgreSQL) struct ArchiveUplinkTests {
    /// A program that accepts uplinks, with a device in each operation.
    private struct Instance {
      let name: String
      let port: UInt16
      let api: UInt16
      let field: Field
      let cluster: PostgresCluster

      init(_ name: String, in field: Field, over cluster: PostgresCluster) throws {
        (self.name, self.field, self.cluster) = (name, field, cluster)
        (port, api) = (try FreePort.next(), try FreePort.next())
      }

      private var environment: [String: String] { ["MUSTER_STATE": field.path("\(name).state")] }

      func home(_ operation: String) -> String { field.path("\(name)/\(operation)") }

      /// Runs `muster` on one of the homes.
      func send(_ words: String..., at operation: String) async throws -> Ended {
        let ended = try await field.start(
          words + ["--home", home(operation)], environment: environment, stays: false
        ).end(within: .seconds(60))
        guard ended.status == 0 else { throw Failed("\(ended)") }
        return ended
      }

      /// Enrols a device of role archive by files.
      func join(_ operation: String, of founder: Laptop) async throws {
        try FileManager.default.createDirectory(
          atPath: field.path(name), withIntermediateDirectories: true,
          attributes: [.posixPermissions: 0o700])
        let (request, grant) = (
          field.path("\(name)-\(operation).request"), field.path("\(name)-\(operation).grant")
        )
        _ = try await send("join", "--request", request, "--callsign", name, at: operation)
        try await founder.send("admit", request, "--role", "archive", "--out", grant)
        _ = try await send("join", "--grant", grant, at: operation)
      }

      func run(peers: [Instance] = [], connections: Int = 4) async throws -> Child {
        let child = try archive(
          [
            "serve", "--homes", field.path(name), "--uplink", "127.0.0.1:\(port)", "--listen",
            "127.0.0.1:\(api)", "--connections", "\(connections)",
          ] + peers.flatMap { ["--peer", "https://127.0.0.1:\($0.port)"] })
        try await eventually("\(name) accepts uplinks") {
          if !child.isRunning { throw Failed("\(try await child.end(within: .zero))") }
          return try child.complaints.contains("a command post on https://127.0.0.1:\(port)")
        }
        return child
      }

      /// Starts the program with room for so few open files that it must raise the limit.
      func archive(_ words: [String]) throws -> Child {
        try Child(
          URL(filePath: "/bin/sh"),
          ["-c", "ulimit -S -n 24; exec \"$0\" \"$@\"", Program.located("muster-archive").path]
            + words + ["--database", cluster.url],
          environment: Child.surroundings(home: field.path("unused"))
            .merging(environment) { $1 }, in: field.folder,
          name: "archive-\(UInt32.random(in: .min ... .max))")
      }

      /// The state that the node in the program has.
      func stateHash(_ operation: String) async throws -> String? {
        try await send("status", "--json", at: operation).json()["stateHash"].text
      }
    }

    /// An operation whose two laptops reach no one but the archive.
    private struct Pair {
      let operation: String
      let commander: Laptop
      let member: Laptop
      var both: [Laptop] { [commander, member] }
    }

    private func pair(
      _ operation: String, _ commander: String, _ member: String, in field: Field
    ) async throws -> Pair {
      let founder = try await field.founder(commander, of: operation)
      let other = try await ArchiveTests().joiner(member, of: founder, role: "member", in: field)
      return Pair(operation: operation, commander: founder, member: other)
    }

    /// Feeds the archive with what the commanders know, starts the instances, and gives the laptops
    /// the certificates of both on a memory stick.
    private func start(
      _ instances: [Instance], for pairs: [Pair], in field: Field, cluster: PostgresCluster
    ) async throws -> [Child] {
      for pair in pairs {
        for instance in instances { try await instance.join(pair.operation, of: pair.commander) }
        try await ArchiveTests().archive("import", on: pair.commander, in: field, cluster: cluster)
      }
      let control = "SELECT count(*) FROM muster.logs WHERE lane = 1"
      let before = Int(try await cluster.query(control)) ?? 0
      let children = [try await instances[0].run(), try await instances[1].run()]
      try await eventually("each instance has named its certificate in each operation") {
        let now = try await cluster.query(control)
        return Int(now) == before + pairs.count * instances.count
      }
      for pair in pairs {
        let stick = field.path("\(pair.operation).bundle")
        try await ArchiveTests().archive(
          "export", stick, on: pair.commander, in: field, cluster: cluster)
        for laptop in pair.both { try await laptop.send("bundle", "merge", stick) }
      }
      return children
    }

    /// Two instances over one database, which serve one operation.
    private struct Service {
      let cluster: PostgresCluster
      let pair: Pair
      let east: Instance
      let west: Instance
      let servers: [Child]
    }

    /// Runs a story about the two laptops of one operation and two instances.
    private func serve(_ story: (Service) async throws -> Void) async throws {
      try await Field.run { field in
        try await PostgresCluster.run { cluster in
          let pair = try await pair("flood", "Anna", "Ben", in: field)
          let east = try Instance("e", in: field, over: cluster)
          let west = try Instance("w", in: field, over: cluster)
          let servers = try await start([east, west], for: [pair], in: field, cluster: cluster)
          defer { for server in servers { server.endNow() } }
          try await story(
            Service(cluster: cluster, pair: pair, east: east, west: west, servers: servers))
        }
      }
    }

    private func run(_ laptop: Laptop, to port: UInt16) async throws -> RunningNode {
      try await laptop.run(on: 0, "--uplink", "https://127.0.0.1:\(port)")
    }

    private func isArchived(_ title: String, at laptop: Laptop) async throws -> Bool {
      try await laptop.ask("report", "list").items.contains {
        $0["title"].text == title && $0["delivery"]["archive"] == .bool(true)
      }
    }

    /// Waits until a report is known to both laptops, and both see that it is archived.
    private func expectArchived(_ title: String, in pair: Pair) async throws {
      for laptop in pair.both {
        try await eventually("\(laptop.name) sees \(title) with archive ✓") {
          try await isArchived(title, at: laptop)
        }
      }
    }

    /// Expects each operation in the archive to be exactly what its laptops hold.
    private func expectUnion(of pairs: [Pair], in cluster: PostgresCluster) async throws {
      for pair in pairs {
        try await eventually("the archive has what \(pair.commander.name) holds") {
          let status = try await pair.commander.ask("status")
          let operation = status["operation"].text ?? ""
          let counts = try await cluster.query(
            """
            SELECT count(*), count(DISTINCT (log, sequence, hash)) FROM muster.frames
            WHERE operation = decode('\(operation)', 'hex')
            """)
          let held = Int(status["frames"].number ?? 0)
          return counts == "\(held)|\(held)"
        }
      }
      let forks = try await cluster.query("SELECT count(*) FROM muster.heads WHERE is_fork")
      #expect(forks == "0")
    }

    @Test func `laptops of two operations use either instance, and lose nothing with one`()
      async throws
    {
      try await Field.run { field in
        try await PostgresCluster.run { cluster in
          let pairs = [
            try await pair("flood", "Anna", "Ben", in: field),
            try await pair("storm", "Carl", "Dora", in: field),
          ]
          let east = try Instance("e", in: field, over: cluster)
          let west = try Instance("w", in: field, over: cluster)
          var servers = try await start([east, west], for: pairs, in: field, cluster: cluster)
          defer { for server in servers { server.endNow() } }
          // Given all laptops at one address, whose balancer spreads them
          let balancer = try Balancer(to: [east.port, west.port])
          defer { balancer.end() }
          var nodes: [RunningNode] = []
          for laptop in pairs.flatMap(\.both) {
            nodes.append(try await run(laptop, to: balancer.port))
          }
          // When each writes, then both of its operation have both, by way of the database,
          for laptop in pairs.flatMap(\.both) {
            try await laptop.send("report", "add", "--title", "By \(laptop.name)")
          }
          for pair in pairs {
            for laptop in pair.both { try await expectArchived("By \(laptop.name)", in: pair) }
            try await inStep(pair.commander, pair.member) { $0["reports"] == .number(2) }
          }
          try await expectUnion(of: pairs, in: cluster)
          // and when one instance dies, they continue at the other.
          servers[0].endNow()
          for pair in pairs {
            try await pair.member.send("report", "add", "--title", "After")
            try await expectArchived("After", in: pair)
          }
          // An instance that lost its databases has them again, and the other may go.
          for pair in pairs {
            try FileManager.default.removeItem(atPath: east.home(pair.operation) + "/data")
          }
          servers[0] = try await east.run()
          for pair in pairs {
            try await eventually("east has the operation again") {
              let hash = try await pair.commander.stateHash()
              return try await east.stateHash(pair.operation) == hash
            }
          }
          servers[1].signal(SIGTERM)
          let ended = try await servers[1].end(within: .seconds(60))
          #expect(ended.status == 0, "\(ended)")
          for pair in pairs {
            try await pair.commander.send("report", "add", "--title", "Last")
            try await expectArchived("Last", in: pair)
          }
          try await expectUnion(of: pairs, in: cluster)
          for node in nodes { try await node.stop() }
          for laptop in pairs.flatMap(\.both) { try await laptop.requireSound() }
        }
      }
    }

    @Test func `while PostgreSQL is away laptops synchronize, and see no archive mark`()
      async throws
    {
      try await serve { service in
        let (pair, port) = (service.pair, service.east.port)
        let (anna, ben) = (pair.commander, pair.member)
        let nodes = [try await run(anna, to: port), try await run(ben, to: port)]
        try await anna.send("report", "add", "--title", "Before")
        try await expectArchived("Before", in: pair)
        // Given a database that is gone
        try await service.cluster.kill()
        try await anna.send("report", "add", "--title", "Meanwhile")
        try await inStep(anna, ben) { $0["reports"] == .number(2) }
        // Then receipts were due long ago, and none came
        try await eventually("the program reports it") {
          try service.servers[0].complaints.contains("trying again")
        }
        let mark = try await isArchived("Meanwhile", at: anna)
        #expect(!mark, "nothing is archived that is not committed")
        // until it is back.
        try await service.cluster.start()
        try await expectArchived("Meanwhile", in: pair)
        for node in nodes { try await node.stop() }
      }
    }

    @Test func `instances that are peers pass on positions, which no frame contains`()
      async throws
    {
      try await serve { service in
        service.servers[0].endNow()
        let server = try await service.east.run(peers: [service.west])
        defer { server.endNow() }
        let (anna, ben) = (service.pair.commander, service.pair.member)
        let nodes = [
          try await run(anna, to: service.east.port), try await run(ben, to: service.west.port),
        ]
        try await ben.send("position", "set", "46.05,14.5")
        try await eventually("Anna sees where Ben is") {
          try await anna.ask("user", "list").items.contains {
            $0["callsign"].text == "Ben" && $0["lat"].number != nil
          }
        }
        for node in nodes { try await node.stop() }
      }
    }

    /// Starts one instance for pairs that never meet, and connects their laptops to it.
    private func connect(
      _ pairs: [Pair], to instance: Instance, in field: Field, cluster: PostgresCluster
    ) async throws -> (server: Child, nodes: [RunningNode]) {
      let other = try Instance("w", in: field, over: cluster)
      let servers = try await start([instance, other], for: pairs, in: field, cluster: cluster)
      for server in servers { server.endNow() }
      let server = try await instance.run(connections: 1)
      var nodes: [RunningNode] = []
      for laptop in pairs.flatMap(\.both) { nodes.append(try await run(laptop, to: instance.port)) }
      return (server, nodes)
    }

    @Test func `an operation that cannot be archived delays no other one`() async throws {
      try await Field.run { field in
        try await PostgresCluster.run { cluster in
          let (flood, storm) = (
            try await pair("flood", "Anna", "Ben", in: field),
            try await pair("storm", "Carl", "Dora", in: field)
          )
          let east = try Instance("e", in: field, over: cluster)
          // Given one connection for both operations,
          let (server, nodes) = try await connect(
            [flood, storm], to: east, in: field, cluster: cluster)
          defer { server.endNow() }
          // and another program that hangs while it stores frames of one of them
          let operation = try await flood.commander.ask("status")["operation"].text ?? ""
          let hanging = try cluster.begin(
            """
            BEGIN; SELECT 1 FROM muster.operations WHERE id = decode('\(operation)', 'hex')
            FOR UPDATE; SELECT pg_sleep(600);
            """)
          defer { hanging.endNow() }
          try await eventually("it holds the lock") {
            try await cluster.query(
              "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == "1"
          }
          // when both write, then the other one has its mark,
          try await flood.member.send("report", "add", "--title", "Waits")
          for number in 1...3 {
            try await storm.member.send("report", "add", "--title", "Passes \(number)")
            try await expectArchived("Passes \(number)", in: storm)
          }
          #expect(try await !isArchived("Waits", at: flood.member))
          try await eventually("the program reports it") {
            try server.complaints.contains("another program holds the lock of the operation")
          }
          // and the first one when the program has ended.
          _ = try await cluster.query(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'
            """)
          try await expectArchived("Waits", in: flood)
          for node in nodes { try await node.stop() }
        }
      }
    }

    @Test func `photos come back from PostgreSQL to an instance that lost its disk`() async throws {
      try await Field.run { field in
        try await PostgresCluster.run { cluster in
          let pair = try await pair("flood", "Anna", "Ben", in: field)
          let east = try Instance("e", in: field, over: cluster)
          var (server, nodes) = try await connect([pair], to: east, in: field, cluster: cluster)
          defer { server.endNow() }
          let picture = field.folder.appending(path: "red.png").path
          try #require(Data(base64Encoded: PhotoTests.png)).write(to: URL(filePath: picture))
          try await pair.member.send("report", "add", "--title", "Gas smell", "--photo", picture)
          try await expectArchived("Gas smell", in: pair)
          try await eventually("its photo is archived") {
            let counts = try await cluster.query(
              """
              SELECT count(DISTINCT blob),
                (SELECT count(*) FROM muster.frames WHERE blob_list IS NOT NULL)
              FROM muster.units
              """)
            return counts == "2|1"
          }
          // When no laptop can send it again
          for node in nodes { try await node.stop() }
          nodes = []
          server.endNow()
          try FileManager.default.removeItem(atPath: east.home("flood") + "/data")
          server = try await east.run()
          // then the instance has it from the database.
          let file = field.path("got.jpg")
          try await eventually("the photo is complete") {
            let ended = try await field.start(
              [
                "report", "photo", "Gas smell", "1", "--out", file, "--home", east.home("flood"),
              ], environment: ["MUSTER_STATE": field.path("e.state")], stays: false
            ).end(within: .seconds(60))
            return ended.status == 0
          }
          #expect(try Data(contentsOf: URL(filePath: file)).starts(with: [0xFF, 0xD8, 0xFF]))
        }
      }
    }

    @Test func `who writes to the database gets no mark, and stops no other data`() async throws {
      try await Field.run { field in
        try await PostgresCluster.run { cluster in
          let pair = try await pair("flood", "Anna", "Ben", in: field)
          let east = try Instance("e", in: field, over: cluster)
          var (server, nodes) = try await connect([pair], to: east, in: field, cluster: cluster)
          defer { server.endNow() }
          try await pair.member.send("report", "add", "--title", "True")
          try await expectArchived("True", in: pair)
          try await pair.commander.send("report", "add", "--title", "Hidden")
          try await expectArchived("Hidden", in: pair)
          // Given a database that loses frames, whose heads state that it has them
          _ = try await cluster.query(
            """
            CREATE FUNCTION muster.lose() RETURNS trigger LANGUAGE plpgsql AS
              $$ BEGIN RETURN NULL; END $$;
            CREATE TRIGGER lose BEFORE INSERT ON muster.frames FOR EACH ROW
              EXECUTE FUNCTION muster.lose();
            """)
          try await pair.member.send("report", "add", "--title", "Lost")
          try await eventually("the program reports it") {
            try server.complaints.contains("are listed as archived")
          }
          #expect(try await !isArchived("Lost", at: pair.member))
          for node in nodes { try await node.stop() }
          nodes = []
          server.endNow()
          // and rows that no program wrote,
          _ = try await cluster.query(Self.hostileRows)
          // when an instance has nothing but this database,
          try FileManager.default.removeItem(atPath: east.home("flood") + "/data")
          server = try await east.run()
          // then it has what others wrote, and runs on.
          try await eventually("east has what was archived") {
            let reports = try await east.send("report", "list", "--json", at: "flood").json()
            return reports.items.contains { $0["title"].text == "True" }
          }
          try await eventually("the program reports it") {
            try server.complaints.contains("archived frames are rejected here")
          }
          #expect(server.isRunning)
        }
      }
    }

    /// The newest log forks into a circle of frames that no one signed, one of them too large.
    private static let hostileRows = """
      DROP TRIGGER lose ON muster.frames;
      CREATE TABLE target AS SELECT operation, log, h.sequence, h.hash FROM muster.heads AS h
        JOIN muster.frames AS f USING (operation, log, sequence, hash)
        WHERE NOT is_fork ORDER BY received_at DESC LIMIT 1;
      INSERT INTO muster.frames (operation, log, sequence, hash, previous, body, signature)
        SELECT operation, log, sequence + n,
          decode(repeat(CASE n WHEN 2 THEN 'ee' ELSE 'dd' END, length(hash)), 'hex'),
          CASE n WHEN 1 THEN hash WHEN 2 THEN decode(repeat('dd', length(hash)), 'hex')
            ELSE decode(repeat('ee', length(hash)), 'hex') END,
          convert_to(repeat('x', CASE n WHEN 2 THEN 100000 ELSE 1 END), 'UTF8'),
          decode(repeat('cc', 64), 'hex')
        FROM target, generate_series(1, 3) AS n;
      UPDATE muster.heads AS h SET is_fork = true FROM target AS t
        WHERE h.log = t.log AND h.hash = t.hash;
      INSERT INTO muster.heads SELECT operation, log, sequence + 3,
        decode(repeat('dd', length(hash)), 'hex'), false FROM target;
      -- Pieces of photos with impossible numbers.
      INSERT INTO muster.units SELECT operation, decode(repeat('00', length(hash)), 'hex'), -1, -1,
        decode('00', 'hex'), decode('00', 'hex') FROM target;
      """

    @Test func `homes that cannot serve are refused with what to do`() async throws {
      try await Field.run { field in
        try await PostgresCluster.run { cluster in
          let pair = try await pair("flood", "Anna", "Ben", in: field)
          let east = try Instance("e", in: field, over: cluster)
          try await east.join("flood", of: pair.commander)
          try await east.join("again", of: pair.commander)
          let uplink = ["--uplink", "127.0.0.1:\(east.port)", "--listen", "127.0.0.1:\(east.api)"]
          for (words, reason) in [
            (["--homes", field.path("e")], "is a second device of \"flood\""),
            (["--homes", field.path("nowhere")], "cannot be read: check --homes"),
            (["--homes", field.path("e/flood")], "has no home of a device"),
            (["--homes", pair.member.folder.path], "cannot accept uplinks"),
          ] {
            let ended = try await east.archive(["serve"] + words + uplink).end(
              within: .seconds(60))
            #expect(ended.status == 1 && ended.errors.contains(reason), "\(ended)")
          }
        }
      }
    }
  }
}

/// A load balancer: passes each connection to the next server that accepts it.
private struct Balancer {
  let port: UInt16
  private let child: Child
  private let folder: TemporaryFolder

  private static let program = """
    import itertools, socket, socketserver, sys, threading
    turns = itertools.cycle(map(int, sys.argv[2:]))
    \(PythonRelay.source)
    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            for port in [next(turns) for _ in sys.argv[2:]]:
                try:
                    other = socket.create_connection(("127.0.0.1", port))
                    break
                except OSError:
                    continue
            else:
                return
            with other:
                relay(self.request, other)
    Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
    """

  /// Clients retry until it listens.
  init(to ports: [UInt16]) throws {
    port = try FreePort.next()
    folder = try TemporaryFolder()
    child = try Child(
      URL(filePath: "/usr/bin/python3"), ["-c", Self.program, "\(port)"] + ports.map { "\($0)" },
      environment: Child.surroundings(home: folder.url.path), in: folder.url, name: "balancer")
  }

  func end() { child.endNow() }
}
