import MusterModel
import MusterTestKit
import Testing

@testable import MusterLocation

/// Row E1 of the faults: valid messages of each protocol with up to five odd optional parts. Alarm,
/// position and time survive in all. `MUSTER_VOLUME=100000` for the whole volume of each protocol.
@Suite("Messages of phones with odd optional parts")
struct OddMessageTests {
  private static let volume = Volume.orUsual(2000)
  private static let seed: UInt64 = 20_261_128

  enum App: CaseIterable { case osmAnd, traccarNested, traccarFlat, ownTracks }

  /// A message with a call for help, a position and a time, and odd parts beside them.
  struct Drawn {
    let body: String
    let time: Timestamp
    let position: Coordinate
  }

  /// JSON values of every kind, and texts that look like numbers and are none.
  private static let oddValues = [
    "null", "true", "[]", "{}", "\"\"", "\"?\"", "-1e308", "1e999", "NaN", "[[1],{\"a\":null}]",
    "\"\\u0000\"", "\"\\ud83d\\ude00\"", "99999999999999999999", "\"12,5\"", "\"0x1f\"", "-0",
    "\"NaN\"",
  ]
  private static let oddTexts = [
    "", "?", "%", "%zz", "100%", "%FF", "NaN", "-1e308", "0x1f", "true&x", "a=b", "+", "%00", "é",
  ]
  /// Optional members: known ones whose values do not matter to a call, and unknown ones.
  private static let names = [
    "batt", "battery", "vel", "alt", "cog", "vac", "conn", "motionactivities", "inregions", "BSSID",
    "is_moving", "motion", "odometer", "event", "activity", "charge", "bs", "m", "p", "created_at",
    "speed", "bearing", "hdop", "driverUniqueId", "rpm", "x",
  ]

  static func draw(_ app: App, _ random: inout SplitMix64) -> Drawn {
    func below(_ bound: Int) -> Int { random.number(below: bound) }
    let seconds = Int64(1_700_000_000 + below(100_000_000))
    let latitude = Int32(below(1_700_000_000) - 850_000_000)
    let longitude = Int32(below(3_400_000_000) - 1_700_000_000)
    let position = Coordinate(latitudeE7: Int64(latitude), longitudeE7: Int64(longitude))!
    let (lat, lon) = ("\(position.latitude)", "\(position.longitude)")
    let time = Timestamp(milliseconds: seconds * 1000)
    let alarm = ["sos", "SOS", "fallDown", "panic", "powerCut,sos"][below(5)]
    // Another value of the same name, in another place.
    let other = ["", "powerCut", "none", "x"][below(4)]
    let quoted = below(2) == 0
    func number(_ text: String) -> String { quoted ? "\"\(text)\"" : text }
    let count = below(6)
    let odd = (0..<count).map { _ in
      (
        names[below(names.count)], oddValues[below(oddValues.count)],
        oddTexts[below(oddTexts.count)]
      )
    }
    let members = odd.map { ",\"\($0.0)\":\($0.1)" }.joined()
    let when = below(3)
    let stamp = when == 0 ? "\"\(time)\"" : number(when == 1 ? "\(seconds)" : "\(seconds)000")
    let body =
      switch app {
      case .osmAnd:
        "id=Kim&lat=\(lat)&lon=\(lon)&timestamp=\(when == 0 ? "\(time)" : "\(seconds)")"
          + odd.map { "&\($0.0)=\($0.2)" }.joined() + "&alarm=\(other)&alarm=\(alarm)"
      case .traccarNested:
        "{\"location\":{\"timestamp\":\(stamp),\"coords\":{\"latitude\":\(number(lat)),"
          + "\"longitude\":\(number(lon))}\(members),\"alarm\":\"\(other)\","
          + "\"extras\":{\"alarm\":\"\(alarm)\"}},"
          + "\"device_id\":\"Kim\"}"
      case .traccarFlat:
        "[{\"device_id\":\"Kim\",\"timestamp\":\(stamp),\"lat\":\(number(lat)),"
          + "\"lon\":\(number(lon)),\"Alarm\":\"\(other)\",\"alarm\":[\"\(alarm)\"]"
          + "\(members)}]"
      case .ownTracks:
        "{\"_type\":\"location\",\"tid\":\"Kim\",\"tst\":\(number("\(seconds)")),"
          + "\"lat\":\(number(lat)),\"lon\":\(number(lon)),\"alarm\":\"\(alarm)\"\(members)}"
      }
    return Drawn(body: body, time: time, position: position)
  }

  @Test(arguments: App.allCases)
  func `alarm, position and time survive beside whatever else a message has`(app: App) throws {
    var random = SplitMix64(seed: Self.seed)
    for number in 0..<Self.volume {
      let drawn = Self.draw(app, &random)
      let reports =
        app == .osmAnd
        ? [try PhoneMessages.form(drawn.body)] : try PhoneMessages.json(Array(drawn.body.utf8))
      let report = reports.first
      guard reports.count == 1, let report, report.isCall, report.tracker == TrackerName("Kim"),
        report.time == .stated(drawn.time), report.position == drawn.position
      else {
        Issue.record("message \(number) of seed \(Self.seed): \(drawn.body) is \(reports)")
        return
      }
    }
  }
}
