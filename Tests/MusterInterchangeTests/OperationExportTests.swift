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

  /// An operation with a callsign that is a formula, a report title with markup, and a track name
  /// that would close its element.
  func export(
    reportBy author: Authorship = "Ben", zoneBy zoneAuthor: Authorship = ""
  ) throws -> OperationExport {
    let here = try place(470_000_001, -115_000_000)
    let fix = Fix(position: here, accuracyDecimetres: 75, sampleTime: Self.moment)
    var user = UserSummary(
      id: UserID(raw: Bytes16(high: 0, low: 1)), callsign: "=1+1", role: .member,
      status: .reportedSafe, severity: .safe, reason: "reported", fix: fix, reportedAt: Self.moment,
      fixAgeSeconds: 5,
      team: "", trackerOwner: nil,
      selfReport: SafetyStatement(claim: .safe, note: "", callsign: "Ben", statedAt: Self.moment),
      override: nil)
    user.age = ContactAge(seconds: 5, atMostSeconds: 9)
    user.conditions = [.noContact, .reportedSafe].map {
      StatusCondition(status: $0, severity: $0.severity, reason: "")
    }
    let report = ReportSummary(
      id: RowID(raw: Bytes16(high: 0, low: 2)), title: "<Gas> & \"smoke\"", details: "",
      category: .fire, severity: 4, position: here, toEvacuate: true, status: .open,
      owner: user.id, ownerCallsign: author, confirmations: ["Anna"],
      comments: [ReportComment(callsign: "Anna", text: "Yes", writtenAt: Self.moment)],
      conflicts: [], delivery: Delivery(devices: 1, total: 2, commandPost: false),
      createdAt: Self.moment, updatedAt: Self.moment)
    var fence = FenceSummary(
      id: RowID(raw: Bytes16(high: 0, low: 3)), name: "School, old", kind: .muster, isActive: true,
      geometry: .circle(center: here, radiusCentimetres: 5000), dwellSeconds: 0, mode: .careful,
      needs: nil, properties: #"{"gate":{"code":12},"remark":"Ana's bell: \u0007"}"#,
      inside: ["=1+1"], conflicts: [], createdAt: Self.moment, updatedAt: Self.moment)
    fence.authorship = zoneAuthor
    let event = CrossingSummary(
      id: CrossingID(raw: Bytes16(high: 0, low: 4)), arrival: 1, type: .enter, fence: fence.id,
      fenceName: "School, old", subject: DeviceID(raw: Bytes16(high: 0, low: 5)),
      callsign: "A \"quoted\" & <bent> name", sampleTime: Self.moment, position: here,
      isBaseline: true)
    return OperationExport(
      name: "Flood & fire", users: [user], reports: [report], fences: [fence], events: [event],
      tracks: [
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
        "report,00000000000000000000000000000002,\"<Gas> & \"\"smoke\"\"\",open,47.0000001,-11.5,,"
          + "\(Self.moment),Ben,fire: ,on 1 of 2 devices · not yet at the command post",
        "fence,00000000000000000000000000000003,\"School, old\",active,,,,\(Self.moment),,"
          + "muster; inside: =1+1,",
        "event,00000000000000000000000000000004,\"School, old\",ENTER,47.0000001,-11.5,,"
          + "\(Self.moment),\"A \"\"quoted\"\" & <bent> name\",baseline,",
        "fix,,</trk>,,47.0000001,-11.5,7.5,\(Self.moment),</trk>,,", "",
      ])
  }

  @Test(arguments: [
    ("=1", "'=1"), ("＝1", "'＝1"), ("road; =1", "\"road; '=1\""), ("a\t-1", "a\t'-1"),
    ("a\n@b", "\"a\n'@b\""), ("\t=1", "'\t'=1"), (" +1", " '+1"), ("1-2 = -1; 3", "1-2 = -1; 3"),
    ("a, -b", "\"a, -b\""), ("\"\u{301}, a", "\"\"\"\u{301}, a\""),
  ])
  func `no cell begins with a formula, whatever separates the cells`(
    text: String, written: String
  ) throws {
    // A semicolon alone needs no quotes: the separator is a comma.
    let written = text.contains(";") ? written.replacing("\"", with: "") : written
    let line = try export(reportBy: Authorship(text)).csv().components(separatedBy: "\r\n")[2]
    #expect(line.contains(",\(written),fire: ,"))
  }

  @Test func `what XML forbids is replaced, and every reader opens the file`() {
    let export = OperationExport(
      name: "b\u{FFFE}a\u{FFFF}d\u{7}, 😀\u{1FFFE}", users: [], reports: [], fences: [], events: [],
      tracks: [])
    for text in [export.kml(), export.gpx()] {
      let forbidden = text.unicodeScalars.filter {
        $0.value < 0x20 && !["\n", "\t", "\r"].contains($0) || [0xFFFE, 0xFFFF].contains($0.value)
      }
      #expect(forbidden.isEmpty)
      #expect(text.contains("b\u{FFFD}a\u{FFFD}d\u{FFFD}, 😀\u{1FFFE}"))
    }
  }

  @Test func `no form shows a call under duress, nor does the order of people`() throws {
    func person(_ callsign: String, _ condition: StatusCondition, id: UInt64) throws -> UserSummary
    {
      var person = UserSummary(
        id: UserID(raw: Bytes16(high: 0, low: id)), callsign: callsign, role: .member,
        status: condition.status, severity: condition.severity, reason: condition.reason,
        fix: Fix(position: try place(1, 2), accuracyDecimetres: 50, sampleTime: Self.moment),
        reportedAt: nil, fixAgeSeconds: nil, team: "", trackerOwner: nil, selfReport: nil,
        override: nil)
      person.conditions = [condition]
      return person
    }
    func export(_ condition: StatusCondition) throws -> OperationExport {
      OperationExport(
        name: "Flood",
        users: [try person("Ben", condition, id: 1), try person("Anna", .inContact, id: 2)],
        reports: [], fences: [], events: [], tracks: [])
    }
    let (called, calm) = (try export(.underDuress), try export(.inContact))
    #expect(called.csv() == calm.csv() && called.kml() == calm.kml())
    #expect(called.geoJSON() == calm.geoJSON() && called.gpx() == calm.gpx())
  }

  private func features() throws -> [JSON] {
    let document = try JSON.read(Array(export().geoJSON().utf8))
    return try #require(document.members?["features"]?.elements)
  }

  @Test func `a map contains rows with positions, and a track of one fix is a line`() throws {
    let features = try features()
    let kinds = features.map { $0.members?["geometry"]?.members?["type"]?.word }
    #expect(kinds == ["Polygon", "Point", "Point", "LineString"])
    let line = features[3].members?["geometry"]?.members?["coordinates"]?.elements
    #expect(line?.count == 2)
    let types = features.map { $0.members?["properties"]?.members?["muster"]?.word }
    #expect(types == ["fence", "report", "user", "track"])
  }

  @Test func `a map program gets flat properties, each with one type, and a name`() throws {
    let properties = try features().map { try #require($0.members?["properties"]?.members) }
    let names = properties.map { $0["name"]?.word }
    #expect(names == ["School, old", "<Gas> & \"smoke\"", "=1+1", "</trk>"])
    var types: [String: String] = [:]
    for (key, value) in properties.joined() where value != .null {
      let type =
        switch value {
        case .array, .object: "nested"
        case .string: "text"
        case .number: "number"
        default: "flag"
        }
      #expect(type != "nested", "\(key)")
      #expect(types.updateValue(type, forKey: key) ?? type == type, "\(key) has two types")
    }
    let (report, user) = (properties[1], properties[2])
    #expect(report["reportSeverity"] == .number("4") && report["reportStatus"]?.word == "open")
    #expect(user["personSeverity"]?.word == "safe")
    #expect(user["personStatus"]?.word == "reportedSafe")
    #expect(user["conditions"]?.word == "noContact, reportedSafe")
    #expect(user["ageSeconds"] == .number("5") && user["claimBy"]?.word == "Ben")
    #expect(properties[0]["gate"]?.word == #"{"code":12}"#)
    #expect(properties.joined().allSatisfy { $0.key != "status" && $0.key != "severity" })
  }

  @Test func `what a login wrote names its person and the laptop's user in every form`() throws {
    let export = try export(
      reportBy: Authorship("Rui", through: "Anna"), zoneBy: Authorship("Eva", through: "Anna"))
    #expect(export.csv().contains(",\"Rui, through Anna's laptop\","))
    let features = try JSON.read(Array(export.geoJSON().utf8)).members?["features"]?.elements ?? []
    let properties = features.compactMap { $0.members?["properties"]?.members }
    #expect(properties.compactMap { $0["writtenBy"]?.word } == ["Eva", "Rui"])
    #expect(properties.compactMap { $0["through"]?.word } == ["Anna", "Anna"])
    #expect(properties[1]["ownerCallsign"]?.word == "Rui, through Anna's laptop")
    #expect(export.kml().contains("<Data name=\"writtenBy\"><value>Rui</value></Data>"))
    #expect(export.gpx().contains("by Rui, through Anna&#39;s laptop"))
    #expect(try !self.export().gpx().contains("by Ben"))
  }

  @Test func `KML has a folder for each kind, styles that exist, and escaped texts`() throws {
    let text = try export().kml()
    let folders = ["Zones", "Tracks", "Reports", "People"].map { "<Folder><name>\($0)</name>" }
    #expect(folders.allSatisfy(text.contains))
    #expect(text.components(separatedBy: "<Placemark>").count == 5)
    for part in text.components(separatedBy: "<styleUrl>#").dropFirst() {
      let style = try #require(part.components(separatedBy: "<").first)
      #expect(text.contains("<Style id=\"\(style)\">"))
    }
    #expect(text.contains("<Placemark><name>&lt;Gas&gt; &amp; &quot;smoke&quot;</name>"))
    #expect(text.contains("<Point><coordinates>-11.5,47.0000001</coordinates></Point>"))
    #expect(text.contains("<Data name=\"personStatus\"><value>reportedSafe</value></Data>"))
    // XML allows no bell, not even escaped.
    #expect(text.contains("<Data name=\"remark\"><value>Ana&#39;s bell: \u{FFFD}</value></Data>"))
    #expect(
      text.contains(
        "<TimeSpan><begin>\(Self.moment)</begin><end>\(Self.moment)</end></TimeSpan>"
          + "<styleUrl>#track</styleUrl>"))
    #expect(
      text.contains("<coordinates>-11.5,47.0000001 -11.5,47.0000001</coordinates></LineString>"))
    let ring = try #require(text.components(separatedBy: "<LinearRing><coordinates>").last)
      .components(separatedBy: "<")[0].split(separator: " ")
    #expect(ring.count == 65 && ring.first == ring.last)
  }

  @Test func `GPX has no longitude of 180 degrees, which its schema excludes`() throws {
    let fixes = try [1_800_000_000, 1_799_999_999, -1_800_000_000].map {
      Fix(
        position: try place(1, $0), accuracyDecimetres: nil, sampleTime: Self.moment)
    }
    let text = OperationExport(
      name: "", users: [], reports: [], fences: [], events: [],
      tracks: [.init(callsign: "A", fixes: fixes)]
    ).gpx()
    let longitudes = text.components(separatedBy: "lon=\"").dropFirst().map {
      $0.components(separatedBy: "\"")[0]
    }
    #expect(longitudes == ["-180", "179.9999999", "-180"])
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
