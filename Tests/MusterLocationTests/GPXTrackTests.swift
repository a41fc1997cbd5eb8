import Foundation
@testable import MusterLocation
import MusterModel
import MusterTestKit
import Testing

struct GPXTrackTests {
  private let start = Timestamp(milliseconds: 1_786_802_400_000)

  private func parse(_ text: String) throws(GPXFault) -> GPXTrack {
    try GPXTrack.parse(Data(text.utf8))
  }

  private func track(_ points: String) -> String {
    "<gpx><trk><trkseg>\n\(points)\n</trkseg></trk></gpx>"
  }

  // MARK: What is read

  @Test func `a GPX 1.1 track gives places, times and accuracies in the order of the file`() throws
  {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!-- a comment with <!DOCTYPE in it -->
      <gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1">
        <metadata><time>2001-01-01T00:00:00Z</time></metadata>
        <wpt lat="1" lon="1"/>
        <rte><rtept lat="2" lon="2"/></rte>
        <trk><name>Müller &amp; Söhne</name>
          <trkseg>
            <trkpt lat="40.4008" lon="-7.5390"><ele>720</ele><time>2026-08-15T14:00:00Z</time>
              <hdop>0.9</hdop></trkpt>
          </trkseg>
          <trkseg/>
          <trkseg>
            <trkpt lat=" +40.5 " lon="-7.5E0"><time>
              2026-08-15T16:00:05.25+02:00
              </time><extensions><osmand:accuracy xmlns:osmand="o">4.21</osmand:accuracy>
              <time>1999-01-01T00:00:00Z</time></extensions></trkpt>
          </trkseg></trk>
        <trk><trkseg>
          <trkpt lat="-90" lon="180"><time>2026-08-15T13:00:00Z</time><accuracy>many</accuracy></trkpt>
        </trkseg></trk>
      </gpx>
      """
    let points = try parse(text).points
    #expect(
      points == [
        GPXTrack.Point(
          position: try #require(Coordinate(latitudeE7: 404_008_000, longitudeE7: -75_390_000)),
          time: Timestamp(rfc3339: "2026-08-15T14:00:00Z")),
        GPXTrack.Point(
          position: try #require(Coordinate(latitudeE7: 405_000_000, longitudeE7: -75_000_000)),
          accuracyDecimetres: 43, time: Timestamp(rfc3339: "2026-08-15T14:00:05.250Z")),
        GPXTrack.Point(
          position: try #require(Coordinate(latitudeE7: -900_000_000, longitudeE7: 1_800_000_000)),
          time: Timestamp(rfc3339: "2026-08-15T13:00:00Z")),
      ])
  }

  @Test func `a route is read where there is no track`() throws {
    let text = "<gpx><rte><rtept lat='1' lon='2'/><rtept lat='3' lon='4'/></rte></gpx>"
    #expect(try parse(text).points.map(\.position.latitude) == [1, 3])
  }

  @Test(arguments: [
    "\u{FEFF}<?xml version='1.0'?><gpx><rte><rtept lat='1' lon='2'/></rte></gpx>",
    "<g:gpx xmlns:g='http://www.topografix.com/GPX/1/1'><g:rte><g:rtept lat='1' lon='2'/></g:rte></g:gpx>",
    "<gpx xmlns='http://www.topografix.com/GPX/1/0'><rte><rtept lon='2' lat='1'></rtept></rte></gpx>\n\n",
  ])
  func `a byte order mark, a prefix and a namespace make no difference`(text: String) throws {
    #expect(try parse(text).points.map(\.position) == [Coordinate(latitude: 1, longitude: 2)])
  }

  // MARK: Times

  @Test func `a track without times gets one second a point from the start that it is given`()
    throws
  {
    let fixes = try parse(
      track(
        "<trkpt lat='1' lon='1'/><trkpt lat='1' lon='1'><time/></trkpt><trkpt lat='2' lon='2'/>")
    ).fixes(startingAt: start)
    #expect(fixes.map { $0.sampleTime.milliseconds(since: start) } == [0, 1000, 2000])
  }

  @Test func `a point without a time among timed ones is left out`() throws {
    let track = try parse(
      track(
        """
        <trkpt lat='1' lon='1'><time>2026-08-15T14:00:10Z</time></trkpt><trkpt lat='2' lon='2'/>
        <trkpt lat='3' lon='3'><time>2026-08-15T14:00:05Z</time></trkpt>
        """))
    #expect(
      track.fixes(startingAt: start).map(\.sampleTime.description)
        == ["2026-08-15T14:00:10Z", "2026-08-15T14:00:05Z"])
  }

  @Test func `synthetic times stop at the end of time`() throws {
    let late = Timestamp(milliseconds: .max)
    let fixes = try parse(track("<trkpt lat='1' lon='1'/><trkpt lat='1' lon='1'/>"))
      .fixes(startingAt: late)
    #expect(fixes.count == 2)
  }

  // MARK: What is refused

  @Test(arguments: [
    ("lat='91' lon='1'", "has the lat 91, which is beyond 90 degrees"),
    ("lat='-90.0000001' lon='1'", "has the lat -90.0000001, which is beyond 90 degrees"),
    ("lat='1' lon='180.5'", "has the lon 180.5, which is beyond 180 degrees"),
    ("lat='NaN' lon='1'", "has the lat \"NaN\", which is not a number"),
    ("lat='1' lon='inf'", "has the lon \"inf\", which is not a number"),
    ("lat='1e999' lon='1'", "has the lat \"1e999\", which is not a number"),
    ("lat='0x10' lon='1'", "has the lat \"0x10\", which is not a number"),
    ("lat='' lon='1'", "has the lat \"\", which is not a number"),
    ("lat='1,5' lon='1'", "has the lat \"1,5\", which is not a number"),
    ("lon='1'", "has no lat"),
    ("lat='1'", "has no lon"),
  ])
  func `a point that is nowhere is left out, with its number, line and reason`(
    attributes: String, reason: String
  ) throws {
    let bad = "<trkpt \(attributes)/>"
    let good = "<trkpt lat='1' lon='1'/>"
    let read = try parse(track("\(good)\n\(bad)\(bad)\(good)"))
    #expect(read.points.count == 2 && read.outcome.used == 2 && read.outcome.leftOut == 2)
    #expect(read.outcome.omissions.first?.description == "line 3, a point that \(reason)")
    #expect(throws: GPXFault.point(number: 1, line: 2, reason: reason)) { try parse(track(bad)) }
  }

  @Test func `a time that cannot be read never becomes another one`() throws {
    func point(_ time: String) -> String {
      "<trkpt lat='1' lon='1'>\(time.isEmpty ? "" : "<time>\(time)</time>")</trkpt>"
    }
    let bad = point("2026-00-00T00:00:00Z")
    let read = try parse(track(point("2026-08-15T14:00:10Z") + bad + point("")))
    #expect(read.outcome.leftOut == 1)
    #expect(
      read.fixes(startingAt: start).map(\.sampleTime.description) == ["2026-08-15T14:00:10Z"])
    #expect(throws: GPXFault.self) { try parse(track(bad + point(""))) }
  }

  @Test(arguments: ["ISO-8859-1", "windows-1252", "iso-8859-1"])
  func `a declared encoding of one byte is read`(name: String) throws {
    let text =
      "<?xml version='1.0' encoding='\(name)'?>"
      + track(
        "<trkpt lat='1' lon='1'><name>H\u{FC}tte</name></trkpt>")
    let data = try #require(text.data(using: .isoLatin1))
    #expect(try GPXTrack.parse(data).points.count == 1)
    let hidden = "<?xml version='1.0' encoding='\(name)'?><!DOCTYPE gpx><gpx/>"
    #expect(throws: GPXFault.documentType) { try parse(hidden) }
  }

  @Test func `a prefix without a declaration is read`() throws {
    let extensions = "<extensions><x:a y:b='1'><gpxtpx:hr>9</gpxtpx:hr></x:a></extensions>"
    let points = "<trkpt lat='1' lon='1'>\(extensions)</trkpt>"
    for root in ["<gpx>", "<gpx xmlns:x='urn:x'>", "<gpx\n version='1.1'>"] {
      let text = track(points).replacing("<gpx>", with: root)
      #expect(try parse(text).points.count == 1, "\(root)")
    }
  }

  @Test(arguments: ["yesterday", "2026-02-30T00:00:00Z", "2026-08-15"])
  func `a time that is none is refused with the point that has it`(time: String) {
    let text = track("<trkpt lat='1' lon='1'><time>\(time)</time></trkpt>")
    let reason = "has the time \"\(time)\", which is not RFC 3339"
    #expect(throws: GPXFault.point(number: 1, line: 2, reason: reason)) { try parse(text) }
  }

  @Test(arguments: [
    "\n\nlat,lon\n1,2\n", "<", "", "<?xml", "<!-- ", "<gpx", "text <gpx/>",
  ])
  func `what is not XML is refused with the line`(text: String) {
    let line = text.hasPrefix("\n") ? 3 : 1
    #expect(throws: GPXFault.malformed(line: line)) { try parse(text) }
  }

  @Test(arguments: [
    ("<trkpt lat='1' lon='1'></trkseg></trk></gpx>", "<trkpt> has no end"),
    ("<trkpt lat='1' lon='1'/>", "the file ends within <trkseg>"),
    ("<trkpt lat='1' lon='1'/><trkpt lat='2' lon=", "the file ends within <trkseg>"),
    ("<trkpt lat='1' lon='1'/></x></trkseg></trk></gpx>", "</x> ends nothing"),
    ("<trkpt lat='1' lon='1'/></trkseg></trk></gpx>\n<gpx/>", "<gpx> is after the end"),
  ])
  func `the readable part of a damaged file is read, and the damage named`(
    rest: String, damage: String
  ) throws {
    let read = try parse("<gpx><trk><name>A & B &nosuch; < C</name><trkseg>" + rest)
    #expect(read.points.count == 1)
    #expect(read.outcome.omissions.map(\.reason) == [damage])
  }

  @Test func `a point that is cut off never gets a time`() throws {
    let whole = track(
      "<trkpt lat='1' lon='2'><time>2026-08-15T14:00:10Z</time></trkpt>"
        + "<trkpt lat='1' lon='3'><time>2026-08-15T14:00:20Z</time></trkpt>")
    for length in 0..<whole.utf8.count {
      guard let read = try? parse(String(whole.prefix(length))) else { continue }
      let times = read.fixes(startingAt: start).map(\.sampleTime.description)
      #expect(["2026-08-15T14:00:10Z", "2026-08-15T14:00:20Z"].starts(with: times), "\(length)")
    }
    #expect(throws: GPXFault.self) { try parse("<gpx><trk><trkseg><trkpt lat='1' lon='2'><time>2") }
  }

  @Test func `a document type is refused before anything in it is read`() {
    let bomb = """
      <?xml version="1.0"?><!-- x --><?pi?>
      <!DOCTYPE gpx [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
      <gpx>&b;</gpx>
      """
    #expect(throws: GPXFault.documentType) { try parse(bomb) }
    #expect(throws: GPXFault.documentType) {
      try parse("<!DOCTYPE gpx SYSTEM 'file:///etc/passwd'><gpx/>")
    }
  }

  @Test func `encodings other than UTF-8 are refused`() throws {
    // UTF-7, for one, can hide a document type from who looks for its bytes.
    for name in ["UTF-7", "UTF-32", "GBK"] {
      #expect(throws: GPXFault.notUTF8(declared: name)) {
        try parse("<?xml version='1.0' encoding = \"\(name)\"?><gpx/>")
      }
    }
    let far = String(repeating: " ", count: 5000)
    #expect(throws: GPXFault.notUTF8(declared: "UTF-7")) {
      try parse("<?xml version='1.0'\(far)encoding='UTF-7'?><gpx/>")
    }
    for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32] {
      let data = try #require("<?xml version='1.0'?><gpx/>".data(using: encoding))
      #expect(throws: GPXFault.notUTF8(declared: nil)) { try GPXTrack.parse(data) }
    }
  }

  @Test func `a file in UTF-16 with a byte order mark is read like one in UTF-8`() throws {
    let body = "<trkpt lat='1' lon='2'><name>Çağlar 🚒</name></trkpt>"
    for declaration in [
      "", "<?xml version='1.0'?>", "<?xml version='1.0' encoding='UTF-16'?>",
      "<?xml version=\"1.0\" encoding=\"utf-16le\" standalone=\"no\"?>",
    ] {
      let units = Array((declaration + track(body)).utf16)
      let low = units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
      let high = units.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
      let whole: [[UInt8]] = [[0xFF, 0xFE] + low, [0xFE, 0xFF] + high]
      for bytes in whole {
        let points = try GPXTrack.parse(Data(bytes)).points
        #expect(points.map(\.position.latitudeE7) == [10_000_000])
      }
      // Half a character, and half of a pair.
      let halves: [[UInt8]] = [
        [0xFF, 0xFE] + Array(low.dropLast()), [0xFF, 0xFE, 0x3C, 0x00, 0x00, 0xD8],
      ]
      for broken in halves {
        #expect(throws: GPXFault.notUTF8(declared: "UTF-16")) {
          try GPXTrack.parse(Data(broken))
        }
      }
    }
    #expect(throws: GPXFault.documentType) {
      let units = Array("<!DOCTYPE gpx><gpx/>".utf16)
      return try GPXTrack.parse(
        Data([0xFF, 0xFE] + units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }))
    }
  }

  @Test func `bytes that are not UTF-8 are read as Windows-1252, wherever they are`() throws {
    let whole = Array(track("<trkpt lat='1' lon='1' name='x'>text</trkpt><!-- x -->").utf8)
    for index in 0...whole.count {
      // It may be within a word of the format.
      let read = try? GPXTrack.parse(Data(whole[..<index] + [0xFC] + whole[index...]))
      #expect(read?.points.count ?? 1 == 1)
    }
    let declared = "<?xml version='1.0' encoding='utf-16'?>" + track("<trkpt lat='1' lon='1'/>")
    #expect(try parse(declared).points.count == 1)
  }

  @Test func `another kind of XML is refused by its name`() {
    #expect(throws: GPXFault.notGPX(root: "kml")) { try parse("<kml><gpx/></kml>") }
  }

  @Test(arguments: ["<gpx/>", "<gpx><trk><trkseg/></trk><wpt lat='1' lon='1'/></gpx>"])
  func `a file without points is refused`(text: String) {
    #expect(throws: GPXFault.noPoints) { try parse(text) }
  }

  @Test func `a file beyond the bounds is refused`() throws {
    let four = track(String(repeating: "<trkpt lat='1' lon='1'/>", count: 4))
    #expect(try GPXTrack.parse(Data(four.utf8), maximumPoints: 4).points.count == 4)
    #expect(throws: GPXFault.tooManyPoints(limit: 3)) {
      try GPXTrack.parse(Data(four.utf8), maximumPoints: 3)
    }
    let huge = Data(count: GPXTrack.maximumBytes + 1)
    #expect(throws: GPXFault.tooLarge(bytes: huge.count)) { try GPXTrack.parse(huge) }
    let deep = String(repeating: "<gpx>", count: 200)
    #expect(throws: GPXFault.self) { try parse(deep) }
  }

  @Test func `a file of more than ten megabytes is read`() throws {
    let padding = String(
      repeating: "<!-- \(String(repeating: "x", count: 90)) -->\n", count: 110_000)
    let large = Data(track(padding + "<trkpt lat='1' lon='1'/>").utf8)
    #expect(large.count > 10_000_000)
    #expect(try GPXTrack.parse(large).points.count == 1)
  }

  @Test func `a fault is one line, whatever the file contains`() {
    let evil = "a\n\u{1B}[2J\u{202E}" + String(repeating: "x", count: 500)
    let fault = GPXFault.notUTF8(declared: evil)
    #expect(!fault.description.contains("\n") && !fault.description.contains("\u{1B}"))
    #expect(fault.description.count < 100)
  }

  @Test func `no changed byte makes the parser trap`() throws {
    let whole = Array(
      track("<trkpt lat='1.5' lon='2'><time>2026-08-15T14:00:10Z</time></trkpt>").utf8)
    var accepted = 0
    for index in whole.indices {
      for value in [0, 0x20, 0x21, 0x26, 0x3C, 0x3E, 0x7F, 0xFF] as [UInt8] {
        var changed = whole
        changed[index] = value
        do throws(GPXFault) {
          accepted += try GPXTrack.parse(Data(changed)).points.count
        } catch {
          #expect(!error.description.isEmpty)
        }
      }
    }
    #expect(accepted > 0)
  }

  @Test func `no mixture of a file's parts makes the parser trap`() {
    let parts = [
      "<gpx>", "</gpx>", "<trk>", "</trk>", "<trkseg>", "</trkseg>", "<trkpt lat='1' lon='2'>",
      "<trkpt lat='1' lon='2'/>", "</trkpt>", "<time>2026-08-15T14:00:10Z</time>", "<time>", "x",
      "<g:x xmlns:g='y' g:z='1' z=''/>", "<x a='", "'", "&amp;", "&", "&#0;", "&#x110000;", "]]>",
      "<![CDATA[", "<!--", "-->", "<?p ", "?>", "<!DOCTYPE gpx [<!ENTITY a 'b'>]>", "&a;",
      "é\u{0301}",
      "\u{10FFFF}", "\u{FFFE}", "<é/>", "<:/>", "<a:b:c/>", "<x xmlns='' xmlns:xml='z'/>", "\n",
      "\r",
    ]
    var random = SplitMix64(seed: 20_260_815)
    var outcomes: Set<String> = []
    for _ in 0..<4000 {
      let count = 1 + Int(random.next() % 24)
      let body = (0..<count).map { _ in parts[Int(random.next() % UInt64(parts.count))] }
      let isFramed = random.next() % 2 == 0
      do throws(GPXFault) {
        _ = try parse(isFramed ? track(body.joined()) : body.joined())
        outcomes.insert("read")
      } catch {
        outcomes.insert(error.description)
      }
    }
    #expect(outcomes.isSuperset(of: ["read", "the GPX file has no track and no route points"]))
  }
}
