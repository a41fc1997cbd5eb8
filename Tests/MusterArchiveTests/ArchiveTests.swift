import Foundation
import MusterCrypto
import MusterModel
import MusterSync
import MusterTestKit
import Testing

@testable import MusterArchive

/// Real PostgreSQL servers, and the built program.
@Suite(
  "Archive in PostgreSQL", .serialized, .timeLimit(.minutes(30)),
  .enabled(
    if: PostgresCluster.isInstalled && Installed.has("psql", "setpriv"),
    "needs postgresql and postgresql-postgis"))
struct ArchiveTests {
  /// The program, on the home of Ada's device.
  private struct Sender {
    let folder: TemporaryFolder
    let home: String

    init(of world: World) throws {
      folder = try TemporaryFolder()
      home = try world.writeHome(in: folder.url)
    }

    func file(_ name: String, _ bytes: [UInt8]) throws -> String {
      let file = folder.url.appending(path: name)
      try Data(bytes).write(to: file)
      return file.path
    }

    func begin(_ words: [String], name: String = "program") throws -> Child {
      try Child(
        Program.located("muster-archive"), words, environment: Child.surroundings(home: home),
        in: folder.url, name: name)
    }

    func attempt(_ words: String...) async throws -> Ended {
      try await begin(words).end(within: .seconds(120))
    }

    /// Writes `cert.pem`, signed by itself, and `key.pem`.
    func makeCertificate(from begin: String, to end: String) async throws {
      _ = try file(
        "ca.cnf",
        Array(
          """
          [ca]
          default_ca = own
          [own]
          database = index.txt
          serial = serial
          new_certs_dir = .
          policy = any
          default_md = sha256
          [any]
          commonName = supplied
          [req]
          distinguished_name = name
          [name]
          """.utf8))
      _ = try file("index.txt", [])
      _ = try file("serial", Array("01\n".utf8))
      for words in [
        [
          "req", "-config", "ca.cnf", "-new", "-newkey", "ec", "-pkeyopt",
          "ec_paramgen_curve:P-256", "-nodes", "-keyout", "key.pem", "-out", "request.pem",
          "-subj", "/CN=127.0.0.1",
        ],
        [
          "ca", "-batch", "-selfsign", "-config", "ca.cnf", "-keyfile", "key.pem", "-in",
          "request.pem", "-out", "cert.pem", "-startdate", begin, "-enddate", end, "-notext",
        ],
      ] {
        let ended = try await Child(
          URL(filePath: "/usr/bin/openssl"), words,
          environment: Child.surroundings(home: home), in: folder.url, name: "openssl"
        ).end(within: .seconds(60))
        guard ended.status == 0 else { throw Failed("openssl: \(ended)") }
      }
    }

    func imports(
      _ file: String, into cluster: PostgresCluster, name: String = "program"
    ) throws -> Child {
      try begin(["import", file, "--home", home, "--database", cluster.url], name: name)
    }
  }

  private func expectUnion(
    of frames: [Frame], in cluster: PostgresCluster, at place: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try await cluster.query(
      """
      SELECT count(*), count(DISTINCT sequence), min(sequence), max(sequence) FROM muster.frames
      """)
    #expect(
      found == "\(frames.count)|\(frames.count)|0|\(frames.count - 1)", sourceLocation: place)
    let hashes = try await cluster.query(
      "SELECT string_agg(encode(hash, 'hex'), '' ORDER BY sequence) FROM muster.frames")
    let isSame = hashes == frames.map(\.hash.description).joined()
    #expect(isSame, "every frame is the one that was sent", sourceLocation: place)
    let heads = try await cluster.query("SELECT sequence, is_fork FROM muster.heads")
    #expect(heads == "\(frames.count - 1)|f", sourceLocation: place)
    let stored = try await cluster.query("SELECT sum(stored) FROM muster.posts")
    #expect(stored == "\(frames.count)", "each counted once", sourceLocation: place)
  }

  @Test func `four posts with the same frames are archived as their union`() async throws {
    let world = try World()
    let frames = world.longLog(frames: 6000)
    try await PostgresCluster.run { cluster in
      let sender = try Sender(of: world)
      let file = try sender.file("flood.bundle", world.bundle(runs(of: frames)))
      // When four send everything at once
      let posts = try (1...4).map { try sender.imports(file, into: cluster, name: "post-\($0)") }
      for post in posts {
        let ended = try await post.end(within: .seconds(120))
        #expect(ended.status == 0, "\(ended)")
      }
      // Then each frame is stored once,
      try await expectUnion(of: frames, in: cluster)
      // and nothing that is stored can be changed.
      await #expect(throws: (any Error).self) {
        try await cluster.query("DELETE FROM muster.frames")
      }
      try await expectUnion(of: frames, in: cluster)
    }
  }

  @Test func `posts take turns, and one that hangs in its turn stops no other`() async throws {
    let world = try World()
    let frames = world.longLog(frames: 200)
    try await PostgresCluster.run { cluster in
      let databases = try (0..<3).map { _ in try DatabaseConnection(to: cluster.url) }
      let turns = databases.map { ArchivingTurn(of: world.operation, in: $0) }
      // Given a post in its turn
      try turns[0].begin()
      #expect(turns[0].isHeld)
      // Then another one waits for it, but not for ever,
      try turns[1].begin(within: "50ms")
      #expect(!turns[1].isHeld && turns[1].isGivenUp)
      // and archives without a turn what it has.
      let sender = try Sender(of: world)
      let file = try sender.file("flood.bundle", world.bundle(runs(of: frames)))
      let ended = try await sender.imports(file, into: cluster).end(within: .seconds(60))
      #expect(ended.status == 0, "\(ended)")
      try await expectUnion(of: frames, in: cluster)
      // When the first one has ended its turn, the next begins at once.
      turns[0].end()
      try turns[2].begin(within: "50ms")
      #expect(turns[2].isHeld && !turns[2].isGivenUp)
    }
  }

  @Test func `records are projected with their data sets, and change in place`() async throws {
    let world = try World()
    let user = UserID(raw: Bytes16(high: 1, low: 1))
    let row = RowID(raw: Bytes16(high: 2, low: 2))
    func record(_ value: String?) -> UserRecord {
      UserRecord(
        row: row, user: user, dataset: "route",
        record: RecordSummary(
          key: "next", value: value, syncCount: 7, modifiedAt: Timestamp(milliseconds: 0),
          writtenAt: Timestamp(milliseconds: 0)))
    }
    try await PostgresCluster.run { cluster in
      let archive = try Archive(at: cluster.url)
      try ArchiveSchema.prepareProjection(archive.database)
      func expect(_ records: [UserRecord], _ rows: String) async throws {
        try ProjectedTable.records(records, of: []).write(
          into: archive.database, of: world.operation)
        let found = try await cluster.query(
          "SELECT dataset, key, coalesce(value, '-'), extract(epoch FROM modified_at)::int "
            + "FROM muster.records")
        #expect(found == rows)
      }
      try await expect([record("ridge")], "route|next|ridge|0")
      // A removed record stays, as on nodes; one that does not count any more goes.
      try await expect([record(nil)], "route|next|-|0")
      try await expect([], "")
      // Tables of a program that had no records are completed.
      try await cluster.query("DROP TABLE muster.records, muster.blobs")
      try ArchiveSchema.prepareProjection(archive.database)
      try await expect([record("ridge")], "route|next|ridge|0")
      // So are those of frames: version 1 had no photos.
      try await cluster.query(
        "DROP TABLE muster.units; DROP INDEX muster.frames_with_blobs;"
          + "UPDATE muster.archive SET version = 1")
      _ = try Archive(at: cluster.url)
      #expect(try await cluster.query("SELECT version FROM muster.archive") == "2")
      #expect(try await cluster.query("SELECT count(*) FROM muster.units") == "0")
    }
  }

  @Test func `kills of the archiver and of PostgreSQL lose and double nothing`() async throws {
    let world = try World()
    let frames = world.longLog(frames: 20_000, bytes: 700)
    let kills = ProcessInfo.processInfo.environment["MUSTER_KILLS"].flatMap(Int.init) ?? 10
    try await PostgresCluster.run { cluster in
      let sender = try Sender(of: world)
      let file = try sender.file("flood.bundle", world.bundle(runs(of: frames)))
      var archived = 0
      // A kill after the end of an import proves nothing, and does not count.
      var (round, interrupted) = (0, 0)
      while interrupted < kills, round < 10 * kills {
        defer { round += 1 }
        // The archive is emptied when it is complete, so that each round is killed while it copies.
        if archived == frames.count {
          try await cluster.query("DROP SCHEMA muster CASCADE")
          archived = 0
        }
        let child = try sender.imports(file, into: cluster)
        try await waitForCopy(round: round, by: child, in: cluster)
        if round % 2 == 0 { child.signal(SIGKILL) } else { try await cluster.kill() }
        let ended = try await child.end(within: .seconds(60))
        if ended.status != 0 { interrupted += 1 }
        if round % 2 == 1 {
          #expect(ended.status == 0 || ended.errors.split(separator: "\n").count == 1, "\(ended)")
          try await cluster.start()
        }
        // What was committed before a kill is still there.
        let exists = try await cluster.query("SELECT to_regclass('muster.frames') IS NOT NULL")
        guard exists == "t" else { continue }
        let now = Int(try await cluster.query("SELECT count(*) FROM muster.frames")) ?? -1
        #expect(now >= archived)
        archived = now
      }
      #expect(interrupted == kills, "of \(round) rounds")
      let last = try await sender.imports(file, into: cluster).end(within: .seconds(120))
      #expect(last.status == 0, "\(last)")
      try await expectUnion(of: frames, in: cluster)
    }
  }

  /// Waits until the program copies frames, or has ended; in every second round a little longer.
  private func waitForCopy(
    round: Int, by child: Child, in cluster: PostgresCluster
  ) async throws {
    var seen = 0
    try await eventually("the program copies frames") {
      guard child.isRunning else { return true }
      let active = try await cluster.query(
        """
        SELECT count(*) FROM pg_stat_activity WHERE application_name = 'muster-archive'
          AND (query LIKE 'COPY%' OR query LIKE '%heads%')
        """)
      if active != "0" { seen += 1 }
      return seen > round % 2
    }
  }

  @Test func `a forked log is kept in all its branches, and raises an alert`() async throws {
    let world = try World()
    let main = world.log(of: world.ada, lane: .state, bodies: (1...70).map { [$0] })
    let branch = world.log(
      of: world.ada, lane: .state, bodies: (1...40).map { [$0] } + [[200], [201]])
    try await PostgresCluster.run { cluster in
      let sender = try Sender(of: world)
      // Two posts: each knows one branch.
      for (name, frames) in [("a", main), ("b", branch)] {
        let file = try sender.file(name, world.bundle(runs(of: frames)))
        let ended = try await sender.imports(file, into: cluster).end(within: .seconds(60))
        #expect(ended.status == 0, "\(ended)")
      }
      #expect(try await cluster.query("SELECT count(*) FROM muster.frames") == "73")
      let heads = try await cluster.query(
        "SELECT sequence, is_fork FROM muster.heads ORDER BY sequence")
      #expect(heads == "40|t\n42|f\n70|f")
      let status = try await sender.attempt("status", "--database", cluster.url)
      #expect(status.output.contains("ALERT: 1 fork"), "\(status)")
      // An exported bundle brings both branches to another archive.
      let out = sender.folder.url.appending(path: "out.bundle").path
      let exported = try await sender.attempt(
        "export", out, "--home", sender.home, "--database", cluster.url)
      #expect(exported.status == 0, "\(exported)")
      let before = try await cluster.query(Self.fingerprint)
      try await cluster.query("DROP SCHEMA muster CASCADE")
      let ended = try await sender.imports(out, into: cluster).end(within: .seconds(60))
      #expect(ended.status == 0, "\(ended)")
      #expect(try await cluster.query(Self.fingerprint) == before)
    }
  }

  private static let fingerprint = """
    SELECT md5(string_agg(encode(hash || coalesce(signature, ''), 'hex'), ''
      ORDER BY sequence, hash)) FROM muster.frames
    """

  @Test func `each mistake is answered in one line, and stores nothing`() async throws {
    let world = try World()
    let frames = world.longLog(frames: 100)
    try await PostgresCluster.run { cluster in
      let sender = try Sender(of: world)
      let good = try sender.file("good", world.bundle(runs(of: frames)))
      func expect(
        _ words: [String], _ part: String, at place: SourceLocation = #_sourceLocation
      ) async throws {
        let ended = try await sender.begin(words).end(within: .seconds(60))
        let lines = ended.errors.split(separator: "\n")
        #expect(ended.status == 1 && lines.count == 1, "\(ended)", sourceLocation: place)
        #expect(ended.errors.contains(part), "\(ended)", sourceLocation: place)
        #expect(!ended.errors.contains("sesame"), "\(ended)", sourceLocation: place)
      }
      func importing(_ file: String, at url: String? = nil) -> [String] {
        ["import", file, "--home", sender.home, "--database", url ?? cluster.url]
      }
      try await expect(
        importing(good, at: cluster.url(password: "wrong")), "rejects the credentials")
      try await expect(
        importing(good, at: cluster.url(password: "sesame", database: "nowhere")), "createdb")
      try await expect(importing(good, at: "postgres://muster:sesame@127.0.0.1:1/x"), "reached")
      try await expect(importing(good, at: "postgres://[:sesame"), "malformed")
      try await expect(importing(sender.folder.url.appending(path: "none").path), "cannot read")
      try await expect(importing(sender.file("text", Array("no".utf8))), "not a bundle")
      let out = sender.folder.url.appending(path: "out").path
      try await expect(
        ["export", out, "--home", sender.home, "--database", cluster.url], "has nothing of")
      try await expect(
        ["import", good, "--home", "/nowhere", "--database", cluster.url], "no node")
      // A bundle of another operation, under its own network key.
      let stranger = try World(seed: 50)
      try await expect(
        importing(
          sender.file("other", stranger.bundle(runs(of: stranger.longLog(frames: 40))))),
        "another operation")
      // A forged frame: everything before it is archived.
      var forged = runs(of: frames)
      forged[1][3].body[0] ^= 1
      try await expect(importing(sender.file("forged", world.bundle(forged))), "forged")
      #expect(try await cluster.query("SELECT count(*) FROM muster.frames") == "33")
      // A truncated file keeps what is complete.
      let bytes = try world.bundle(runs(of: frames))
      try await expect(importing(sender.file("cut", Array(bytes.dropLast(100)))), "truncated")
      // A schema of a later program.
      try await cluster.query("UPDATE muster.archive SET version = 99")
      try await expect(importing(good), "schema version 99")
    }
  }

  @Test(.enabled(if: Installed.has("openssl"), "needs openssl"))
  func `a certificate that this machine's clock rejects is one line that names the clock`()
    async throws
  {
    let world = try World()
    try await PostgresCluster.run { cluster in
      let sender = try Sender(of: world)
      // Given a certificate that was valid in 2020 only
      try await sender.makeCertificate(from: "200101000000Z", to: "200102000000Z")
      let files = ["cert.pem", "key.pem"].map { sender.folder.url.appending(path: $0).path }
      try await cluster.serveTLS(certificate: files[0], key: files[1])
      let ended = try await sender.attempt(
        "status", "--database", cluster.url + "?sslmode=verify-ca&sslrootcert=\(files[0])")
      #expect(ended.status == 1 && ended.errors.contains("check the clock"), "\(ended)")
      #expect(ended.errors.split(separator: "\n").count == 1, "\(ended)")
      // Without verification it connects.
      let other = try await sender.attempt("status", "--database", cluster.url)
      #expect(other.status == 0, "\(other)")
    }
  }

  /// Two databases with a part each become one by an export, in either direction.
  @Test func `two archives of one operation are united by an export`() async throws {
    let world = try World()
    let all = runs(of: world.longLog(frames: 300))
    try await PostgresCluster.run { cluster in
      let sender = try Sender(of: world)
      let east = cluster.url
      try await cluster.query("CREATE DATABASE west")
      let west = cluster.url(password: "sesame", database: "west")
      func archive(_ words: String...) async throws {
        let ended = try await sender.begin(words + ["--home", sender.home]).end(
          within: .seconds(60))
        #expect(ended.status == 0, "\(ended)")
      }
      func frames(at url: String) async throws -> JSON {
        try await sender.attempt("status", "--json", "--database", url).json()[0]["frames"]
      }
      // Given both have the beginning, and one has more
      let (part, whole) = try (
        sender.file("part", world.bundle(Array(all[..<4]))),
        sender.file("whole", world.bundle(all))
      )
      try await archive("import", part, "--database", west)
      try await archive("import", whole, "--database", east)
      // When the other one gets an export of it
      let out = sender.folder.url.appending(path: "east.bundle").path
      try await archive("export", out, "--database", east)
      try await archive("import", out, "--database", west)
      // Then both have all frames once.
      #expect(try await frames(at: west) == frames(at: east))
      #expect(try await frames(at: west).number == Double(all.joined().count))
    }
  }

  private func runs(of frames: [Frame]) -> [[Frame]] {
    var log = ArchivedLog()
    var runs = frames.compactMap { log.add($0) }
    if let last = log.takeRun() { runs.append(last) }
    return runs
  }
}
