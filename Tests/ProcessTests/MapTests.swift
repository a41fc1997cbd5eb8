import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  /// Maps of the command line, and places that are far from everybody.
  @Suite struct MapTests {
    private static let outline = """
      {"type": "LineString", "coordinates": [[8.54, 47.37], [8.55, 47.38]]}
      """

    /// A PMTiles file of images without any tile.
    private static func emptyMap(west: Int, south: Int, east: Int, north: Int) -> Data {
      func number(_ value: Int, bytes: Int) -> [UInt8] {
        (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      }
      let (root, metadata): ([UInt8], [UInt8]) = ([0], Array("{}".utf8))
      var header = Array("PMTiles".utf8) + [3]
      for (offset, length) in [(127, root.count), (128, metadata.count), (130, 0), (130, 0)] {
        header += number(offset, bytes: 8) + number(length, bytes: 8)
      }
      header += [UInt8](repeating: 0, count: 24)
      // Whether it is clustered, no compression twice, PNG, and the zoom levels.
      header += [1, 1, 1, 2, 0, 14]
      for degrees in [west, south, east, north] { header += number(degrees * 10_000_000, bytes: 4) }
      header += [UInt8](repeating: 0, count: 127 - header.count)
      return Data(header + root + metadata)
    }

    @Test func `maps are added, listed and removed without a node, and a node shows them`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let file = try field.file("route.geojson", Self.outline)
        #expect(try await anna.send("map", "list").contains("muster map add"))
        #expect(try await anna.send("map", "add", file).contains("route.geojson added"))
        try FileManager.default.removeItem(atPath: file)
        let node = try await anna.run(peers: [], "--http", "127.0.0.1:0", "--trust-local")
        var port: UInt16 = 0
        try await eventually("the node serves programs") {
          let line = try node.child.complaints.firstMatch(of: /phones on http:.*:(\d+)/)
          port = line.flatMap { UInt16($0.1) } ?? 0
          return port != 0
        }
        let shapes = try HTTPExchange.request(port, "/api/v1/maps/route.geojson/features")
        #expect(shapes.status == 200 && shapes.body.contains("LineString"))
        // While the node runs
        let second = try field.file("more.geojson", Self.outline)
        try await anna.send("map", "add", second)
        #expect(
          try HTTPExchange.request(port, "/api/v1/maps").body.contains("more.geojson"))
        let listed = try await anna.ask("map", "list").items
        #expect(listed.map { $0["kind"].text } == ["overlay", "overlay"])
        try await anna.send("map", "remove", "more.geojson")
        #expect(
          try !HTTPExchange.request(port, "/api/v1/maps").body.contains("more.geojson"))
        try await anna.attempt("map", "remove", "more.geojson")
          .expectRefusal(containing: "use one of route.geojson")
        let text = try field.file("notes.txt", "no map")
        try await anna.attempt("map", "add", text).expectRefusal(containing: "no map")
        try await node.stop()
      }
    }

    /// An area, a point, and a feature without a shape.
    private static let shapes = """
      {"type": "FeatureCollection", "features": [
      {"type": "Feature", "properties": {"name": "Sector 4"}, "geometry": {"type": "Polygon",
        "coordinates": [[[8.5, 47.3], [8.6, 47.3], [8.6, 47.4], [8.5, 47.3]]]}},
      {"type": "Feature", "properties": {"name": "Hydrant", "desc": "Frozen"},
        "geometry": {"type": "Point", "coordinates": [8.55, 47.35]}},
      {"type": "Feature", "properties": {}, "geometry": null}]}
      """

    @Test func `a file becomes zones and reports, and what is left out has its line`() async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let file = try field.file("shapes.geojson", Self.shapes)
        for (what, used) in [("zone", "Sector 4"), ("report", "Hydrant")] {
          try await anna.attempt(what, "import", file, "--strict")
            .expectRefusal(containing: "no \(what) was added; 2 left out: line ")
          let first = try await anna.ask(what, "import", file)
          #expect(first["ids"].items.count == 1)
          #expect(first["import"]["used"].number == 1 && first["import"]["leftOut"].number == 2)
          #expect(first["leftOut"].items.count == 2)
          // Not again.
          let second = try await anna.ask(what, "import", file)
          #expect(second["ids"].items.isEmpty && second["import"]["leftOut"].number == 3)
          let rows = try await anna.ask(what, "list").items
          #expect(rows.map { $0[what == "zone" ? "name" : "title"].text } == [used])
        }
        let report = try await anna.ask("report", "show", "Hydrant")
        #expect(report["description"].text == "Frozen")
        try await anna.attempt("zone", "add", "--name", "A", "--geojson", file, "--strict")
          .expectRefusal(containing: "nothing was done; 2 left out")
        let track = try field.file(
          "walk.gpx",
          """
          <gpx><trk><trkseg><trkpt lat="47" lon="8"/><trkpt lat="97" lon="8"/></trkseg></trk></gpx>
          """)
        try await anna.attempt("run", "--gpx", track, "--strict")
          .expectRefusal(containing: "it is not replayed; 1 left out: line 1")
        try await anna.attempt("report", "import", "nothing.gpx")
          .expectRefusal(containing: "no such file")
      }
    }

    @Test func `doctor checks whether there is a map of this place, and advises`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        func map() async throws -> (state: String?, words: String?, advice: String?) {
          // The exit code is not compared: the port or the clock of the machine may be at fault.
          let findings = try await anna.attempt("doctor", "--json").json()["findings"].items
          let found = try #require(findings.first { $0["subject"].text == "map" })
          return (found["state"].text, found["words"].text, found["advice"].text)
        }
        let none = try await map()
        #expect(none.state == "doubtful" && none.words == "there is no map yet")
        #expect(none.advice?.contains("muster map add FILE") == true)
        let file = field.folder.appending(path: "valley.pmtiles")
        try Self.emptyMap(west: 8, south: 47, east: 9, north: 48).write(to: file)
        try await anna.send("map", "add", file.path)
        #expect(try await map().advice == "muster position set LAT,LON")
        // The area of the operation
        try await anna.send("report", "add", "--title", "Gas", "--at", "47.9,8.54")
        #expect(
          try await map()
            == ("good", "valley.pmtiles covers the area of people, reports and zones", ""))
        try await anna.send("fence", "add", "--name", "School", "--circle", "46.9,8.54,300")
        #expect(
          try await map().words == "no map covers the area of people, reports and zones")
        // The position of this laptop comes first
        try await anna.send("position", "set", "47.37,8.54")
        #expect(
          try await map() == ("good", "valley.pmtiles covers the position of this laptop", ""))
        try await anna.send("position", "set", "46.9,8.54")
        let far = try await map()
        #expect(far.state == "doubtful")
        #expect(far.words == "no map covers the position of this laptop")
        #expect(far.advice?.contains("muster map add FILE") == true)
      }
    }

    @Test func `a place more than 100 km from everybody is written, with a warning`() async throws {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        // No person has a position: there is nothing to compare with.
        let first = try await anna.attempt("position", "set", "47.37,8.54")
        #expect(first.status == 0 && !first.complaint.contains("km"))
        for words in [
          ["position", "set", "47.38,8.54"],
          ["report", "add", "--title", "Gas", "--at", "47.9,8.54"],
        ] {
          let near = try await anna.attempt(words)
          #expect(near.status == 0 && !near.complaint.contains("nearest person"), "\(near)")
        }
        for words in [
          ["report", "add", "--title", "Fire", "--at", "48.54,49.37"],
          ["fence", "add", "--name", "School", "--circle", "47.37,-8.54,300"],
          ["position", "set", "47.37,-8.54"],
        ] {
          let far = try await anna.attempt(words)
          #expect(far.status == 0, "\(far)")
          #expect(far.complaint.contains("km from the nearest person, Anna: check it"), "\(far)")
        }
        #expect(try await anna.ask("report", "list").items.count == 2)
      }
    }

    @Test func `a script that exchanges latitude and longitude gets an error, until it states so`()
      async throws
    {
      try await Field.run { field in
        let anna = try await field.founder("Anna")
        try await anna.send("position", "set", "47.37,", "8.54")
        func places() async throws -> [String] {
          try await anna.send("report", "list", "--json").split(separator: "{").compactMap { item in
            item.firstMatch(of: /"lat":([-0-9.]+),"lon":([-0-9.]+)/).map { "\($0.1),\($0.2)" }
          }
        }
        for words in [
          ["report", "add", "--title", "Fire", "--at", "8.54,47.37"],
          ["report", "add", "--title", "Fire", "--at", "151.2,-33.8"],
          ["zone", "add", "--name", "School", "--circle", "8.54,47.37,300"],
          ["contact", "add", "Police", "--phone", "112", "--at", "8.54,47.37"],
          ["position", "set", "8.54,", "47.37"],
        ] {
          let refused = try await anna.attempt(words)
          let status: Int32 = words.last == "151.2,-33.8" ? 64 : 1
          refused.expectRefusal(status: status, containing: "--swap")
        }
        #expect(try await places() == [])
        let swapped = ["report", "add", "--title", "Fire", "--at", "8.54,47.37", "--swap"]
        #expect(try await anna.attempt(swapped).status == 0)
        #expect(try await places() == ["47.37,8.54"])
        // People in danger wait for no answer: the report is filed, and the doubt stated.
        for (danger, at, place, doubt) in [
          (["--evacuate"], "8.55,47.38", "8.55,47.38", "The position was taken as it is given"),
          (["--severity", "5"], "151.2,-33.8", "-33.8,151.2", "with the longitude first"),
        ] {
          let filed = try await anna.attempt(
            ["report", "add", "--title", "Dam", "--at", at] + danger)
          #expect(filed.status == 0 && filed.complaint.contains(doubt), "\(filed)")
          #expect(try await places().contains(place))
        }
        let kept = ["report", "add", "--title", "Ship", "--at", "8.54,47.37", "--as-given"]
        #expect(try await anna.attempt(kept).status == 0)
        #expect(try await places().contains("8.54,47.37"))
      }
    }
  }
}
