import MusterLocation
import MusterModel
import Testing

struct GpsdTests {
  private func report(_ line: String) -> GpsdReport { GpsdReport(line: Array(line.utf8)) }

  private func fix(accuracy: UInt32?, at time: String?) throws -> GpsdReport {
    .reading(
      .fix(
        SourceFix(
          position: try #require(Coordinate(latitude: 46.4983068, longitude: 7.5674004)),
          accuracyDecimetres: accuracy, sampleTime: time.flatMap { Timestamp(rfc3339: $0) })))
  }

  private let place = "\"lat\":46.4983068,\"lon\":7.5674004"

  @Test func `a report of a real gpsd gives place, time and radius`() throws {
    let line = """
      {"class":"TPV","device":"/dev/pts/3","mode":3,"time":"2005-06-09T14:34:44.280Z","ept":0.005,\
      \(place),"altHAE":1391.2619,"epx":25.475,"epy":25.404,"epv":80.249,"track":10.3788,\
      "speed":0.091,"climb":-0.085,"ecefx":4360952.00,"velN":0.090,"eph":45.600,"sep":80.445}
      """
    #expect(report(line) == (try fix(accuracy: 456, at: "2005-06-09T14:34:44.280Z")))
  }

  @Test func `without eph the radius comes of epx and epy, and without those there is none`() throws
  {
    let start = "{\"class\":\"TPV\",\"mode\":2,\(place)"
    #expect(report(start + ",\"epx\":3.0,\"epy\":4.0}") == (try fix(accuracy: 50, at: nil)))
    #expect(report(start + ",\"epx\":3.0}") == (try fix(accuracy: nil, at: nil)))
    #expect(report(start + ",\"eph\":0}") == (try fix(accuracy: nil, at: nil)))
    #expect(report(start + ",\"eph\":-3}") == (try fix(accuracy: nil, at: nil)))
    #expect(report(start + ",\"eph\":1e300}") == (try fix(accuracy: .max, at: nil)))
  }

  @Test(arguments: ["\"mode\":0", "\"mode\":1", "\"device\":\"x\""])
  func `a mode under two is no fix, whatever else is in the report`(mode: String) {
    #expect(report("{\"class\":\"TPV\",\(mode),\(place)}") == .reading(.noFix))
  }

  @Test(arguments: [
    ("{\"class\":\"TPV\",\"mode\":3}", ReadingFault.place),
    ("{\"class\":\"TPV\",\"mode\":3,\"lat\":91,\"lon\":1}", .place),
    ("{\"class\":\"TPV\",\"mode\":3,\"lat\":1e308,\"lon\":1}", .place),
    ("{\"class\":\"TPV\",\"mode\":3,\"lat\":1,\"lon\":1,\"time\":\"yesterday\"}", .time),
    ("{\"class\":\"TPV\",\"mode\":3,\"lat\":nan,\"lon\":1}", .malformed),
    ("{\"class\":\"TPV\",\"mode\":3,\"lat\":\"1\",\"lon\":1}", .malformed),
    ("{\"class\":\"TPV\",\"mode\":3,\"lat\":1,\"lon\":1", .malformed),
    ("{}", .malformed), ("[]", .malformed), ("", .malformed), ("TPV", .malformed),
    ("{\"class\":5}", .malformed), ("null", .malformed),
  ])
  func `input that gpsd never sends is rejected`(line: String, fault: ReadingFault) {
    #expect(report(line) == .reading(.refused(fault)))
  }

  @Test func `deep nesting is refused and does not exhaust the stack`() {
    let deep = "{\"class\":\"TPV\",\"x\":" + String(repeating: "[", count: 8000)
    #expect(report(deep) == .reading(.refused(.malformed)))
  }

  @Test func `gpsd reports whether a receiver is plugged in`() {
    #expect(report("{\"class\":\"DEVICES\",\"devices\":[]}") == .receivers(0))
    #expect(report("{\"class\":\"DEVICES\",\"devices\":[{\"path\":\"/dev/x\"}]}") == .receivers(1))
    #expect(report("{\"class\":\"DEVICE\",\"path\":\"/dev/x\",\"activated\":0}") == .receivers(0))
    let activated = "{\"class\":\"DEVICE\",\"activated\":\"2026-11-21T22:37:52.583Z\"}"
    #expect(report(activated) == .reading(.other))
    #expect(report("{\"class\":\"VERSION\",\"release\":\"3.22\"}") == .reading(.other))
  }
}
