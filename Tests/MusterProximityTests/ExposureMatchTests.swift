import MusterModel
import MusterProximity
import Testing

@Suite struct ExposureMatchTests {
  private static let today = ProximityInterval(number: 2_642_976 + 20 * 144)

  private func key(daysAgo: UInt32, seed: UInt8 = 7) throws -> DailyKey {
    try #require(
      DailyKey(
        bytes: [UInt8](repeating: seed, count: 16),
        dayStart: ProximityInterval(number: Self.today.number - daysAgo * 144)))
  }

  /// A log with one device, received for five minutes.
  private func log(
    of key: DailyKey, advertisedAt offset: UInt32, receivedAt received: UInt32
  ) throws -> IntervalLog {
    let advertised = ProximityInterval(number: key.dayStart.number + offset)
    let identifier = try #require(key.identifier(at: advertised))
    var log = IntervalLog(ProximityInterval(number: key.dayStart.number + received))
    for second in [60, 360] {
      try log.add(
        Sighting(
          identifier: identifier, rssi: -60,
          time: Timestamp(milliseconds: log.interval.start.milliseconds + Int64(second) * 1000)))
    }
    return log
  }

  @Test func `a published key finds its device`() throws {
    let key = try key(daysAgo: 2)
    var match = ExposureMatch(now: Self.today)
    try match.add(key)
    match.search(try log(of: key, advertisedAt: 30, receivedAt: 30))
    match.search(try log(of: key, advertisedAt: 31, receivedAt: 31))
    let exposure = try #require(match.exposures.first)
    #expect(match.exposures.count == 1)
    #expect(exposure.day == key.dayStart)
    #expect((exposure.seconds, exposure.rssi) == (600, -60))
  }

  @Test func `a foreign key finds nothing`() throws {
    var match = ExposureMatch(now: Self.today)
    try match.add(try key(daysAgo: 2, seed: 8))
    match.search(try log(of: try key(daysAgo: 2), advertisedAt: 30, receivedAt: 30))
    #expect(match.exposures.isEmpty)
  }

  @Test(
    "a sighting counts within two hours of its interval only",
    arguments: [(30, true), (42, true), (43, false), (18, true), (17, false)])
  func window(received: UInt32, counts: Bool) throws {
    let key = try key(daysAgo: 2)
    var match = ExposureMatch(now: Self.today)
    try match.add(key)
    match.search(try log(of: key, advertisedAt: 30, receivedAt: received))
    #expect(match.exposures.isEmpty != counts)
  }

  @Test func `keys of today, of days that are gone, and too many are refused`() throws {
    var match = ExposureMatch(now: ProximityInterval(number: Self.today.number + 143))
    #expect(throws: ExposureMatch.Refusal.notEnded) { try match.add(try key(daysAgo: 0)) }
    #expect(throws: ExposureMatch.Refusal.expired) { try match.add(try key(daysAgo: 15)) }
    let yesterday = try key(daysAgo: 1)
    for _ in 0..<ProximityLimits.keysPerMatch { try match.add(yesterday) }
    #expect(throws: ExposureMatch.Refusal.tooMany) { try match.add(yesterday) }
  }
}
