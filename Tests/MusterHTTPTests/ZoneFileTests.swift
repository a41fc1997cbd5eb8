import Foundation
import MusterInterchange
import MusterLocation
import MusterModel
import MusterTestKit
import Testing

@testable import MusterHTTP

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
    <kml><Document><Placemark><name>Area</name><description>Steep &amp;amp; &lt;i&gt;wet&lt;/i&gt;
    </description><Polygon><outerBoundaryIs><LinearRing><coordinates>
    -7.6,40.3,0 -7.5,40.3,0 -7.5,40.4,0 -7.6,40.3,0</coordinates></LinearRing></outerBoundaryIs>
    </Polygon></Placemark><Placemark><name>Well</name><Point><coordinates>-7.6,40.3</coordinates>
    </Point></Placemark></Document></kml>
    """

  private func file(
    _ text: String, kind: FenceKind? = nil, radius: Double? = nil
  ) throws -> ZoneFile {
    try ZoneFile(Data(text.utf8), named: "a/areas.x", kind: kind, radiusMetres: radius)
  }

  @Test func `areas of GeoJSON keep what the file states, and the others are named`() throws {
    let content = try file(Self.geojson)
    #expect(content.zones.map(\.draft.name) == ["Camp", "areas 2"])
    #expect(content.zones.map(\.draft.kind) == [.muster, .info])
    #expect(content.zones.map(\.isActive) == [false, true])
    #expect(
      content.outcome.omissions.map(\.place) == ["line 4 (Well)", "line 8 (Road)"])
    let points = try file(Self.geojson, kind: .hazard, radius: 50)
    #expect(points.zones.map(\.draft.name) == ["Camp", "Well", "areas 3"])
    #expect(Set(points.zones.map(\.draft.kind)) == [.hazard])
    let well = try #require(Coordinate(latitudeE7: 465_000_000, longitudeE7: 75_000_000))
    #expect(points.zones[1].draft.geometry == .circle(center: well, radiusCentimetres: 5000))
  }

  @Test func `areas of KML become zones, and points with a radius`() throws {
    let content = try file("\u{FEFF}" + Self.kml)
    #expect(content.zones.map(\.draft.name) == ["Area"])
    #expect(content.zones[0].draft.properties == #"{"description":"Steep & wet"}"#)
    #expect(
      content.outcome.omissions.map(\.description) == [
        "line 4 (Well), a point: give a radius for a zone around it (radius_m in GeoJSON)"
      ])
    #expect(try file(Self.kml, radius: 1).zones.map(\.draft.name) == ["Area", "Well"])
    #expect(throws: OverlayFault.self) { try file("<html/>") }
  }

  @Test func `a zone across 180 degrees has its two halves`() throws {
    let kml = Self.kml.replacing(
      "-7.6,40.3,0 -7.5,40.3,0 -7.5,40.4,0 -7.6,40.3,0",
      with: "179,-17 -179,-17 -179,-16 179,-16 179,-17")
    let geometry = try #require(try file(kml).zones.first?.draft.geometry)
    guard case .polygons(let parts) = geometry else { throw OverlayFault("a circle") }
    #expect(parts.count == 2)
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
    #expect(content.zones.isEmpty && content.outcome.used == 0 && content.outcome.leftOut == 2)
  }

  @Test func `a page reads the zones of any file, with what was left out`() async throws {
    try await WebStage.run { web in
      let path = "/api/v1/fences/drafts?file=areas.kml"
      let read = try await web.client.ask("POST", path, body: Self.kml)
      #expect(read.status == 200)
      let feature = read.json["features"].elements?.first
      #expect(feature?["properties"]["name"].word == "Area")
      #expect(feature?["properties"]["description"].word == "Steep & wet")
      #expect(read.json["import"]["leftOut"] == .count(1))
      let round = try await web.client.ask("POST", path + "&radius=50", body: Self.kml)
      #expect(round.json["features"].elements?.last?["properties"]["radius_m"] == .count(50))
      let other = try await web.client.ask("POST", path, body: "<html/>")
      #expect(other.status == 422)
    }
  }
}

@Suite struct `Reports of a file` {
  private func file(_ text: String) throws -> ReportFile {
    let folder = try TestFolder()
    let path = try folder.write(Data(text.utf8), as: "hydrants.gpx")
    return try ReportFile(opening: path, category: .access, severity: 2)
  }

  @Test func `points become reports, and what else there is is named`() throws {
    var content = try file(
      """
      <gpx><wpt lat="46.5" lon="7.5"><name>Hydrant
      3</name><desc>&lt;b&gt;Frozen&lt;/b&gt;</desc></wpt>
      <wpt lat="46.6" lon="7.5"/><wpt lat="146" lon="7"><name>Far</name></wpt>
      <rte><rtept lat="46" lon="7"/><rtept lat="47" lon="7"/></rte></gpx>
      """)
    #expect(content.drafts.map(\.title) == ["Hydrant 3", "hydrants 2"])
    #expect(content.drafts.map(\.details) == ["Frozen", nil])
    #expect(content.drafts.allSatisfy { $0.category == .access && $0.severity == 2 })
    #expect(content.drafts[0].position == Coordinate(latitude: 46.5, longitude: 7.5))
    #expect(
      content.outcome.omissions.map(\.reason) == [
        "7, 146 is not a longitude and a latitude", "a line: a report is at a point",
      ])
    content.leaveOut([])
    #expect(content.outcome.used == 2)
  }
}
