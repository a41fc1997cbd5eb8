import Foundation
import MusterModel
import Testing

@testable import MusterLocation

@Suite struct `An overlay in XML` {
  private func features(_ text: String) throws -> [OverlayFeature] {
    try shapes(text).features
  }

  private func shapes(_ text: String) throws -> OverlayShapes {
    try XMLOverlay.shapes(of: Data(text.utf8)).checked()
  }

  private func omissions(_ text: String) throws -> [String] {
    try shapes(text).outcome.omissions.map(\.description)
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
    let bare = String(text.dropFirst("<kml>".count).dropLast("</kml>".count))
    #expect(try features(bare).map(\.name) == ["H\u{FC}tte"])
    let latin = "<?xml version='1.0' encoding='ISO-8859-1'?>" + text
    let data = try #require(latin.data(using: .isoLatin1))
    #expect(try XMLOverlay.shapes(of: data).features.map(\.name) == ["H\u{FC}tte"])
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
    #expect(fault("<gpx>").contains("the file ends within <gpx>"))
    #expect(fault("<gp").contains("not well-formed"))
    #expect(fault("<gpx/>").contains("no points"))
    #expect(fault("<gpx><wpt lat='91' lon='0'/></gpx>").contains("line 1, 0, 91 is not"))
    #expect(fault("<gpx><wpt lat='1'/></gpx>").contains("nothing, 1 is not a longitude"))
    #expect(fault("\u{0}").contains("UTF-8"))
    #expect(fault("<gpx>" + String(repeating: "<a>", count: 100)).contains("nested"))
    let many = String(repeating: "1,1 ", count: OverlayShapes.maximumPositions + 1)
    let line = "<LineString><coordinates>\(many)</coordinates></LineString>"
    #expect(
      fault("<kml><Placemark>\(line)</Placemark></kml>")
        .contains("more than"))
  }

  @Test func `one bad position costs its line nothing else, and is named by its line`() throws {
    let track = """
      <gpx><wpt lat="46.5" lon="7.5"><name>Hut</name></wpt><trk><name>T</name><trkseg>
      <trkpt lat="46.5" lon="7.5"/>
      <trkpt lat="NaN" lon="NaN"/>
      <trkpt lat="46.6" lon="7.6"/></trkseg></trk></gpx>
      """
    #expect(try features(track).map(\.shape.places.count) == [1, 2])
    #expect(try omissions(track) == ["line 3, NaN, NaN is not a longitude and a latitude"])
    let line = """
      <kml><Placemark><LineString><coordinates>7.5,46.5
      7.6,oops 7.7, 46.7, 0
      7.8,46.8,</coordinates></LineString></Placemark></kml>
      """
    #expect(try features(line).map(\.shape.places.count) == [3])
    #expect(try omissions(line) == ["line 2, 7.6,oops is not a longitude and a latitude"])
  }

  @Test func `an area with a bad corner is left out, since without it it is another area`() throws {
    func area(_ ring: String) -> String {
      "<Placemark><Polygon><outerBoundaryIs><LinearRing><coordinates>\(ring)</coordinates>"
        + "</LinearRing></outerBoundaryIs></Polygon></Placemark>"
    }
    let kml = "<kml>\(area("0,0 0,3 3,3 x,0 0,0"))\(area("0,0 0,3 3,3"))\(area("0,0 1,1"))</kml>"
    #expect(try features(kml).map(\.shape.places.count) == [4])
    #expect(
      try omissions(kml) == [
        "line 1, x,0 is not a longitude and a latitude",
        "line 1, an area of fewer than 3 corners",
      ])
  }

  @Test func `tracks of Google Earth are lines, and rings without an area too`() throws {
    let kml = """
      <kml xmlns:gx="urn:gx"><Placemark><name>Patrol</name><gx:MultiTrack><gx:Track>
      <when>2026-11-27T10:00:00Z</when><gx:coord/><gx:coord>7.51 46.51 905</gx:coord>
      <gx:coord>7.52 46.52 910</gx:coord></gx:Track></gx:MultiTrack></Placemark>
      <Placemark><name>Ring</name><MultiGeometry><LinearRing><coordinates>0,0 0,1 1,1 0,0
      </coordinates></LinearRing></MultiGeometry></Placemark></kml>
      """
    let found = try features(kml)
    #expect(found.map(\.name) == ["Patrol", "Ring"])
    #expect(found.map(\.shape.places.count) == [2, 4])
    #expect(try omissions(kml) == [])
  }

  @Test func `names and descriptions are texts, by the elements that programs write`() throws {
    let gpx = """
      <gpx><wpt lat="1" lon="2"><desc>Spring</desc></wpt>
      <wpt lat="1" lon="2"><name></name><cmt>Cave</cmt></wpt>
      <wpt lat="1" lon="2"><name>A</name><desc>Two &lt;b&gt;rooms&lt;/b&gt;</desc></wpt></gpx>
      """
    #expect(try features(gpx).map(\.name) == ["Spring", "Cave", "A"])
    #expect(try features(gpx).map(\.details) == ["", "", "Two rooms"])
    let point = "<Point><coordinates>1,2</coordinates></Point>"
    let html = "<style>p {}</style><p>Dry &amp;<br/>safe</p><script>alert(1)</script>"
    for text in ["<![CDATA[\(html)]]>", Markup.escaped(html), html] {
      let kml = "<kml><Placemark><description>\(text)</description>\(point)</Placemark></kml>"
      let name = try #require(features(kml).first).name
      #expect(name.hasPrefix("Dry &") || text == html, "\(name)")
      #expect(!name.contains("<") && !name.contains("alert"), "\(name)")
    }
  }

  @Test(arguments: [
    ("<Placemark><address>1 Hill Road</address></Placemark>", "only an address, 1 Hill Road"),
    ("<NetworkLink><Link><href>http://a/b</href></Link></NetworkLink>", "a link to http://a/b"),
    ("<GroundOverlay><Icon><href>a.png</href></Icon></GroundOverlay>", "a picture, a.png: convert"),
    ("<Placemark><styleUrl>#a</styleUrl></Placemark>", "no coordinates"),
    ("<Placemark><Point><coordinates></coordinates></Point></Placemark>", "no coordinates"),
  ])
  func `what is no shape is named with a remedy`(element: String, reason: String) throws {
    #expect(fault("<kml><Document>\n\(element)</Document></kml>").contains("line 2, \(reason)"))
    let hut = "<Placemark><Point><coordinates>1,2</coordinates></Point></Placemark>"
    let both = "<kml><Document>\(hut)\n\(element)</Document></kml>"
    #expect(try features(both).count == 1)
    #expect(try omissions(both).first?.hasPrefix("line 2, \(reason)") == true)
  }

  @Test func `longitudes beyond 180 degrees are in the west`() throws {
    let found = try features(
      "<kml><Placemark><LineString><coordinates>179.9,-16.8 180.1,-16.7</coordinates>"
        + "</LineString></Placemark></kml>")
    #expect(found.first?.shape.places.map(\.longitude) == [179.9, -179.9])
  }
}
