import Foundation
import MusterTestKit
import Testing

extension ProcessTests {
  @Suite struct TrackTests {
    private static let file = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "shared/tracks/cerknicko-jezero.gpx")

    @Test(.enabled(if: Installed.hasFile(file), "needs ../shared/tracks/cerknicko-jezero.gpx"))
    func `a ride past a fence yields equal events on both laptops, at the ride's times`()
      async throws
    {
      let ride = try Self.points(in: String(contentsOf: Self.file, encoding: .utf8))
      #expect(ride.count == 296)
      let circle = try #require(Self.circle(on: ride))
      let expected = circle.crossings(of: ride)

      try await Field.run { field in
        let anna = try await field.founder("Anna")
        let annasNode = try await anna.run()
        let ben = try await field.joiner("Ben", inviting: anna)
        let fence = try await anna.send(
          "fence", "add", "--name", "Lake", "--circle",
          "\(circle.center.lat),\(circle.center.lon),\(circle.metres)")
        let quiet = try await ben.run(peers: [annasNode])
        try await inStep(anna, ben) { $0["fences"] == .number(1) }
        try await quiet.stop()

        let bensNode = try await ben.run(
          peers: [annasNode], "--gpx", Self.file.path, "--speed", "4000")
        try await eventually("the ride is over") {
          try bensNode.child.complaints.contains("the track has ended")
        }
        try await inStep(anna, ben) { $0["crossings"] == .number(Double(expected.count)) }
        let crossings = try await anna.ask("event", "list").items
        #expect(try await ben.ask("event", "list").items == crossings)
        #expect(crossings.map { Crossing($0) } == expected)
        #expect(crossings.allSatisfy { $0["fence"].text == fence && $0["callsign"].text == "Ben" })
        #expect(Set(crossings.map { $0["id"] }).count == crossings.count)
        // A second ride at the same times adds nothing.
        try await bensNode.stop()
        let again = try await ben.run(
          peers: [annasNode], "--gpx", Self.file.path, "--speed", "1000000")
        try await eventually("the second ride is over") {
          try again.child.complaints.contains("the track has ended")
        }
        try await inStep(anna, ben)
        #expect(try await anna.ask("event", "list").items == crossings)
        try await anna.requireSound()
        try await ben.requireSound()
      }
    }

    struct Point: Hashable {
      let lat, lon: Double
      let time: String

      /// By the haversine formula on a sphere of the Earth's mean radius.
      func metres(to other: Point) -> Double {
        let half = { (degrees: Double) in sin(degrees * .pi / 360) }
        let (north, east) = (half(other.lat - lat), half(other.lon - lon))
        let across = cos(lat * .pi / 180) * cos(other.lat * .pi / 180)
        return 2 * 6_371_008.8 * asin((north * north + across * east * east).squareRoot())
      }
    }

    struct Crossing: Hashable {
      let type: String
      let time: String
      let lat, lon: Double
      let isBaseline: Bool

      init(type: String, at point: Point, isBaseline: Bool = false) {
        self.type = type
        time = point.time
        lat = (point.lat * 1e7).rounded() / 1e7
        lon = (point.lon * 1e7).rounded() / 1e7
        self.isBaseline = isBaseline
      }

      init(_ event: JSON) {
        type = event["type"].text ?? ""
        // This ride has whole seconds.
        time = (event["sampleTime"].text ?? "").replacing(".000Z", with: "Z")
        lat = event["lat"].number ?? 0
        lon = event["lon"].number ?? 0
        isBaseline = event["baseline"].truth ?? false
      }
    }

    struct Circle {
      let center: Point
      let metres: Double

      /// Within 5 m and half a percent, the difference between sphere and ellipsoid.
      func isClear(of ride: [Point]) -> Bool {
        ride.allSatisfy {
          abs($0.metres(to: center) - metres) > 5 + 0.005 * $0.metres(to: center)
        }
      }

      /// ENTER at the first fix inside; EXIT at the second consecutive fix outside, because this
      /// ride has no accuracies.
      func crossings(of ride: [Point]) -> [Crossing] {
        var found: [Crossing] = []
        var outside: Int?
        for (number, point) in ride.enumerated() {
          let isInside = point.metres(to: center) <= metres
          if isInside {
            if found.last?.type != "ENTER" {
              found.append(Crossing(type: "ENTER", at: point, isBaseline: number == 0))
            }
            outside = 0
          } else if let row = outside, found.last?.type == "ENTER" {
            outside = row + 1
            if row + 1 == 2 { found.append(Crossing(type: "EXIT", at: point)) }
          }
        }
        return found
      }
    }

    /// The circle around a fix of the ride with the most crossings and no near misses.
    private static func circle(on ride: [Point]) -> Circle? {
      let candidates = stride(from: 40, to: 260, by: 20).flatMap { number in
        stride(from: 60.0, through: 1500, by: 20).map { Circle(center: ride[number], metres: $0) }
      }
      return candidates.filter { $0.isClear(of: ride) && $0.crossings(of: ride).count >= 2 }
        .max { $0.crossings(of: ride).count < $1.crossings(of: ride).count }
    }

    private static func points(in gpx: String) throws -> [Point] {
      let pattern = /<trkpt lat="([^"]+)" lon="([^"]+)">.*?<time>([^<]+)<\/time>/
      return try gpx.matches(of: pattern.dotMatchesNewlines()).map {
        let (lat, lon) = (try #require(Double($0.1)), try #require(Double($0.2)))
        return Point(lat: lat, lon: lon, time: String($0.3))
      }
    }
  }
}
