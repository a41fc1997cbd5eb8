import MusterModel
import Testing

@testable import MusterLocation

/// The messages of phones: each part is read alone, whatever the others are.
struct TrackerTests {
  private static let place = Coordinate(latitude: 46.05, longitude: 14.5)

  private func expect(
    _ report: TrackerReport?, _ name: String, accuracy: UInt32? = nil, at time: String? = nil,
    battery: UInt8? = nil, without omissions: Set<TrackerReport.Omission> = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let time = try time.map { try #require(Timestamp(rfc3339: $0)) }
    let expected = TrackerReport(
      tracker: TrackerName(name), position: Self.place, accuracyDecimetres: accuracy,
      time: time.map(DeviceTime.stated) ?? .missing, batteryPercent: battery,
      omissions: omissions)
    #expect(report == expected, sourceLocation: sourceLocation)
  }

  private func json(_ text: String, named names: [String] = []) throws -> [TrackerReport] {
    try PhoneMessages.json(Array(text.utf8), named: names)
  }

  // MARK: Forms

  @Test func `an OsmAnd query gives name, place, time and radius`() throws {
    try expect(
      PhoneMessages.form(
        "id=truck+7&lat=46.05&lon=14.5&timestamp=1795300000&hdop=1.2&speed=3&x=%C3%A9"),
      "truck 7", accuracy: 60, at: "2026-11-21T22:26:40Z")
    try expect(
      PhoneMessages.form(
        "deviceid=Ren%C3%A9&location=46.05%2C14.5&accuracy=4.21&hdop=9&timestamp=1795300000500"),
      "René", accuracy: 43, at: "2026-11-21T22:26:40.500Z")
    try expect(
      PhoneMessages.form(
        "id=a&lat=46.05&lon=14.5&timestamp=2026-11-21T23:26:40%2B01:00&accuracy=0"),
      "a", at: "2026-11-21T22:26:40Z")
  }

  @Test(arguments: ["", "&timestamp=", "&timestamp=0"])
  func `a query without a time has none, and of repeated names the first counts`(
    rest: String
  ) throws {
    try expect(PhoneMessages.form("id=a&lat=46.05&lon=14.5&id=b&lat=1" + rest), "a")
  }

  @Test(arguments: [
    "2026-11-21T23:26:40 01:00", "2026-11-21T23:26:40+0100", "2026-11-21T23:26:40+01",
    "2026-11-21 22:26:40", "1795300000000000", "1795300000000", " 1795300000 ",
    "2026-11-21T22:26:40.000Z",
  ])
  func `a time is read in each form that apps write`(text: String) throws {
    let time = try #require(Timestamp(rfc3339: "2026-11-21T22:26:40Z"))
    #expect(PhoneTime.read(.text(text)) == .stated(time))
  }

  @Test(arguments: [
    "soon", "1e300", "99999999999999999999", "2026-13-01T00:00:00Z", "--", "T",
    "😀😀😀😀", "éééééééééé-ü", "2026-11-21T\r\n22:26:40+01",
  ])
  func `an unreadable time is of unknown age, and not of now`(text: String) throws {
    let report = try PhoneMessages.form("id=a&lat=46.05&lon=14.5&alarm=sos&timestamp=\(text)")
    #expect(report.time == .unknown && report.omissions == [.time])
    #expect(report.position == Self.place && report.isCall)
  }

  @Test(arguments: [
    "charge", "driver=Jos%E9", "note=100%", "%zz=1", "=", "x=%FF%00", "%", "a=b=c",
  ])
  func `an odd unknown parameter affects no other`(parameter: String) throws {
    let report = try PhoneMessages.form("id=a&lat=46.05&lon=14.5&\(parameter)&alarm=sos")
    #expect(report.position == Self.place && report.isCall && report.omissions.isEmpty)
  }

  @Test(arguments: [
    ("lat=91&lon=1", TrackerReport.Omission.position), ("lat=NaN&lon=NaN", .position),
    ("lat=1", .position), ("lat=0x1&lon=1", .position),
    ("lat=46.05&lon=14.5&valid=false", .invalidFix),
    ("lat=46.05&lon=14.5&accuracy=-1", .invalidFix), ("lat=46.05&lon=14.5&batt=full", .battery),
    ("lat=46.05&lon=14.5&accuracy=good", .accuracy), ("lat=46.05&lon=14.5&motion=maybe", .movement),
  ])
  func `a part that cannot be used is left out and named, and a call for help stays`(
    part: String, omission: TrackerReport.Omission
  ) throws {
    let report = try PhoneMessages.form("id=a&\(part)&alarm=sos&timestamp=1795300000")
    #expect(report.omissions == [omission])
    #expect(report.isCall && report.tracker == TrackerName("a"))
    #expect(report.time == .stated(Timestamp(milliseconds: 1_795_300_000_000)))
    #expect((report.position == nil) == [.position, .invalidFix].contains(omission))
  }

  @Test func `what is no form of an app is a fault, and so is a body of megabytes`() {
    for text in ["", "%", "x=1", "hello", "speed=3&bearing=1"] {
      #expect(throws: ReadingFault.malformed) { try PhoneMessages.form(text) }
    }
    for text in ["{", "[1]", "\"a\"", "{\"lat\"", "nonsense", "{\"x\":1}"] {
      #expect(throws: ReadingFault.malformed, "\(text)") { try json(text) }
    }
    let long = String(repeating: "a", count: PhoneMessages.longestBytes + 1)
    #expect(throws: ReadingFault.tooLong) { try PhoneMessages.form(long) }
    #expect(throws: ReadingFault.tooLong) { try json(long) }
    let deep = String(repeating: "[", count: 100_000)
    #expect(throws: ReadingFault.malformed) { try json(deep) }
  }

  @Test func `a message without a name that can be used still has what it reports`() throws {
    let names = ["", "%0A", "%E2%80%AEx", String(repeating: "a", count: 65)]
    for name in names {
      let report = try PhoneMessages.form("id=\(name)&lat=46.05&lon=14.5&alarm=sos")
      #expect(report.tracker == nil && report.omissions == [.name] && report.isCall)
    }
  }

  // MARK: Traccar Client

  @Test func `the JSON of Traccar Client is read nested and flat, as an object and as a list`()
    throws
  {
    let nested = """
      {"location":{"timestamp":"2026-11-21T22:26:40.000Z","coords":{"latitude":46.05,\
      "longitude":14.5,"accuracy":4.5,"speed":1.25},"battery":{"level":0.6},\
      "_":"&id=x&lat=1&lon=1&"},"device_id":"truck 7"}
      """
    let flat = """
      {"device_id":"truck 7","timestamp":"2026-11-21T22:26:40.000Z","latitude":46.05,\
      "longitude":14.5,"accuracy":4.5,"battery":60}
      """
    let inner = nested.replacing("\"location\":{", with: "\"location\":[{")
      .replacing("&\"},", with: "&\"}],")
    for text in [nested, flat, "[\(nested)]", "[\(flat)]", inner, "\u{FEFF} \(flat)"] {
      #expect(PhoneMessages.isJSON(Array(text.utf8)))
      let reports = try json(text)
      #expect(reports.count == 1)
      try expect(
        reports.first, "truck 7", accuracy: 45, at: "2026-11-21T22:26:40Z", battery: 60)
    }
  }

  @Test func `numbers are read as texts and texts as numbers`() throws {
    let text = """
      {"location":{"timestamp":1795300000000,"coords":{"latitude":"46.05","longitude":"14,5"},\
      "battery":{"level":"0.5"},"is_moving":"true","extras":{"alarm":["SOS"]}},\
      "device_id":981866116}
      """
    let report = try #require(try json(text).first)
    #expect(report.tracker == TrackerName("981866116") && report.position == Self.place)
    #expect(report.batteryPercent == 50 && report.isMoving == true && report.isCall)
    #expect(report.time == .stated(Timestamp(milliseconds: 1_795_300_000_000)))
  }

  @Test func `of a list each message is judged alone`() throws {
    let reports = try json(
      """
      [{"device_id":"a","lat":1,"lon":1},7,null,{"device_id":"b","lat":"?","lon":1,"alarm":"sos"},
      {"_type":"waypoints","waypoints":[]},{"device_id":"c","heartbeat":true}]
      """)
    #expect(reports.map(\.tracker) == ["a", "b", "c"].map { TrackerName($0) })
    #expect(reports.map { $0.position != nil } == [true, false, false])
    #expect(reports.map(\.isCall) == [false, true, false])
  }

  @Test(arguments: [
    "\"note\":NaN", "\"note\":1e999", "\"note\":-Infinity", "\"note\":\"a\u{1}b\tc\"",
    "\"acc\":{\"x\":[]}", "\"batt\":[]", "\"vel\":null",
  ])
  func `JSON with a fault beside a call for help is read`(member: String) throws {
    let text =
      "{\"_type\":\"location\",\"tid\":\"k\",\"tst\":1795300000,\"lat\":46.05,\"lon\":14.5,"
      + "\"alarm\":\"sos\",\(member)}"
    let report = try #require(try json(text).first)
    #expect(report.isCall && report.position == Self.place && report.time != .unknown)
    let bytes = Array(text.utf8).map { $0 == UInt8(ascii: "k") ? 0xE9 : $0 }
    #expect(try PhoneMessages.json(bytes).first?.isCall == true, "no UTF-8")
  }

  // MARK: OwnTracks

  private let location =
    "{\"_type\":\"location\",\"lat\":46.05,\"lon\":14.5,\"acc\":12,\"tst\":1795300000,"
    + "\"tid\":\"mj\",\"topic\":\"owntracks/mia/phone\",\"batt\":60}"

  @Test func `an OwnTracks location is named by its request, else its topic, else its letters`()
    throws
  {
    let at = "2026-11-21T22:26:40Z"
    let bare = location.replacing(",\"topic\":\"owntracks/mia/phone\"", with: "")
    for (text, names, name) in [
      (location, ["mia", "tab"], "mia/tab"), (location, ["mia"], "mia"),
      (location, ["", ""], "mia/phone"), (bare, [], "mj"),
    ] {
      try expect(
        json(text, named: names).first, name, accuracy: 120, at: at, battery: 60)
    }
  }

  @Test(arguments: ["p", "l", "L"])
  func `a position that OwnTracks repeats is of unknown time`(trigger: String) throws {
    let text = location.replacing("\"tid\"", with: "\"t\":\"\(trigger)\",\"tid\"")
    let report = try #require(try json(text).first)
    #expect(report.time == .unknown && report.position == Self.place && report.omissions.isEmpty)
  }

  @Test(arguments: ["lwt", "waypoints", "transition", "card", "cmd", "status", "new"])
  func `an OwnTracks message about something else reports nothing, unless it calls for help`(
    type: String
  ) throws {
    #expect(try json("{\"_type\":\"\(type)\",\"tst\":1}", named: ["a"]).isEmpty)
    let call = try json("{\"_type\":\"\(type)\",\"tst\":1,\"alarm\":\"sos\"}", named: ["a"])
    #expect(call.map(\.isCall) == [true])
  }

  @Test func `an encrypted message without the key names its phone, and hides no other`() throws {
    let encrypted = "{\"_type\":\"encrypted\",\"topic\":\"owntracks/kim/x\",\"data\":\"eA==\"}"
    let reports = try json("[\(encrypted),\(location)]")
    #expect(reports.map(\.isUnreadable) == [true, false])
    #expect(reports.first?.tracker == TrackerName("kim/x"))
  }

  // MARK: Alarms

  @Test func `what a person raises, a fall and an accident call for help, in any spelling`() {
    let words: [PhoneValue] = [
      .text("sos"), .text("SOS"), .text(" fallDown "), .text("man_down"), .text("accident"),
      .text("lowBattery,sos"), .list([.text("powerCut"), .text("panic")]), .flag(true),
      .number(1), .text("1"), .list([.flag(true)]),
    ]
    for word in words { #expect(TrackerAlarm([word])?.isCall == true, "\(word)") }
    for word in ["", "0", "false", "none", " "] { #expect(TrackerAlarm([.text(word)]) == nil) }
    #expect(
      TrackerAlarm([]) == nil && TrackerAlarm([.null]) == nil && TrackerAlarm([.flag(false)]) == nil
    )
  }

  @Test(arguments: [
    "{\"device_id\":\"a\",\"alarm\":\"\",\"extras\":{\"alarm\":\"sos\"}}",
    "{\"device_id\":\"a\",\"alarm\":null,\"attributes\":{\"alarm\":[\"sos\"]}}",
    "{\"device_id\":\"a\",\"alarm\":\"powerCut\",\"params\":{\"extras\":{\"Alarm\":\"sos\"}}}",
    "{\"device_id\":\"a\",\"Alarm\":\"lowBattery\",\"alarm\":\"sos\"}",
    "{\"device_id\":\"a\",\"ALARM\":\"sos\",\"alarm\":0}",
    "{\"device_id\":\"a\",\"alarm\":\"sos\",\"location\":{\"alarm\":\"none\",\"coords\":{}}}",
    "{\"device_id\":\"a\",\"location\":[{\"alarm\":{\"type\":\"sos\"}}]}",
    "{\"device_id\":\"a\",\"alarm\":{\"sos\":true,\"fall\":false}}",
    "{\"device_id\":\"a\",\"alarm\":[[[\"x\",[\"sos\"]]]]}",
    "{\"device_id\":\"a\",\"alarm\":\"lowBattery sos\"}",
  ])
  func `no other value beside it hides a call for help`(message: String) throws {
    #expect(try json(message).map(\.isCall) == [true])
  }

  @Test func `in a form each value of an alarm counts, however many there are`() throws {
    #expect(try PhoneMessages.form("id=a&alarm=powerCut&Alarm=&alarm=sos").isCall)
    let many = (0..<2000).map { "x\($0)=1&alarm=a\($0)" }.joined(separator: "&")
    #expect(try PhoneMessages.form("id=a&\(many)&alarm=sos").isCall)
    #expect(try PhoneMessages.form("id=a&alarm=a,b,c;d|sos").isCall)
    #expect(try !PhoneMessages.form("id=a&alarm=powerCut&alarm=lowBattery").isCall)
  }

  @Test func `a technical alarm and an unknown word call no one, and are shown`() {
    for word in ["powerCut", "lowBattery", "geofenceEnter", "jamming", "alerte"] {
      #expect(TrackerAlarm([.text(word)]) == TrackerAlarm([.text(" \(word) ")]))
      #expect(TrackerAlarm([.text(word)])?.word == word)
      #expect(TrackerAlarm([.text(word)])?.isCall == false)
    }
    #expect(TrackerAlarm([.object(["a": .null])])?.word == "unreadable")
    let long = TrackerAlarm([.text(String(repeating: "é", count: 500))])
    #expect(long?.word.utf8.count == 64)
    #expect(TrackerAlarm([.text("a\u{202E}b")])?.word == "unreadable")
  }
}
