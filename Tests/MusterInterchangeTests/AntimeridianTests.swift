import Foundation
import MusterModel
import Testing

@testable import MusterInterchange

@Suite struct `Lines and areas across 180 degrees` {
  private func line(_ longitudes: [Double]) -> [Coordinate] {
    longitudes.enumerated().map { degrees(-16.8 + Double($0) / 100, $1) }
  }

  @Test func `a line is cut where it crosses, and keeps its positions`() {
    let ferry = line([179.95, 179.99, -179.97, -179.93])
    let parts = Antimeridian.parts(ofLine: ferry)
    #expect(
      parts.map { $0.map(\.longitude) } == [[179.95, 179.99, 180], [-180, -179.97, -179.93]])
    // A quarter of the way from one position to the next.
    #expect(parts[0][2].latitude == -16.7875 && parts[1][0].latitude == -16.7875)
    for whole in [line([7, 8]), line([-180, 180]), line([10, -170]), line([179, 180])] {
      #expect(Antimeridian.parts(ofLine: whole) == [whole])
    }
    let onIt = Antimeridian.parts(ofLine: line([179, 180, -179, -180, 179]))
    #expect(
      onIt.map { $0.map(\.longitude) } == [[179, 180], [-180, -179, -180], [180, 179]])
  }

  @Test func `an area is cut into one on each side, with its holes`() {
    let ring = [(-10.0, 179.0), (-10, -179), (-8, -179), (-8, 179), (-10, 179)]
      .map { degrees($0, $1) }
    let hole = [(-9.5, -179.8), (-9.5, -179.5), (-9, -179.5), (-9.5, -179.8)].map {
      degrees($0, $1)
    }
    let parts = Antimeridian.parts(ofPolygon: [ring, hole])
    #expect(parts.map(\.count) == [2, 1] || parts.map(\.count) == [1, 2])
    for part in parts {
      #expect(part.allSatisfy { $0.first == $0.last })
      let longitudes = part[0].map(\.longitude)
      #expect([[179, 180], [-180, -179]].contains([longitudes.min(), longitudes.max()]))
    }
    let plain = ring.map { degrees($0.latitude, abs($0.longitude) - 170) }
    #expect(Antimeridian.parts(ofPolygon: [plain]) == [[plain]])
  }

  @Test(arguments: [
    ([[179.9, -179.9]], 179.9, -179.9), ([[7.5], [7.6]], 7.5, 7.6), ([[7.5]], 7.5, 7.5),
    ([[179.9, 180], [-180, -179.9]], 179.9, -179.9), ([[170, 180]], 170, 180),
    ([[-180, -170]], -180, -170), ([[-170], [170]], 170, -170), ([[-90], [90]], -90, 90),
    ([[-180, -90, 0, 90, 180]], -180, 180), ([[0, 100, -160, -60, 0]], -180, 180),
  ])
  func `an extent is the smallest one`(shapes: [[Double]], west: Double, east: Double) throws {
    let extent = try #require(Antimeridian.extent(of: shapes.map(line)))
    #expect(extent.west == Int32(west * 1e7) && extent.east == Int32(east * 1e7), "\(extent)")
  }

  @Test func `a zone across it is imported as one zone of two areas`() throws {
    for ring in [
      "[[179,-10],[-179,-10],[-179,-8],[179,-8],[179,-10]]",
      "[[179,-10],[181,-10],[181,-8],[179,-8],[179,-10]]",
    ] {
      let fence = try #require(try fences(polygon(ring)).first)
      guard case .polygons(let polygons) = fence.geometry else {
        Issue.record("no area")
        return
      }
      let longitudes = Set(polygons.flatMap { $0.outer.vertices.map(\.longitude) })
      #expect(polygons.count == 2 && longitudes == [179, 180, -180, -179])
    }
  }

  @Test func `a track across it is exported in two parts`() {
    let start = Timestamp(milliseconds: 1_786_320_000_000)
    let fixes = line([179.99, -179.97]).map { Fix(position: $0, sampleTime: start) }
    let track = OperationExport.PersonTrack(callsign: "Ana", fixes: fixes)
    let feature = GeoJSON.feature(of: track)
    #expect(feature.contains("MultiLineString") && feature.contains("[180,"), "\(feature)")
    let kml = OperationExport(
      name: "Op", users: [], reports: [], fences: [], events: [], tracks: [track]
    ).kml()
    #expect(kml.components(separatedBy: "<LineString>").count == 3)
  }
}
