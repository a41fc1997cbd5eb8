import MusterLocation
import MusterModel
import Testing

struct TrackerTests {
  private func expect(
    _ report: TrackerReport?, _ name: String, accuracy: UInt32?, at time: String?,
    battery: Double? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let position = try #require(Coordinate(latitude: 46.05, longitude: 14.5))
    #expect(
      report
        == TrackerReport(
          tracker: try #require(TrackerName(name)),
          fix: SourceFix(
            position: position, accuracyDecimetres: accuracy,
            sampleTime: time.flatMap { Timestamp(rfc3339: $0) }),
          batteryPercent: battery), sourceLocation: sourceLocation)
  }

  // MARK: OsmAnd

  @Test func `an OsmAnd query gives name, place, time and radius`() throws {
    try expect(
      OsmAndQuery.read(
        "id=truck+7&lat=46.05&lon=14.5&timestamp=1795300000&hdop=1.2&speed=3&x=%C3%A9"),
      "truck 7", accuracy: 60, at: "2026-11-21T22:26:40Z")
    try expect(
      OsmAndQuery.read(
        "deviceid=Ren%C3%A9&location=46.05%2C14.5&accuracy=4.21&hdop=9&timestamp=1795300000500"),
      "René", accuracy: 43, at: "2026-11-21T22:26:40.500Z")
    try expect(
      OsmAndQuery.read("id=a&lat=46.05&lon=14.5&timestamp=2026-11-21T23:26:40%2B01:00&accuracy=0"),
      "a", accuracy: nil, at: "2026-11-21T22:26:40Z")
  }

  @Test(arguments: ["", "&timestamp=", "&timestamp=0"])
  func `a query without a time has none`(rest: String) throws {
    try expect(
      OsmAndQuery.read("id=a&lat=46.05&lon=14.5&id=b&lat=1" + rest), "a", accuracy: nil, at: nil)
  }

  @Test(arguments: [
    ("lat=1&lon=1", ReadingFault.nameless), ("id=&lat=1&lon=1", .nameless),
    ("id=%0A&lat=1&lon=1", .nameless), ("id=%E2%80%AEx&lat=1&lon=1", .nameless),
    ("id=a", .place), ("id=a&lat=1", .place), ("id=a&lat=91&lon=1", .place),
    ("id=a&lat=NaN&lon=1", .place), ("id=a&lat=0x1&lon=1", .place), ("id=a&location=1,2,3", .place),
    ("id=a&lat=1&lon=1&timestamp=soon", .time), ("id=a&lat=1&lon=1&timestamp=1e300", .time),
    ("id=a&lat=1&lon=1&timestamp=99999999999999999", .time),
    ("id=%zz&lat=1&lon=1", .malformed), ("id=%FF&lat=1&lon=1", .malformed),
    ("id=a&lat=1&lon=1&%", .malformed), ("id=%4", .malformed), ("id", .malformed),
  ])
  func `a query without usable values is rejected`(query: String, fault: ReadingFault) {
    #expect(throws: fault) { try OsmAndQuery.read(query) }
  }

  @Test func `an endless query is refused unread, and so is an endless name`() {
    let long = "id=" + String(repeating: "a", count: 3000)
    #expect(throws: ReadingFault.tooLong) { try OsmAndQuery.read(long) }
    let name = "id=" + String(repeating: "a", count: 65) + "&lat=1&lon=1"
    #expect(throws: ReadingFault.nameless) { try OsmAndQuery.read(name) }
  }

  // MARK: Traccar Client 9

  @Test func `the JSON of Traccar Client gives name, position, time and accuracy`() throws {
    let body = """
      {"location":{"timestamp":"2026-11-21T22:26:40.000Z","coords":{"latitude":46.05,\
      "longitude":14.5,"accuracy":4.5,"speed":1.25},"_":"&id=x&lat=1&lon=1&"},"device_id":"truck 7"}
      """
    #expect(TraccarMessage.matches(Array(body.utf8)))
    try expect(
      TraccarMessage.read(Array(body.utf8)), "truck 7", accuracy: 45, at: "2026-11-21T22:26:40Z")
  }

  @Test(arguments: [
    ("{\"location\":{\"coords\":{\"latitude\":1,\"longitude\":1}}}", ReadingFault.nameless),
    ("{\"location\":{\"coords\":{\"latitude\":91,\"longitude\":1}},\"device_id\":\"a\"}", .place),
    ("{\"location\":{\"coords\":{}},\"device_id\":\"a\"}", .place),
    ("{\"device_id\":\"a\"}", .malformed), ("{", .malformed),
  ])
  func `a message of Traccar Client without usable values is rejected`(
    text: String, fault: ReadingFault
  ) {
    #expect(throws: fault) { try TraccarMessage.read(Array(text.utf8)) }
  }

  // MARK: OwnTracks

  private func message(
    _ text: String, user: String? = nil, device: String? = nil
  ) throws -> TrackerReport? {
    try OwnTracksMessage.read(Array(text.utf8), user: user, device: device)
  }

  private let location =
    "{\"_type\":\"location\",\"lat\":46.05,\"lon\":14.5,\"acc\":12,\"tst\":1795300000,"
    + "\"tid\":\"mj\",\"topic\":\"owntracks/mia/phone\",\"batt\":60}"

  @Test func `an OwnTracks location is named by its headers, else its topic, else its letters`()
    throws
  {
    let at = "2026-11-21T22:26:40Z"
    try expect(
      message(location, user: "mia", device: "tab"), "mia/tab", accuracy: 120, at: at, battery: 60)
    try expect(message(location, user: "mia"), "mia", accuracy: 120, at: at, battery: 60)
    try expect(
      message(location, user: "", device: ""), "mia/phone", accuracy: 120, at: at, battery: 60)
    let bare = location.replacing(",\"topic\":\"owntracks/mia/phone\"", with: "")
    try expect(message(bare), "mj", accuracy: 120, at: at, battery: 60)
  }

  @Test(arguments: ["lwt", "waypoints", "transition", "card", "cmd"])
  func `an OwnTracks message about something else is no fault`(type: String) throws {
    #expect(try message("{\"_type\":\"\(type)\",\"tst\":1}", user: "a") == nil)
  }

  @Test(arguments: [
    ("{\"_type\":\"location\",\"lat\":46.05,\"lon\":14.5}", ReadingFault.nameless),
    ("{\"_type\":\"location\",\"lat\":460.5,\"lon\":14.5,\"tid\":\"a\"}", .place),
    ("{\"_type\":\"location\",\"lon\":14.5,\"tid\":\"a\"}", .place),
    ("{\"_type\":\"location\",\"lat\":1,\"lon\":1,\"tid\":\"a\",\"tst\":1e300}", .time),
    ("{\"_type\":\"location\",\"lat\":1,\"lon\":1,\"tid\":\"a\\u0000\"}", .nameless),
    ("{\"lat\":1}", .malformed), ("[", .malformed), ("", .malformed),
    ("{\"_type\":\"encrypted\",\"data\":\"eA==\"}", .encrypted),
  ])
  func `an OwnTracks message without usable values is rejected`(
    text: String, fault: ReadingFault
  ) {
    #expect(throws: fault) { try message(text) }
  }

  @Test func `an OwnTracks message of megabytes is refused unread`() {
    #expect(throws: ReadingFault.tooLong) {
      try OwnTracksMessage.read([UInt8](repeating: 0x20, count: 20_000), user: "a", device: nil)
    }
  }
}
