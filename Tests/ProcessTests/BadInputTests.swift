import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  @Suite struct BadInputTests {
    @Test func `invalid files change nothing`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let before = try await facts(of: anna)
        for (name, contents, reason) in outlines {
          let file = try field.file("\(name).geojson", contents)
          try await anna.attempt("fence", "add", "--name", name, "--geojson", file)
            .expectRefusal(containing: reason)
        }
        try await anna.attempt("fence", "add", "--name", "X", "--geojson", field.path("nowhere"))
          .expectRefusal(containing: "No such file")
        for (name, contents, reason) in tracks {
          let file = try field.file("\(name).gpx", contents)
          try await anna.attempt("run", "--listen", "127.0.0.1:0", "--gpx", file)
            .expectRefusal(containing: reason)
        }
        #expect(try await facts(of: anna) == before)
      }
    }

    @Test func `invalid settings stop a node from starting, and the error names their location`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let file = anna.home.appending(path: "muster.toml")
        for (text, reason) in [
          ("lisen = \"127.0.0.1:0\"", "muster.toml:1: there is no setting 'lisen'"),
          ("\nlink-rate = \"slow\"", "muster.toml:2: 'link-rate': 'slow' is not a rate"),
          ("listen = \"127.0.0.1\"", "muster.toml:1: 'listen': the port is missing"),
        ] {
          try Data(text.utf8).write(to: file)
          try await anna.attempt("run").expectRefusal(containing: reason)
        }

        // A flag overrides the file.
        try Data("listen = \"198.51.100.77:1\"\nlink-rate = '64kbit'".utf8).write(to: file)
        try await anna.attempt("run").expectRefusal(containing: "198.51.100.77:1")
        try await anna.run().stop()
      }
    }

    @Test func `a home below a plain file is refused with its path`() async throws {
      try await Field.run { field in
        let file = try field.file("plain", "")
        let laptop = Laptop(
          name: "Unused", field: field, folder: URL(filePath: file).appending(path: "below"))
        for words in [["status"], ["report", "list"], ["run"], ["init", "X", "--callsign", "A"]] {
          try await laptop.attempt(words).expectRefusal(containing: file)
        }
      }
    }

    private var outlines: [(name: String, contents: String, reason: String)] {
      func polygon(_ ring: String) -> String {
        "{\"type\":\"Polygon\",\"coordinates\":[[\(ring)]]}"
      }
      let vertices = (0..<50_000).map { "[\(Double($0) / 1000),\($0 % 2)]" }
      return [
        ("empty", "", "JSON"),
        ("unclosed", polygon("[0,0],[1,0],[1,1],[0,1]"), "clos"),
        ("crossing", polygon("[0,0],[1,1],[1,0],[0,1],[0,0]"), "cross"),
        ("north", polygon("[0,0],[1,0],[1,91],[0,0]"), "latitude"),
        ("number", polygon("[0,0],[1,0],[1,NaN],[0,0]"), "JSON"),
        ("long", polygon((vertices + ["[0,0]"]).joined(separator: ",")), "vertices"),
        ("deep", String(repeating: "[", count: 1_000_000), "JSON"),
        ("none", "{\"type\":\"FeatureCollection\",\"features\":[]}", "outline"),
      ]
    }

    private var tracks: [(name: String, contents: String, reason: String)] {
      func track(_ points: String) -> String { "<gpx><trk><trkseg>\(points)</trkseg></trk></gpx>" }
      return [
        ("empty", "", "not well-formed"),
        ("cut", "<gpx><trk><trkseg><trkpt lat=\"46\" lon=\"14\">", "has no end"),
        ("pointless", track(""), "no track"),
        ("north", track("<trkpt lat=\"91\" lon=\"14\"/>"), "beyond 90"),
        ("number", track("<trkpt lat=\"NaN\" lon=\"14\"/>"), "not a number"),
        ("entities", "<!DOCTYPE x [<!ENTITY a \"b\">]><gpx>&a;</gpx>", "DOCTYPE"),
      ]
    }

    @Test func `invalid arguments change nothing`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        try await anna.send("report", "add", "--title", "Bridge down")
        let before = try await facts(of: anna)

        let long = String(repeating: "x", count: 100_000)
        for (title, reason) in [
          ("\u{1B}[2J", "control character"), ("two\nlines", "control character"),
          ("\u{202E}gnp", "control character"), ("  ", "empty"), (long, "100000 bytes"),
        ] {
          try await anna.attempt("report", "add", "--title", title)
            .expectRefusal(status: 64, containing: reason)
        }
        for (words, reason) in [
          (["report", "add", "--title", "x", "--at", "91,0"], "latitude"),
          (["report", "add", "--title", "x", "--at", "nan,0"], "N or S"),
          (["report", "add", "--title", "x", "--severity", "6"], "severity"),
          (["report", "add", "--title", "x", "--category", "weather"], "category"),
          (["report", "add"], "--title"), (["reprot", "add"], "muster report"),
          (["fence", "add", "--name", "x"], "--circle"),
          (["fence", "add", "--name", "x", "--circle", "1,2,-3"], "radius"),
          (["position", "set", "1,2", "--time", "yesterday"], "RFC 3339"),
          (["run", "--listen", "127.0.0.1"], "port"), (["run", "--speed", "2"], "--gpx"),
          (["join", "--callsign", "Ben"], "--request"),
          (["user", "status", "fine"], "'safe' and 'help'"),
          (["contact", "add", "Fire station"], "--phone"),
          (["contact", "add", "Fire station", "--phone", "call me"], "+351 213 217 777"),
          (["contact", "add", "", "--phone", "112"], "the name is empty"),
          (["contact", "edit", "Fire station"], "--no-at"),
          (["proximity", "report-positive"], "--kind"),
          (["proximity", "report-positive", "--kind", "flu"], "infection, contamination"),
          (["proximity", "consent", "maybe"], "on"),
        ] {
          try await anna.attempt(words).expectRefusal(status: 64, containing: reason)
        }
        for words in [
          ["report", "show", "0123abcd"], ["report", "edit", "0123abcd", "--severity", "1"],
          ["report", "delete", "--yes", "0123abcd"], ["report", "confirm", "0123abcd"],
          ["report", "comment", "0123abcd", "Hello"], ["fence", "show", "0123abcd"],
          ["fence", "delete", "--yes", "0123abcd"], ["fence", "activate", "0123abcd"],
          ["contact", "edit", "0123abcd", "--phone", "112"], ["contact", "remove", "0123abcd"],
          ["proximity", "publish", "0123abcd"], ["proximity", "withdraw", "0123abcd"],
        ] {
          try await anna.attempt(words).expectRefusal(containing: "0123abcd")
        }
        try await anna.attempt("export", "--format", "csv", "--out", "/nonexistent/all.csv")
          .expectRefusal(containing: "No such file or directory")
        // A fix from the future would hide all fixes until then.
        try await anna.attempt("position", "set", "1,2", "--time", "2100-01-01T00:00:00Z")
          .expectRefusal(containing: "ahead of this device's clock")
        #expect(try await facts(of: anna) == before)
        try await anna.requireSound()
      }
    }

    @Test func `a home that is in use stays unchanged`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let node = try await anna.run()
        let before = try await facts(of: anna)
        try await anna.attempt("run", "--listen", "127.0.0.1:0")
          .expectRefusal(containing: "another muster (pid \(node.child.pid))")
        try await anna.attempt("init", "Other", "--callsign", "Eve").expectRefusal(
          containing: "already")
        #expect(try await facts(of: anna) == before)
        try await node.stop()

        let socket = try LoopbackSocket()
        let taken = try await anna.attempt(
          "run", "--no-multicast", "--listen", "127.0.0.1:\(socket.port)")
        taken.expectRefusal(containing: "\(socket.port)")
        #expect(try await facts(of: anna) == before)
      }
    }

    @Test func `a home that cannot be used is reported`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let before = try await facts(of: anna)
        try expose(anna.key, 0o644)
        try await anna.attempt("status").expectRefusal(containing: "chmod 600")
        try expose(anna.key, 0o600)
        try expose(anna.home, 0o777)
        try await anna.attempt("status").expectRefusal(containing: "chmod go-w")
        try expose(anna.home, 0o700)
        // Permissions have no effect if tests run as root.
        if geteuid() != 0 {
          try expose(anna.home, 0)
          try await anna.attempt("status").expectRefusal(containing: anna.home.path)
          try expose(anna.home, 0o700)
        }
        #expect(try await facts(of: anna) == before)

        let ben = try field.laptop("Ben")
        try await ben.attempt("status").expectRefusal(containing: "muster init")
        try Data("no folder".utf8).write(to: ben.home)
        try await ben.attempt("init", "Flood", "--callsign", "Ben")
          .expectRefusal(containing: "not a folder")

        let cora = try field.laptop("Cora" + String(repeating: "a", count: 100))
        try await cora.attempt("init", "Flood", "--callsign", "Cora")
          .expectRefusal(containing: "shorter path")
      }
    }

    private func expose(_ url: URL, _ mode: Int) throws {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    }

    /// The values that only commands change. Roots also change by neighbour records.
    private func facts(of laptop: Laptop) async throws -> [JSON] {
      let status = try await laptop.ask("status")
      return ["stateHash", "frames", "logs"].map { status[$0] }
    }
  }
}
