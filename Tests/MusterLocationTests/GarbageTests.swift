import Foundation
import MusterGeo
import MusterLocation
import MusterModel
import MusterTestKit
import Testing

/// Row G1 of the faults: randomly modified source input traps nothing, and accepted fixes have a
/// position on the map and a time in the calendar. `MUSTER_VOLUME=1000000` for the whole volume.
@Suite("Garbage from location sources")
struct GarbageTests {
  private static let volume = Volume.orUsual(4000)
  private static let seed: UInt64 = 20_261_121

  private struct Dice {
    var random: SplitMix64

    mutating func below(_ bound: Int) -> Int { random.number(below: bound) }

    /// A few changes: bytes flipped, left out, repeated, or put in of what such words are made of.
    mutating func damaged(_ original: [UInt8]) -> [UInt8] {
      let alphabet = Array("$*,.:-+eE&=%{}[]\"\\/0123456789NSEWAVGRMCnull\r\n\u{0}é".utf8)
      var bytes = original
      for _ in 0...below(5) where !bytes.isEmpty {
        let place = below(bytes.count)
        switch below(6) {
        case 0: bytes[place] ^= UInt8(1 << below(8))
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + 1 + below(8)))
        case 2: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 20)], at: place)
        case 3: bytes[place] = alphabet[below(alphabet.count)]
        case 4: bytes.insert(alphabet[below(alphabet.count)], at: place)
        default: bytes = Array(bytes.prefix(place))
        }
      }
      return bytes
    }
  }

  private func requireSound(_ fix: SourceFix, _ input: [UInt8], _ number: Int) {
    let isOnMap = abs(fix.position.latitude) <= 90 && abs(fix.position.longitude) <= 180
    let isInTime = fix.sampleTime.map(Timestamp.writable.contains) ?? true
    if !isOnMap || !isInTime || fix.accuracyDecimetres == 0 {
      Issue.record("input \(number) of seed \(Self.seed) gave \(fix): \(input)")
    }
  }

  private func run(_ originals: [String], _ read: ([UInt8]) -> [SourceFix]) {
    var dice = Dice(random: SplitMix64(seed: Self.seed))
    let originals = originals.map { Array($0.utf8) }
    for number in 0..<Self.volume {
      let bytes = dice.damaged(originals[dice.below(originals.count)])
      for fix in read(bytes) { requireSound(fix, bytes, number) }
    }
  }

  private static func fixes(_ readings: [Reading]) -> [SourceFix] {
    readings.compactMap { if case .fix(let fix) = $0 { fix } else { nil } }
  }

  private static func fixes(_ reports: [TrackerReport]) -> [SourceFix] {
    reports.compactMap { report in
      let time: Timestamp? = if case .stated(let time) = report.time { time } else { nil }
      return report.position.map {
        SourceFix(
          position: $0, accuracyDecimetres: report.accuracyDecimetres, sampleTime: time)
      }
    }
  }

  @Test func `NMEA`() {
    // The sums are made right again, or next to nothing would come past them.
    let bodies = [
      "GPRMC,092751.000,A,5321.6802,N,00630.3371,W,0.06,31.66,280511,,,A",
      "GPGGA,092751.000,5321.6802,N,00630.3371,W,1,8,1.03,61.7,M,55.3,M,,",
      "GPGST,092751.000,4.1,,,,3.0,4.0,6.0", "GPGSA,A,3,10,07,05,02,29,04,08,13,,,,,1.72,1.03,1.38",
    ]
    var decoder = NMEADecoder()
    run(bodies) { bytes in
      let sum = String(bytes.reduce(0, ^), radix: 16)
      let line = [0x24] + bytes + Array("*\(sum.count < 2 ? "0" : "")\(sum)\r\n".utf8)
      return Self.fixes(decoder.take(line) + decoder.take(datagram: bytes))
    }
  }

  @Test func `gpsd`() {
    let lines = [
      "{\"class\":\"TPV\",\"mode\":3,\"time\":\"2005-06-09T14:34:44.280Z\",\"lat\":46.498306886,"
        + "\"lon\":7.567400477,\"epx\":25.475,\"epy\":25.404,\"eph\":45.600}",
      "{\"class\":\"DEVICES\",\"devices\":[{\"class\":\"DEVICE\",\"path\":\"/dev/pts/1\"}]}",
      "{\"class\":\"DEVICE\",\"activated\":0}",
    ]
    run(lines) { bytes in
      guard case .reading(let reading) = GpsdReport(line: bytes) else { return [] }
      return Self.fixes([reading])
    }
  }

  @Test func `GPX`() {
    let file = """
      <?xml version="1.0" encoding="UTF-8"?><gpx version="1.1"><trk><trkseg>
      <trkpt lat="40.4008" lon="-7.5390"><ele>720</ele><time>2026-08-15T14:00:00Z</time></trkpt>
      <trkpt lat="40.4009" lon="-7.5391"><time>1969-08-15T14:00:00.5+02:00</time><extensions>
      <accuracy>4.2</accuracy></extensions></trkpt></trkseg></trk></gpx>
      """
    run([file]) { bytes in
      guard let track = try? GPXTrack.parse(Data(bytes)) else { return [] }
      return track.fixes(startingAt: Timestamp(milliseconds: 0)).map {
        SourceFix(
          position: $0.position,
          accuracyDecimetres: $0.accuracyDecimetres == 0 ? nil : $0.accuracyDecimetres,
          sampleTime: $0.sampleTime)
      }
    }
  }

  @Test func `OsmAnd`() {
    let queries = [
      "id=truck+7&lat=46.05&lon=14.5&timestamp=1795300000&hdop=1.2&altitude=300&speed=3",
      "deviceid=Ren%C3%A9&location=46.05%2C14.5&accuracy=4.21&timestamp=1795300000500",
    ]
    run(queries) { bytes in
      let query = String(decoding: bytes, as: UTF8.self)
      return Self.fixes([try? PhoneMessages.form(query)].compactMap { $0 })
    }
  }

  @Test func `OwnTracks`() {
    let message =
      "{\"_type\":\"location\",\"lat\":46.05,\"lon\":14.5,\"acc\":12,\"tst\":1795300000,"
      + "\"tid\":\"mj\",\"topic\":\"owntracks/mia/phone\"}"
    run([message]) { bytes in
      Self.fixes((try? PhoneMessages.json(bytes)) ?? [])
    }
  }

  @Test func `of fixes that cannot be true none comes past the gate, and good ones do after them`()
  {
    // Given a stationary receiver that occasionally reports absurd fixes
    var dice = Dice(random: SplitMix64(seed: Self.seed))
    var watch = LocationWatch(profile: .foreground, silenceMilliseconds: 600_000)
    let start: Int64 = 1_795_300_000_000
    var taken = 0
    for number in 0..<Self.volume {
      let now = ClockReading(
        instant: Instant(microseconds: Int64(number) * 1_000_000),
        wall: Timestamp(milliseconds: start + Int64(number) * 1000), boot: Int64(number) * 1000,
        entropy: .zero)
      let isAbsurd = dice.below(4) == 0 && number > 0
      let latitude = isAbsurd ? Int64(dice.below(1_800_000_001)) - 900_000_000 : 460_500_000
      let longitude = isAbsurd ? Int64(dice.below(2_000_000_000)) - 1_800_000_000 : 145_000_000
      let time =
        dice.below(4) == 0 ? Int64(bitPattern: dice.random.next()) / 4 : now.wall.milliseconds
      guard let position = Coordinate(latitudeE7: latitude, longitudeE7: longitude) else {
        continue
      }
      let fix = watch.take(
        position, accuracyDecimetres: 50, time: Timestamp(milliseconds: time), from: .receiver,
        now: now)
      guard let fix else { continue }
      taken += 1
      // Then all that count are near home and near now
      let metres = Geodesic.distanceMetres(
        from: fix.fix.position, to: Coordinate(latitude: 46.05, longitude: 14.5) ?? position)
      let off = fix.fix.sampleTime.milliseconds(since: now.wall)
      guard metres <= 10_000, off.magnitude <= 86_400_000 else {
        Issue.record("fix \(number) of seed \(Self.seed): \(fix), \(metres) m from home")
        return
      }
    }
    #expect(taken > Self.volume / 2)
  }
}
