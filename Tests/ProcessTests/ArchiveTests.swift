import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  /// Real nodes, a real PostgreSQL server, and `muster-archive` between them.
  @Suite(.needsPostgreSQL) struct ArchiveTests {
    /// Starts the program on a laptop's home.
    func begin(
      _ words: [String], on laptop: Laptop?, in field: Field, cluster: PostgresCluster
    ) throws -> Child {
      let home = laptop.map { ["--home", $0.home.path] } ?? []
      return try Child(
        Program.located("muster-archive"), words + home + ["--database", cluster.url],
        environment: Child.surroundings(home: field.path("unused"))
          .merging(laptop.map { ["MUSTER_STATE": $0.state.path] } ?? [:]) { $1 },
        in: field.folder, name: "archive-\(UInt32.random(in: .min ... .max))")
    }

    /// Runs a command of the program that must succeed.
    @discardableResult
    func archive(
      _ words: String..., on laptop: Laptop? = nil, in field: Field, cluster: PostgresCluster
    ) async throws -> Ended {
      let child = try begin(words, on: laptop, in: field, cluster: cluster)
      let ended = try await child.end(within: .seconds(60))
      guard ended.status == 0 else { throw Failed("\(ended)") }
      return ended
    }

    /// Two laptops that never meet, each with a report of its own.
    func apart(in field: Field) async throws -> (anna: Laptop, ben: Laptop) {
      let anna = try await field.founder("Anna")
      let ben = try await joiner("Ben", of: anna, role: "member", in: field)
      try await anna.send(
        "report", "add", "--title", "Smoke over the ridge", "--at", "46.05,14.5", "--severity", "4")
      try await anna.send(
        "fence", "add", "--name", "School", "--kind", "muster", "--circle", "46.06,14.51,150")
      try await ben.send("report", "add", "--title", "Bridge down", "--at", "46.1,14.6")
      try await anna.send("position", "set", "46.06,14.51")
      return (anna, ben)
    }

    /// Enrols a laptop by files: it needs no connection.
    func joiner(
      _ name: String, of anna: Laptop, role: String, in field: Field
    ) async throws -> Laptop {
      let laptop = try field.laptop(name)
      let (request, grant) = (field.path("\(name).request"), field.path("\(name).grant"))
      try await laptop.send("join", "--request", request, "--callsign", name)
      try await anna.send("admit", request, "--role", role, "--out", grant)
      try await laptop.send("join", "--grant", grant)
      return laptop
    }

    @Test func `posts that never meet are one operation in the archive, and in its tables`()
      async throws
    {
      try await Field.run { field in
        try await PostgresCluster.run { cluster in
          let (anna, ben) = try await apart(in: field)
          let eve = try await joiner("Eve", of: anna, role: "archive", in: field)
          // Given both have fed the archive, and Anna twice
          for post in [anna, ben, anna] {
            try await archive("import", on: post, in: field, cluster: cluster)
          }
          // When the archive's device projects, which holds nothing but its keys
          let projected = try await archive(
            "project", "--json", on: eve, in: field, cluster: cluster
          ).json()
          // Then its state is what the laptops have once they hold the same frames,
          let stick = field.path("eve.bundle")
          try await eve.send("bundle", "create", stick)
          for laptop in [anna, ben] { try await laptop.send("bundle", "merge", stick) }
          let hash = try await anna.stateHash()
          #expect(try await ben.stateHash() == hash)
          #expect(projected["stateHash"].text == hash)
          try await eve.requireSound()
          // and the tables have it.
          let reports = "SELECT title, callsign FROM muster.reports ORDER BY title"
          #expect(
            try await cluster.query(reports) == "Bridge down|Ben\nSmoke over the ridge|Anna")
          let events = "SELECT type, fence_name, callsign FROM muster.events"
          #expect(try await cluster.query(events) == "ENTER|School|Anna")
          // Everything is derived: dropped, and projected again by another device, it is the same.
          let all = """
            SELECT md5(string_agg(document::text, '' ORDER BY document::text)) FROM
              (SELECT document FROM muster.reports UNION ALL SELECT document FROM muster.fences
               UNION ALL SELECT document FROM muster.events) AS everything
            """
          let before = try await cluster.query(all)
          try await cluster.query(
            """
            DROP TABLE muster.projections, muster.users, muster.reports, muster.fences,
              muster.events, muster.directives, muster.positions, muster.records
            """)
          let again = try await archive(
            "project", "--json", on: anna, in: field, cluster: cluster
          ).json()
          #expect(again["stateHash"].text == hash)
          #expect(try await cluster.query(all) == before)
          // Anna's own node knows her position too.
          let inside = """
            SELECT p.callsign FROM muster.positions p JOIN muster.fences f
              ON ST_DWithin(p.position, f.area, 0)
            """
          #expect(try await cluster.query(inside) == "Anna")
        }
      }
    }

    @Test func `photos are archived sealed, projected in clear, and come back with an export`()
      async throws
    {
      try await Field.run { field in
        try await PostgresCluster.run { cluster in
          let anna = try await field.founder("Anna")
          let picture = field.folder.appending(path: "red.png").path
          try #require(Data(base64Encoded: PhotoTests.png)).write(to: URL(filePath: picture))
          try await anna.send("report", "add", "--title", "Gas smell", "--photo", picture)
          let county = try await joiner("County", of: anna, role: "archive", in: field)
          let dan = try await joiner("Dan", of: anna, role: "command", in: field)
          // When the frames and photos of a post are archived, twice
          try await archive("import", on: anna, in: field, cluster: cluster)
          let again = try await archive(
            "import", "--json", on: anna, in: field, cluster: cluster
          ).json()
          #expect(again["photoUnits"]["new"].number == 0)
          // Then the tables have the photo that no other device ever had,
          let projected = try await archive(
            "project", "--json", on: county, in: field, cluster: cluster
          ).json()
          #expect(projected["photos"].number == 1)
          let columns = "SELECT callsign, type, substr(content, 1, 3) FROM muster.blobs"
          #expect(try await cluster.query(columns) == #"Anna|image/jpeg|\xffd8ff"#)
          // and an export restores it on a new laptop.
          let bundle = field.path("all.bundle")
          try await archive("export", bundle, on: county, in: field, cluster: cluster)
          try await dan.send("bundle", "merge", bundle)
          let file = field.path("got.jpg")
          try await dan.send("report", "photo", "Gas smell", "1", "--out", file)
          #expect(try Data(contentsOf: URL(filePath: file)).starts(with: [0xFF, 0xD8, 0xFF]))
          try await dan.requireSound()
        }
      }
    }

    @Test func `a search finds by text, area, person and time`() async throws {
      try await Field.run { field in
        try await PostgresCluster.run { cluster in
          let (anna, ben) = try await apart(in: field)
          for post in [anna, ben] {
            try await archive("import", on: post, in: field, cluster: cluster)
          }
          try await archive("project", on: anna, in: field, cluster: cluster)
          func find(_ words: String...) async throws -> [String] {
            let child = try begin(
              ["search", "--json"] + words, on: nil, in: field, cluster: cluster)
            let ended = try await child.end(within: .seconds(60))
            let found = try ended.json()
            return found.items.compactMap { $0["text"].text }
          }
          #expect(try await find("SMOKE") == ["Smoke over the ridge"])
          #expect(try await find("bridge", "--person", "anna") == [])
          #expect(
            try await find("--area=46.05,14.5,500", "--operation", "river flood")
              == ["Smoke over the ridge"])
          #expect(try await find("--person", "Ben").contains("Bridge down"))
          #expect(try await find("smoke", "--until", "2001-01-01T00:00:00Z") == [])
        }
      }
    }

    @Test func `positions that a revoked device sent leave the tables`() async throws {
      try await Field.run { field in
        try await PostgresCluster.run { cluster in
          let anna = try await field.founder("Anna")
          let ben = try await joiner("Ben", of: anna, role: "member", in: field)
          func project() async throws -> String {
            try await archive("import", on: anna, in: field, cluster: cluster)
            try await archive("project", on: anna, in: field, cluster: cluster)
            return try await cluster.query(
              """
              SELECT callsign, round(ST_Y(position::geometry)::numeric, 3) FROM muster.positions
              ORDER BY callsign, at
              """)
          }
          // Given positions of both, which are in no frame yet
          try await anna.send("position", "set", "46.06,14.5")
          for (minute, place) in [(10, "46.1,14.6"), (20, "46.102,14.6")] {
            try await ben.send("position", "set", place, "--time", "2026-11-01T08:\(minute):00Z")
            let stick = field.path("\(minute).bundle")
            try await ben.send("bundle", "create", stick)
            try await anna.send("bundle", "merge", stick)
            _ = try await project()
          }
          let before = try await project()
          #expect(before == "Anna|46.060\nBen|46.100\nBen|46.102")
          // when Ben's laptop is revoked, then of them the node's last known position remains,
          let device = try #require(try await ben.ask("status")["device"].text)
          try await anna.send("revoke", device, "--yes")
          for _ in 1...2 {
            let after = try await project()
            #expect(after == "Anna|46.060\nBen|46.102")
          }
          // and no frame was deleted.
          let frames = try await cluster.query(
            "SELECT count(*) = (SELECT sum(stored) FROM muster.posts) FROM muster.frames")
          #expect(frames == "t")
        }
      }
    }

    @Test func `what a device sent past its cut-off leaves the positions, between running nodes`()
      async throws
    {
      try await Field.run { field in
        try await PostgresCluster.run { cluster in
          let anna = try await field.founder("Anna")
          let ben = try await joiner("Ben", of: anna, role: "member", in: field)
          let county = try await joiner("County", of: anna, role: "archive", in: field)
          try await anna.send("settings", "set", "--share-track")
          func ride(_ hour: Int, beside other: RunningNode) async throws {
            let node = try await ben.run(
              peers: [other], "--gpx", try track(hour: hour, in: field), "--speed", "100000")
            try await eventually("the ride is over") {
              try node.child.complaints.contains("the track has ended")
            }
            // The whole track is in frames, but for the fixes of the next segment.
            let other = hour == 8 ? anna : county
            try await inStep(ben, other)
            try await eventually("the frames arrived") {
              try await ben.ask("status")["frames"] == other.ask("status")["frames"]
            }
            try await node.stop()
          }
          /// Ben's positions of the hours of both rides.
          func positions() async throws -> [Int] {
            try await archive("import", on: county, in: field, cluster: cluster)
            try await archive("project", on: county, in: field, cluster: cluster)
            let counts = try await cluster.query(
              """
              SELECT count(*) FILTER (WHERE at < '2026-11-01T09:00:00Z'),
                count(*) FILTER (WHERE at >= '2026-11-01T09:00:00Z')
              FROM muster.positions WHERE callsign = 'Ben'
              """)
            return counts.split(separator: "|").compactMap { Int($0) }
          }
          // Given a ride that command and the archive received,
          let annasNode = try await anna.run()
          let countysNode = try await county.run(peers: [annasNode])
          try await ride(8, beside: annasNode)
          try await inStep(anna, county)
          try await annasNode.stop()
          // and one that command did not
          try await ride(9, beside: countysNode)
          let before = try await positions()
          try #require(before.count == 2 && before[0] >= 128 && before[1] >= 100, "\(before)")
          // when command revokes the laptop, and meets the archive's device,
          let device = try #require(try await ben.ask("status")["device"].text)
          try await anna.send("revoke", device, "--yes")
          _ = try await anna.run(peers: [countysNode])
          try await inStep(anna, county)
          // then of the second ride the last known position remains at most.
          let after = try await positions()
          #expect(after.count == 2 && after[0] >= 128 && after[1] <= 1, "\(after)")
          let kept = try await cluster.query(
            "SELECT count(*) = (SELECT sum(stored) FROM muster.posts) FROM muster.frames")
          #expect(kept == "t", "frames were deleted")
        }
      }
    }

    /// Writes a ride of 130 fixes, two seconds apart, that begins at an hour.
    private func track(hour: Int, in field: Field) throws -> String {
      let points = (0..<130).map { number in
        let time = String(format: "%02d:%02d", number * 2 / 60, number * 2 % 60)
        return """
          <trkpt lat="\(46 + Double(number) / 1000)" lon="14.\(hour)">\
          <time>2026-11-01T0\(hour):\(time)Z</time></trkpt>
          """
      }
      let text = """
        <gpx version="1.1"><trk><trkseg>\(points.joined())</trkseg></trk></gpx>
        """
      let file = field.path("\(hour).gpx")
      try text.write(toFile: file, atomically: true, encoding: .utf8)
      return file
    }

    @Test func `a replaced laptop gets everything back from a blind archive`() async throws {
      try await Field.run { field in
        try await PostgresCluster.run { cluster in
          let anna = try await field.founder("Anna")
          // The archive's own device is a relay, which holds no keys.
          let relay = try await joiner("County", of: anna, role: "relay", in: field)
          try await anna.send("report", "add", "--title", "Smoke")
          let new = try await joiner("Dan", of: anna, role: "member", in: field)
          try await archive("import", on: anna, in: field, cluster: cluster)
          let blind = try begin(["project"], on: relay, in: field, cluster: cluster)
          let ended = try await blind.end(within: .seconds(60))
          #expect(ended.status == 1 && ended.errors.contains("is a relay"), "\(ended)")
          // No title is readable in the database.
          let clear = try await cluster.query(
            "SELECT count(*) FROM muster.frames WHERE position('Smoke'::bytea IN body) > 0")
          #expect(clear == "0")
          let bundle = field.path("back.bundle")
          try await archive("export", bundle, on: relay, in: field, cluster: cluster)
          try await new.send("bundle", "merge", bundle)
          // Its own first frames go the other way.
          let stick = field.path("dan.bundle")
          try await new.send("bundle", "create", stick)
          try await anna.send("bundle", "merge", stick)
          #expect(try await new.stateHash() == anna.stateHash())
          let titles = try await new.ask("report", "list").items.map { $0["title"].text }
          #expect(titles == ["Smoke"])
          try await new.requireSound()
        }
      }
    }

    @Test func `a node does not notice that PostgreSQL fails, and the archive catches up`()
      async throws
    {
      try await Field.run { field in
        try await PostgresCluster.run { cluster in
          let anna = try await field.founder("Anna")
          _ = try await anna.run()
          let follower = try begin(
            ["follow", "--every", "1"], on: anna, in: field, cluster: cluster)
          defer { follower.endNow() }
          func archived() async throws -> Int {
            let exists = try await cluster.query("SELECT to_regclass('muster.posts') IS NOT NULL")
            guard exists == "t" else { return 0 }
            return Int(try await cluster.query("SELECT count(*) FROM muster.frames")) ?? -1
          }
          func expectAll() async throws {
            try await eventually("everything is archived", within: .seconds(90)) {
              let frames = try await anna.ask("status")["frames"].number
              return try await archived() == frames.map { Int($0) }
            }
          }
          try await anna.send("report", "add", "--title", "before")
          try await expectAll()
          try await cluster.kill()
          for number in 1...5 { try await anna.send("report", "add", "--title", "\(number)") }
          try await eventually("the follower reports it") {
            try follower.complaints.contains("trying again")
          }
          try await cluster.start()
          try await expectAll()
          #expect(follower.isRunning)
          #expect(try await anna.ask("report", "list").items.count == 6)
        }
      }
    }
  }
}
