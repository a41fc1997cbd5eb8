import Foundation
import MusterLocation
import MusterModel
import MusterTestKit
import Testing

struct RecordedTrackTests {
  private static let repository = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let ride = repository.deletingLastPathComponent()
    .appending(path: "shared/tracks/cerknicko-jezero.gpx")
  private let anyTime = Timestamp(milliseconds: 0)

  @Test(.enabled(if: Installed.hasFile(ride), "needs ../shared/tracks/cerknicko-jezero.gpx"))
  func `a recorded ride is read whole`() throws {
    let track = try GPXTrack.parse(Data(contentsOf: Self.ride))
    #expect(track.points.count == 296)
    let fixes = track.fixes(startingAt: anyTime)
    #expect(fixes.count == 296)
    #expect(fixes.last?.sampleTime.description == "2010-08-05T16:23:49Z")
  }

  @Test func `the demo's walk ends inside 200 metres of its end from the 28th point on`() throws {
    let file = Self.repository.appending(path: "simulations/tracks/valley-walk.gpx")
    let fixes = try GPXTrack.parse(Data(contentsOf: file)).fixes(startingAt: anyTime)
    #expect(fixes.count == 40)
    #expect(fixes.first?.sampleTime.description == "2026-08-15T14:00:00Z")
    let end = try #require(fixes.last).position
    let inside = fixes.map { distance($0.position, end) < 200 }
    #expect(inside == fixes.indices.map { $0 >= 27 })
    for (one, next) in zip(fixes, fixes.dropFirst()) {
      let seconds = Double(next.sampleTime.milliseconds(since: one.sampleTime)) / 1000
      #expect(seconds == 30)
      #expect(distance(one.position, next.position) / seconds < 1.8, "faster than a brisk walk")
    }
  }

  /// Metres on a sphere, by the haversine formula; within half a percent of the ellipsoid.
  private func distance(_ one: Coordinate, _ other: Coordinate) -> Double {
    let (latitude, otherLatitude) = (one.latitude * .pi / 180, other.latitude * .pi / 180)
    let longitude = (other.longitude - one.longitude) * .pi / 180
    let half =
      pow(sin((otherLatitude - latitude) / 2), 2)
      + cos(latitude) * cos(otherLatitude) * pow(sin(longitude / 2), 2)
    return 2 * 6_371_000 * asin(half.squareRoot())
  }
}
