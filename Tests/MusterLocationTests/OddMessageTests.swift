import MusterModel
import MusterTestKit
import Testing

@testable import MusterLocation

/// Row E1 of the faults: valid messages of each protocol with up to five odd optional parts. Alarm,
/// position and time survive in all. `MUSTER_VOLUME=100000` for the whole volume of each protocol.
@Suite("Messages of phones with odd optional parts")
struct OddMessageTests {
  private static let volume = Volume.orUsual(2000)
  private static let seed: UInt64 = Volume.onlySeed ?? 20_261_128

  static func core(_ random: inout SplitMix64) -> PhoneMessage.Core {
    PhoneMessage.Core(
      name: "Kim", seconds: Int64(1_700_000_000 + random.number(below: 100_000_000)),
      latitudeE7: Int64(random.number(below: 1_700_000_000) - 850_000_000),
      longitudeE7: Int64(random.number(below: 3_400_000_000) - 1_700_000_000))
  }

  /// Reads a message as the node's address for phones does.
  static func reports(_ message: PhoneMessage) throws -> [TrackerReport] {
    guard let body = message.body else { return [try PhoneMessages.form(message.query ?? "")] }
    return PhoneMessages.isJSON(body)
      ? try PhoneMessages.json(body)
      : [try PhoneMessages.form(String(decoding: body, as: UTF8.self))]
  }

  @Test(arguments: PhoneMessage.App.allCases)
  func `alarm, position and time survive beside whatever else a message has`(
    app: PhoneMessage.App
  ) throws {
    var random = SplitMix64(seed: Self.seed)
    for number in 0..<Self.volume {
      let core = Self.core(&random)
      let message = PhoneMessage.drawn(app, core, &random)
      let position = Coordinate(latitudeE7: core.latitudeE7, longitudeE7: core.longitudeE7)
      let time = DeviceTime.stated(Timestamp(milliseconds: core.seconds * 1000))
      let result = Result { try Self.reports(message) }
      guard let reports = try? result.get(), reports.count == 1, let report = reports.first,
        report.isCall, report.tracker == TrackerName("Kim"), report.time == time,
        report.position == position
      else {
        Issue.record(
          "message \(number) of MUSTER_TEST_SEED=\(Self.seed): \(message.shown) is \(result)")
        return
      }
    }
  }

  @Test(arguments: [
    "lat=&lat=46.5&lon=7.5&timestamp=soon&tst=1700000000&id=&id=Kim",
    "lat=north&lat=46.5&lon=7.5&id=Kim&timestamp=%3F&timestamp=1700000000",
  ])
  func `an odd value hides no other of the same meaning`(form: String) throws {
    let report = try PhoneMessages.form(form)
    #expect(report.tracker == TrackerName("Kim"))
    #expect(report.position == Coordinate(latitude: 46.5, longitude: 7.5))
    #expect(report.time == .stated(Timestamp(milliseconds: 1_700_000_000_000)))
  }

  @Test func `a part of a message hides nothing of the message itself`() throws {
    let body =
      "{\"device_id\":\"Kim\",\"tst\":1700000000,\"coords\":{\"latitude\":46.5,\"longitude\":7.5},"
      + "\"attributes\":{\"lat\":1,\"lon\":2,\"timestamp\":1,\"id\":\"x\",\"note\":\"\\ud83d\"}}"
    let report = try #require(try PhoneMessages.json(Array(body.utf8)).first)
    #expect(report.tracker == TrackerName("Kim"))
    #expect(report.position == Coordinate(latitude: 46.5, longitude: 7.5))
    #expect(report.time == .stated(Timestamp(milliseconds: 1_700_000_000_000)))
  }

  @Test func `a position is never made of the halves of two`() throws {
    let body =
      "{\"device_id\":\"Kim\",\"lat\":52.5,\"lon\":\"13.4 E\",\"alarm\":\"sos\","
      + "\"coords\":{\"latitude\":48.1,\"longitude\":11.5}}"
    let report = try #require(try PhoneMessages.json(Array(body.utf8)).first)
    #expect(report.isCall)
    #expect(report.position == Coordinate(latitude: 48.1, longitude: 11.5))
  }

  /// Each of the locations would read the long lists of the message again.
  @Test func `long lists beside many locations are not read for each of them`() throws {
    let (locations, values) = (
      Array(repeating: "{}", count: 4096), Array(repeating: "1", count: 200_000)
    )
    let body =
      "{\"device_id\":\"Kim\",\"location\":[\(locations.joined(separator: ","))],"
      + "\"timestamp\":[\(values.joined(separator: ","))],\"alarm\":[\"x\",\"sos\"]}"
    let reports = try PhoneMessages.json(Array(body.utf8))
    #expect(reports.count == 4096 && reports.allSatisfy(\.isCall))
  }
}
