import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  /// Maps of the command line, and places that are far from everybody.
  @Suite struct MapTests {
    private static let outline = """
      {"type": "LineString", "coordinates": [[8.54, 47.37], [8.55, 47.38]]}
      """

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
          // Latitude and longitude in the wrong order
          ["report", "add", "--title", "Fire", "--at", "8.54,47.37"],
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
  }
}
