import Foundation
import MusterModel
import Testing

@testable import muster

@Suite struct `Zones of a file` {
  private static let geojson = """
    {"type": "FeatureCollection", "features": [
      {"type": "Feature", "properties": {"name": "Camp", "kind": "muster", "active": false},
       "geometry": {"type": "Polygon", "coordinates": [[[7, 46], [8, 46], [8, 47], [7, 46]]]}},
      {"type": "Feature", "properties": {"name": "Well"},
       "geometry": {"type": "Point", "coordinates": [7.5, 46.5]}},
      {"type": "Feature", "properties": {},
       "geometry": {"type": "Polygon", "coordinates": [[[7, 46], [8, 46], [8, 47], [7, 46]]]}},
      {"type": "Feature", "properties": {"name": "Road"},
       "geometry": {"type": "LineString", "coordinates": [[7, 46], [8, 46]]}}]}
    """
  private static let kml = """
    <kml><Document><Placemark><name>Area</name><Polygon><outerBoundaryIs><LinearRing><coordinates>
    -7.6,40.3,0 -7.5,40.3,0 -7.5,40.4,0 -7.6,40.3,0</coordinates></LinearRing></outerBoundaryIs>
    </Polygon></Placemark><Placemark><name>Well</name><Point><coordinates>-7.6,40.3</coordinates>
    </Point></Placemark></Document></kml>
    """

  private func file(
    _ text: String, kind: FenceKind? = nil, radius: UInt32? = nil
  ) throws -> ZoneFile {
    try ZoneFile(Data(text.utf8), path: "a/areas.x", kind: kind, radiusCentimetres: radius)
  }

  @Test func `areas of GeoJSON keep what the file states, and the others are named`() throws {
    let content = try file(Self.geojson)
    #expect(content.zones.map(\.draft.name) == ["Camp", "areas 2"])
    #expect(content.zones.map(\.draft.kind) == [.muster, .info])
    #expect(content.zones.map(\.isActive) == [false, true])
    #expect(content.leftOut.count == 2 && content.leftOut[0].contains("Well"))
    let points = try file(Self.geojson, kind: .hazard, radius: 5000)
    #expect(points.zones.map(\.draft.name) == ["Camp", "Well", "areas 3"])
    #expect(Set(points.zones.map(\.draft.kind)) == [.hazard])
    let well = try #require(Coordinate(latitudeE7: 465_000_000, longitudeE7: 75_000_000))
    #expect(points.zones[1].draft.geometry == .circle(center: well, radiusCentimetres: 5000))
  }

  @Test func `areas of KML become zones, and points with a radius`() throws {
    let content = try file("\u{FEFF}" + Self.kml)
    #expect(content.zones.map(\.draft.name) == ["Area"])
    #expect(content.leftOut.count == 1 && content.leftOut[0].contains("--radius"))
    #expect(try file(Self.kml, radius: 100).zones.map(\.draft.name) == ["Area", "Well"])
    #expect(throws: Refusal.self) { try file("<html/>") }
  }

  @Test func `a zone that exists is not added again`() throws {
    var content = try file(Self.kml)
    let draft = content.zones[0].draft
    let now = Timestamp(milliseconds: 0)
    let known = FenceSummary(
      id: RowID(raw: .zero), name: draft.name, kind: .info, isActive: true,
      geometry: draft.geometry, dwellSeconds: 0, mode: .careful, needs: nil, properties: "",
      inside: [], conflicts: [], createdAt: now, updatedAt: now)
    content.leaveOut([known])
    #expect(content.zones.isEmpty && content.leftOut.count == 2)
  }
}
