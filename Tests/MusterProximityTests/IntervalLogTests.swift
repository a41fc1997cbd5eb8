import MusterModel
import MusterProximity
import Testing

@Suite struct IntervalLogTests {
  private static let interval = ProximityInterval(number: 2_642_976)

  private func sighting(
    _ identifier: UInt64, name: String = "", rssi: Int8 = -60, second: Int64 = 0
  ) -> Sighting {
    Sighting(
      identifier: Bytes16(high: 0, low: identifier), name: name, rssi: rssi,
      time: Timestamp(milliseconds: Self.interval.start.milliseconds + second * 1000))
  }

  @Test func `sightings of one device are one entry`() throws {
    var log = IntervalLog(Self.interval)
    try log.add(sighting(1, rssi: -70, second: 120))
    try log.add(sighting(1, name: "Ben", rssi: -50, second: 30))
    try log.add(sighting(1, rssi: -90, second: 599))
    let entry = try #require(log.entry(of: Bytes16(high: 0, low: 1)))
    #expect(log.count == 1)
    #expect(entry.rssi == -50)
    #expect((entry.firstSecond, entry.lastSecond) == (30, 599))
    #expect(log.name(of: entry) == "Ben")
  }

  @Test func `a sighting of another interval is refused`() {
    var log = IntervalLog(Self.interval)
    #expect(throws: Sighting.Fault.time) { try log.add(sighting(1, second: 600)) }
    #expect(throws: Sighting.Fault.time) { try log.add(sighting(1, second: -1)) }
    #expect(log.count == 0)
  }

  @Test func `a million hostile sightings stay within the bounds`() throws {
    var log = IntervalLog(Self.interval)
    var refused = 0
    for number in 0..<1_000_000 {
      do throws(Sighting.Fault) {
        try log.add(sighting(UInt64(number), name: "\(number)", second: Int64(number % 600)))
      } catch {
        refused += 1
      }
    }
    #expect(log.count == ProximityLimits.identifiersPerInterval)
    #expect(refused == 1_000_000 - ProximityLimits.identifiersPerInterval)
    #expect(log.encoded.count <= IntervalLog.mostBytes)
    // Those that were known before are still updated.
    try log.add(sighting(0, rssi: -10, second: 599))
  }

  @Test func `fourteen days of full intervals have less than fifty megabytes`() {
    let intervals = Int(ProximityLimits.days * ProximityInterval.perDay)
    let sealedBytes = 64
    let diskBlock = 4096
    let file = (IntervalLog.mostBytes + sealedBytes + diskBlock - 1) / diskBlock * diskBlock
    #expect(intervals * file <= 50_000_000)
  }

  @Test func `a stored log is read again`() throws {
    var log = IntervalLog(Self.interval)
    for number in 0..<50 {
      try log.add(
        sighting(
          UInt64(number), name: number % 2 == 0 ? "" : "Ben \(number)", second: Int64(number * 3)))
    }
    #expect(try IntervalLog(encoded: log.encoded) == log)
  }

  @Test func `a damaged log is refused, and never traps`() throws {
    var log = IntervalLog(Self.interval)
    try log.add(sighting(1, name: "Ben"))
    let bytes = log.encoded
    for count in 0..<bytes.count {
      #expect(throws: DecodingFault.self) { try IntervalLog(encoded: Array(bytes.prefix(count))) }
    }
    for place in bytes.indices {
      var damaged = bytes
      damaged[place] ^= 0xFF
      do throws(DecodingFault) {
        _ = try IntervalLog(encoded: damaged)
      } catch {
        #expect(!"\(error)".isEmpty)
      }
    }
  }
}
