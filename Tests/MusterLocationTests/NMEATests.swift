import MusterModel
import Testing

@testable import MusterLocation

struct NMEATests {
  private func sentence(_ body: String) -> String {
    let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
    return "$\(body)*\(sum.count < 2 ? "0" : "")\(sum)\r\n"
  }

  private func readings(_ text: String) -> [Reading] {
    var decoder = NMEADecoder()
    return decoder.take(Array(text.utf8)) + decoder.finish()
  }

  private func fix(
    _ latitude: Double, _ longitude: Double, accuracy: UInt32? = nil, at time: String?
  ) throws -> Reading {
    .fix(
      SourceFix(
        position: try #require(Coordinate(latitude: latitude, longitude: longitude)),
        accuracyDecimetres: accuracy, sampleTime: time.flatMap { Timestamp(rfc3339: $0) }))
  }

  private let minimum = "GPRMC,092751.000,A,5321.6802,N,00630.3371,W,0.06,31.66,280511,,,A"

  @Test func `a textbook sentence gives its position and time`() throws {
    #expect(sentence(minimum) == "$" + minimum + "*45\r\n")
    #expect(
      readings("$" + minimum + "*45\r\n") == [
        try fix(53.3613367, -6.5056183, at: "2011-05-28T09:27:51Z")
      ])
  }

  @Test(arguments: ["GP", "GL", "GA", "GB", "BD", "GN", "QZ", "GI", "II", "IN", "EC", "SN", "HC"])
  func `each talker is believed: its id states who sends, and not how good it is`(
    talker: String
  ) throws {
    let text = sentence(talker + minimum.dropFirst(2))
    #expect(readings(text) == [try fix(53.3613367, -6.5056183, at: "2011-05-28T09:27:51Z")])
  }

  @Test func `proprietary sentences, and what is none, are passed over`() {
    for body in ["PSRF103,00,6,00,0", "PGRME,15.0,M,45.0,M,25.0,M", "gpRMC,1", "RMC,1", "GPRMCX,1"]
    {
      #expect(readings(sentence(body)) == [.other], "\(body)")
    }
  }

  @Test func `a receiver with GNS alone gives fixes, by the modes of its systems`() throws {
    func gns(_ second: Int, _ modes: String) -> String {
      sentence("GNGNS,10150\(second).00,4630.000,N,00730.000,E,\(modes),12,0.8,500.0,47.0,,")
    }
    let text = (0..<10).map { gns($0, "AN") }.joined()
    let found = try fix(46.5, 7.5, accuracy: 40, at: nil)
    #expect(readings(text).suffix(3) == [found, found, found])
    for modes in ["NN", "N", "", "M", "AS"] {
      #expect(readings(text + gns(9, modes)).last == .noFix, "\(modes)")
    }
  }

  @Test
  func `a receiver with GLL alone gives fixes within ten sentences, none beside a better one`()
    throws
  {
    let good = sentence("IIGLL,4630.000,N,00730.000,E,101500.00,A,A")
    let found = try fix(46.5, 7.5, at: nil)
    #expect(readings(String(repeating: good, count: 10)).suffix(2) == [found, found])
    let old = sentence("IIGLL,4630.000,N,00730.000,E")
    #expect(readings(String(repeating: old, count: 10)).last == found)
    let void = sentence("IIGLL,4630.000,N,00730.000,E,101500.00,V,N")
    #expect(readings(String(repeating: good, count: 10) + void).last == .noFix)
    let pair = sentence(minimum) + good
    #expect(
      readings(String(repeating: pair, count: 10)).suffix(2) == [
        try fix(53.3613367, -6.5056183, at: "2011-05-28T09:27:51Z"), .other,
      ])
  }

  @Test func `south and west, and minutes with many digits`() throws {
    let text = sentence("GNRMC,235959.999,A,3352.1280000,S,15112.5580000,E,,,311299,,,D")
    #expect(readings(text) == [try fix(-33.8688, 151.2093, at: "1999-12-31T23:59:59.999Z")])
  }

  @Test func `sentences that were split on their way, byte by byte, are put together`() {
    let text = sentence(minimum) + sentence(minimum.replacing("092751", with: "092752"))
    var decoder = NMEADecoder()
    var found: [Reading] = []
    for byte in text.utf8 { found += decoder.take([byte]) }
    #expect(found == readings(text))
    #expect(found.count == 2)
  }

  @Test func `sentences that ran together are taken apart`() {
    let joined = sentence(minimum).dropLast() + sentence(minimum)
    #expect(readings(String(joined)).count { if case .fix = $0 { true } else { false } } == 2)
    let cut = "$GPRMC,0927" + sentence(minimum)
    #expect(readings(cut).first == .refused(.checksum))
    #expect(readings(cut).count == 2)
    #expect(readings("rest of a line*00" + sentence(minimum)).count == 1)
  }

  @Test func `a wrong or missing sum costs its sentence and no other`() throws {
    let text =
      "$" + minimum + "*46\r\n$" + minimum + "\r\n$" + minimum + "*\r\n" + sentence(minimum)
    let refused = Reading.refused(.checksum)
    #expect(
      readings(text) == [
        refused, refused, refused, try fix(53.3613367, -6.5056183, at: "2011-05-28T09:27:51Z"),
      ])
  }

  @Test func `an endless line is dropped while it lasts, whatever its bytes`() {
    var decoder = NMEADecoder()
    for _ in 0..<100 { #expect(decoder.take([UInt8](repeating: 0xE9, count: 1000)) == []) }
    let found = decoder.take(Array(("\n" + sentence(minimum)).utf8))
    #expect(found.first == .refused(.tooLong))
    #expect(found.count == 2)
  }

  @Test func `a datagram needs no end of line`() {
    var decoder = NMEADecoder()
    #expect(decoder.take(datagram: Array(sentence(minimum).dropLast().utf8)).count == 1)
    #expect(decoder.take(datagram: Array("$GPRMC,0927".utf8)).isEmpty)
  }

  // MARK: No fix

  @Test(arguments: [
    "GPRMC,092751.000,V,,,,,,,280511,,,N",
    "GPRMC,092751.000,A,5321.6802,N,00630.3371,W,0.06,31.66,280511,,,N",
    "GPRMC,092751.000,A,5321.6802,N,00630.3371,W,0.06,31.66,280511,,,S",
    "GPRMC,092751.000,A,5321.6802,N,00630.3371,W,0.06,31.66,280511,,,M",
    "GPGGA,092751.000,,,,,0,00,,,M,,M,,",
    "GPGSA,A,1,,,,,,,,,,,,,,,",
  ])
  func `a receiver without a fix reports none`(body: String) {
    #expect(readings(sentence(body)) == [.noFix])
  }

  @Test func `a place that GGA of the same second calls no fix is none`() {
    let text =
      sentence("GPGGA,092751.000,5321.6802,N,00630.3371,W,0,0,,,M,,M,,") + sentence(minimum)
    #expect(readings(text) == [.noFix, .noFix])
  }

  @Test(arguments: [
    ("GPRMC,092751,A,9121.6802,N,00630.3371,W,,,280511,,", ReadingFault.place),
    ("GPRMC,092751,A,5361.6802,N,00630.3371,W,,,280511,,", .place),
    ("GPRMC,092751,A,5321.6802,X,00630.3371,W,,,280511,,", .place),
    ("GPRMC,092751,A,,N,00630.3371,W,,,280511,,", .place),
    ("GPRMC,092751,A,-321.6802,N,00630.3371,W,,,280511,,", .place),
    ("GPRMC,092751,A,5321.6802,N,00630.3371,W,,,310211,,", .time),
    ("GPRMC,092751,A,5321.6802,N,00630.3371,W,,,2805,,", .time),
    ("GPRMC,246060,A,5321.6802,N,00630.3371,W,,,280511,,", .time),
    ("GPRMC,09:27:51,A,5321.6802,N,00630.3371,W,,,280511,,", .time),
  ])
  func `what no map and no calendar has is refused`(body: String, fault: ReadingFault) {
    #expect(readings(sentence(body)) == [.refused(fault)])
  }

  @Test func `a sentence that is cut short after its name is refused and not read past its end`() {
    #expect(readings(sentence("GPRMC")) == [.noFix])
    #expect(readings(sentence("GPRMC,1,A")) == [.refused(.place)])
    #expect(readings(sentence("GPGGA")) == [.noFix])
    #expect(readings("$*00\r\n$\r\n") == [.other])
  }

  // MARK: Accuracy

  @Test func `HDOP of the same second gives the radius, and GST gives it better`() throws {
    let place = "5321.6802,N,00630.3371,W"
    let gga = sentence("GPGGA,092751.000,\(place),1,8,1.03,61.7,M,55.3,M,,")
    let gst = sentence("GPGST,092751.000,4.1,,,,3.0,4.0,6.0")
    let rmc = sentence(minimum)
    let at = "2011-05-28T09:27:51Z"
    #expect(
      readings(gga + rmc) == [.other, try fix(53.3613367, -6.5056183, accuracy: 52, at: at)])
    #expect(
      readings(gga + gst + rmc).last == (try fix(53.3613367, -6.5056183, accuracy: 100, at: at)))
    let old = sentence("GPGGA,092741.000,\(place),1,8,1.03,61.7,M,55.3,M,,")
    #expect(readings(old + rmc).last == (try fix(53.3613367, -6.5056183, at: at)))
  }

  @Test func `a receiver without RMC gives fixes by its GGA, without a date`() throws {
    var text = ""
    for second in 10..<30 {
      text += sentence("GPGGA,0927\(second),5321.6802,N,00630.3371,W,1,8,2,61.7,M,55.3,M,,")
    }
    let found = readings(text)
    #expect(found.last == (try fix(53.3613367, -6.5056183, accuracy: 100, at: nil)))
    #expect(found.first == .other)
  }
}
