import Foundation
import Testing

@testable import MusterLocation

@Suite struct `An overlay in XML` {
  private func features(_ text: String) throws -> [OverlayFeature] {
    try XMLOverlay.features(of: Data(text.utf8))
  }

  private func fault(_ text: String) -> String {
    do {
      return "\(try features(text).count) features"
    } catch {
      return "\(error)"
    }
  }

  @Test func `waypoints, tracks and routes of GPX have their own names`() throws {
    let found = try features(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx><metadata><name>File</name></metadata>
      <wpt lat="1" lon="2"><ele>5</ele><name> Spring </name></wpt><wpt lat="1" lon="3"/>
      <rte><name>Route</name><rtept lat="1" lon="2"><name>Start</name></rtept>
      <rtept lat="2" lon="2"/></rte>
      <trk><name>Track</name><trkseg><trkpt lat="1" lon="2"/><trkpt lat="1" lon="3"/></trkseg>
      <trkseg><trkpt lat="5" lon="5"/></trkseg>
      <trkseg><trkpt lat="1" lon="4"/><trkpt lat="1" lon="5"/></trkseg></trk></gpx>
      """)
    #expect(found.map(\.name) == ["Spring", "", "Route", "Track", "Track"])
  }

  @Test func `a placemark of KML may have several shapes, and areas may have holes`() throws {
    let ring = "0,0 0,3 3,3 3,0 0,0"
    let hole = "1,1 1,2 2,2 1,1"
    let found = try features(
      """
      <kml xmlns:x="urn:x"><Folder><name>Folder</name><Placemark><name><![CDATA[A & B]]></name>
      <MultiGeometry><Point><coordinates>8.5,47.3,400</coordinates></Point><Polygon>
      <outerBoundaryIs><LinearRing><coordinates>\(ring)</coordinates></LinearRing>
      </outerBoundaryIs><innerBoundaryIs><LinearRing><coordinates>\(hole)</coordinates>
      </LinearRing></innerBoundaryIs></Polygon></MultiGeometry></Placemark></Folder></kml>
      """)
    #expect(found.map(\.name) == ["A & B", "A & B"])
    guard case .polygon(let rings) = found[1].shape else {
      Issue.record("no polygon: \(found)")
      return
    }
    #expect(rings.map(\.count) == [5, 4])
  }

  @Test func `prefixes without a declaration and encodings of one byte are read`() throws {
    let place = "<coordinates>7.5,46.5</coordinates>"
    let text =
      "<kml><Document xsi:schemaLocation='a b'><Placemark><name>H\u{FC}tte</name>"
      + "<gx:balloonVisibility>1</gx:balloonVisibility><Point>\(place)</Point></Placemark>"
      + "</Document></kml>"
    #expect(try features(text).map(\.name) == ["H\u{FC}tte"])
    let latin = "<?xml version='1.0' encoding='ISO-8859-1'?>" + text
    let data = try #require(latin.data(using: .isoLatin1))
    #expect(try XMLOverlay.features(of: data).map(\.name) == ["H\u{FC}tte"])
  }

  @Test func `a name is short, however many accents its first letter has`() throws {
    let name = "a" + String(repeating: "\u{301}", count: 5000)
    let found = try features("<gpx><wpt lat='1' lon='2'><name>\(name)</name></wpt></gpx>")
    let count = try #require(found.first).name.unicodeScalars.count
    #expect((100...200).contains(count))
  }

  @Test func `a text that is written in entities has the same shapes`() throws {
    let place = "8.5,47.25 "
    let entities = place.unicodeScalars.map { "&#\($0.value);" }.joined()
    // 1.7 MB: a reader that copies the text at each entity takes 11 s.
    let found = try features(
      "<kml><Placemark><LineString><coordinates>"
        + String(repeating: entities, count: 32_000)
        + "</coordinates></LineString></Placemark></kml>")
    #expect(found.count == 1)
    if case .line(let places)? = found.first?.shape { #expect(places.count == 32_000) }
  }

  @Test func `hostile and damaged files are rejected with the reason`() {
    #expect(fault("<!DOCTYPE gpx [<!ENTITY a 'b'>]><gpx/>").contains("DOCTYPE"))
    #expect(fault("<html/>").contains("neither GPX nor KML"))
    #expect(fault("<gpx>").contains("not well-formed"))
    #expect(fault("<gpx/>").contains("no points"))
    #expect(fault("<gpx><wpt lat='91' lon='0'/></gpx>").contains("position"))
    #expect(fault("<gpx><wpt lat='1'/></gpx>").contains("position"))
    #expect(fault("\u{0}").contains("UTF-8"))
    #expect(fault("<gpx>" + String(repeating: "<a>", count: 100)).contains("nested"))
    let many = String(repeating: "1,1 ", count: XMLOverlay.maximumPositions + 1)
    #expect(
      fault("<kml><LineString><coordinates>\(many)</coordinates></LineString></kml>")
        .contains("more than"))
  }
}
