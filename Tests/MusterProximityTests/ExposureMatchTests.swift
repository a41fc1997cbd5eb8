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
    try match.add(key, of: 0)
    match.search(try log(of: key, advertisedAt: 30, receivedAt: 30))
    match.search(try log(of: key, advertisedAt: 31, receivedAt: 31))
    let exposure = try #require(match.exposures.first)
    #expect(match.exposures.count == 1)
    #expect(exposure.day == key.dayStart)
    #expect((exposure.seconds, exposure.rssi) == (600, -60))
  }

  @Test func `a foreign key finds nothing`() throws {
    var match = ExposureMatch(now: Self.today)
    try match.add(try key(daysAgo: 2, seed: 8), of: 0)
    match.search(try log(of: try key(daysAgo: 2), advertisedAt: 30, receivedAt: 30))
    #expect(match.exposures.isEmpty)
  }

  @Test(
    "a sighting counts within two hours of its interval only",
    arguments: [(30, true), (42, true), (43, false), (18, true), (17, false)])
  func window(received: UInt32, counts: Bool) throws {
    let key = try key(daysAgo: 2)
    var match = ExposureMatch(now: Self.today)
    try match.add(key, of: 0)
    match.search(try log(of: key, advertisedAt: 30, receivedAt: received))
    #expect(match.exposures.isEmpty != counts)
  }

  @Test func `keys of today, of days that are gone, and too many are refused`() throws {
    var match = ExposureMatch(now: ProximityInterval(number: Self.today.number + 143))
    #expect(throws: ExposureMatch.Refusal.notEnded) { try match.add(try key(daysAgo: 0), of: 0) }
    #expect(throws: ExposureMatch.Refusal.expired) { try match.add(try key(daysAgo: 15), of: 0) }
    let yesterday = try key(daysAgo: 1)
    for _ in 0..<ProximityLimits.keysPerMatch { try match.add(yesterday, of: 0) }
    #expect(throws: ExposureMatch.Refusal.tooMany) { try match.add(yesterday, of: 0) }
  }

  @Test func `a key counts only after the two hours in which its last identifiers count`() throws {
    for (interval, isEnded) in [(0, false), (11, false), (12, true)] as [(UInt32, Bool)] {
      let now = ProximityInterval(number: Self.today.number + interval)
      #expect(try key(daysAgo: 1).hasEnded(at: now) == isEnded)
      var match = ExposureMatch(now: now)
      if isEnded {
        try match.add(try key(daysAgo: 1), of: 0)
      } else {
        #expect(throws: ExposureMatch.Refusal.notEnded) {
          try match.add(try key(daysAgo: 1), of: 0)
        }
      }
    }
  }

  @Test func `a reader of a published key cannot advertise it with effect`() throws {
    let key = try key(daysAgo: 1)
    // The earliest moment at which the key may be published, and each later one of a day.
    for received in UInt32(156)...UInt32(300) {
      var match = ExposureMatch(now: ProximityInterval(number: key.dayStart.number + received))
      try match.add(key, of: 0)
      for advertised in UInt32(0)..<144 {
        match.search(try log(of: key, advertisedAt: advertised, receivedAt: received))
      }
      #expect(match.exposures.isEmpty, "at \(received)")
    }
  }

  @Test func `exposures are grouped by notice, and only intervals of their days are read`() throws {
    let (one, other) = (try key(daysAgo: 2), try key(daysAgo: 5, seed: 9))
    var match = ExposureMatch(now: Self.today)
    try match.add(one, of: 3)
    try match.add(other, of: 4)
    match.search(try log(of: one, advertisedAt: 30, receivedAt: 30))
    match.search(try log(of: other, advertisedAt: 30, receivedAt: 30))
    #expect(match.exposures.map(\.notice) == [3, 4])
    #expect(match.exposures.map(\.day) == [one.dayStart, other.dayStart])
    let days = [2, 3, 5].map { Self.today.number - $0 * 144 }
    #expect(match.concerns(ProximityInterval(number: days[0])))
    #expect(match.concerns(ProximityInterval(number: days[0] + 155)))
    #expect(!match.concerns(ProximityInterval(number: days[0] + 156)))
    #expect(!match.concerns(ProximityInterval(number: days[1] + 72)))
    #expect(match.concerns(ProximityInterval(number: days[2] - 12)))
  }
}
