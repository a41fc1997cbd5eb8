import Foundation
import MusterInterchange
import MusterModel
import Testing

@Suite("The whole operation for other tools")
struct OperationExportTests {
  private static let moment = Timestamp(milliseconds: 1_700_000_000_000)

  private func place(_ latitude: Int64, _ longitude: Int64) throws -> Coordinate {
    try #require(Coordinate(latitudeE7: latitude, longitudeE7: longitude))
  }

  /// An operation with a callsign that is a formula, and a report title that would close its
  /// element.
  private func export() throws -> OperationExport {
    let here = try place(470_000_001, -115_000_000)
    let fix = Fix(position: here, accuracyDecimetres: 75, sampleTime: Self.moment)
    let user = UserSummary(
      id: UserID(raw: Bytes16(high: 0, low: 1)), callsign: "=1+1", role: .member,
      status: .reportedSafe, severity: .safe, reason: "reported", fix: fix, reportedAt: Self.moment,
      fixAgeSeconds: 5,
      team: "", trackerOwner: nil, word: nil, override: nil)
    let fence = FenceSummary(
      id: RowID(raw: Bytes16(high: 0, low: 3)), name: "School, old", kind: .muster, isActive: true,
      geometry: .circle(center: here, radiusCentimetres: 5000), dwellSeconds: 0, mode: .careful,
      needs: nil, properties: "", inside: ["=1+1"], conflicts: [], createdAt: Self.moment,
      updatedAt: Self.moment)
    let event = CrossingSummary(
      id: CrossingID(raw: Bytes16(high: 0, low: 4)), arrival: 1, type: .enter, fence: fence.id,
      fenceName: "School, old", subject: DeviceID(raw: Bytes16(high: 0, low: 5)),
      callsign: "A \"quoted\" & <bent> name", sampleTime: Self.moment, position: here,
      isBaseline: true)
    return OperationExport(
      name: "Flood & fire", users: [user], reports: [], fences: [fence], events: [event],
      ways: [
        .init(callsign: "</trk>", fixes: [fix]), .init(callsign: "empty", fixes: []),
      ])
  }

  @Test func `a spreadsheet separates commas and quotes, and contains no formula`() throws {
    let lines = try export().csv().components(separatedBy: "\r\n")
    #expect(
      lines == [
        "kind,id,name,state,latitude,longitude,accuracy_m,time,by,details,delivery",
        "user,00000000000000000000000000000001,'=1+1,reportedSafe,47.0000001,-11.5,7.5,"
          + "\(Self.moment),,reported,",
        "fence,00000000000000000000000000000003,\"School, old\",active,,,,\(Self.moment),,"
          + "muster; inside: =1+1,",
        "event,00000000000000000000000000000004,\"School, old\",ENTER,47.0000001,-11.5,,"
          + "\(Self.moment),\"A \"\"quoted\"\" & <bent> name\",baseline,",
        "fix,,</trk>,,47.0000001,-11.5,7.5,\(Self.moment),</trk>,,", "",
      ])
  }

  @Test func `a map contains rows with positions, and a track of one fix is a line`() throws {
    let document = try JSON.read(Array(export().geoJSON().utf8))
    let features = try #require(document.members?["features"]?.elements)
    let kinds = features.map { $0.members?["geometry"]?.members?["type"]?.word }
    #expect(kinds == ["Polygon", "Point", "LineString"])
    let line = features[2].members?["geometry"]?.members?["coordinates"]?.elements
    #expect(line?.count == 2)
    #expect(features[1].members?["properties"]?.members?["muster"]?.word == "user")
  }

  @Test func `a GPS receiver gets waypoints and tracks, with any callsigns`() throws {
    let text = try export().gpx()
    #expect(text.contains("<name>&lt;/trk&gt;</name>"))
    #expect(text.contains("<metadata><name>Flood &amp; fire</name></metadata>"))
    #expect(text.contains("<trkpt lat=\"47.0000001\" lon=\"-11.5\"><time>\(Self.moment)</time>"))
    #expect(!text.contains("empty"))
    #expect(text.components(separatedBy: "<trk>").count == 2)
  }
}
