import MusterGeo
import MusterModel
import MusterTestKit
import Testing

/// One member's fixes, one a minute, of which some arrive late. `MUSTER_VOLUME=3653` for ten years.
@Suite struct LatenessTests {
  private static let days = Volume.orUsual(10)
  private static let seed: UInt64 = 10

  @Test func `Late fixes change nothing, in ten years neither`() throws {
    // Given a member who wanders among fences of all kinds
    var random = SplitMix64(seed: Self.seed)
    let fences = FenceIndex(Self.fences(&random))
    let fixes = Self.wander(minutes: Self.days * 1440, &random)
    // When one in five arrives up to three hours late, the last ones excepted
    let arrivals = Self.delayed(fixes, &random)
    var newest = Timestamp(milliseconds: .min)
    let onTime = arrivals.filter { fix in
      defer { newest = max(newest, fix.sampleTime) }
      return fix.sampleTime > newest
    }
    let clock = ContinuousClock()
    let start = clock.now
    let late = try Self.run(arrivals, fences)
    let seconds = (clock.now - start) / .seconds(1)
    // Then the events are those of the fixes that were on time, in the order of their times
    let without = try Self.run(onTime, fences)
    #expect(late.events == without.events, "seed \(Self.seed)")
    #expect(late.detector == without.detector, "seed \(Self.seed)")
    #expect(
      zip(late.events, late.events.dropFirst()).allSatisfy {
        $0.fix.sampleTime <= $1.fix.sampleTime
      })
    // And the end is as if all had come in order
    let ordered = try Self.run(fixes, fences)
    for fence in 0..<UInt64(Self.fenceCount) {
      let id = fenceID(fence)
      #expect(late.detector.presence(in: id) == ordered.detector.presence(in: id), "\(fence)")
    }
    for events in [late.events, ordered.events] { Self.expectAlternating(events) }
    print(
      "\(Self.days) days: \(fixes.count) fixes, \(fixes.count - onTime.count) of them late, "
        + "\(late.events.count) events, \(ordered.events.count) in order; "
        + "\(Int(Double(arrivals.count) / seconds)) fixes/s")
    #expect(onTime.count < fixes.count * 9 / 10 && late.events.count > Self.days)
  }

  // MARK: The world

  private static let fenceCount = 60

  private static func fences(_ random: inout SplitMix64) -> [FenceUnderWatch] {
    (0..<fenceCount).map { number in
      let center = random.place(within: 1_000_000, of: degrees(46, 14))
      let size = Int64.random(in: 20_000...300_000, using: &random)
      let geometry: FenceGeometry =
        number % 4 == 0
        ? .circle(center: center, radiusCentimetres: UInt32(size))
        : .polygons([FencePolygon(outer: random.star(around: center, size: size, vertices: 24))])
      return FenceUnderWatch(
        id: fenceID(UInt64(number)), version: version(1), isActive: true,
        fence: PreparedFence(geometry), mode: number % 3 == 0 ? .strictAWS : .careful,
        dwellSeconds: number % 5 == 0 ? 600 : 0)
    }
  }

  /// Steps of up to 60 m a minute towards places that change, with pauses, some fixes vague.
  private static func wander(minutes: Int, _ random: inout SplitMix64) -> [Fix] {
    var here = degrees(46, 14)
    var goal = here
    return (0..<minutes).map { minute in
      if minute % 240 == 0 { goal = random.place(within: 1_000_000, of: degrees(46, 14)) }
      let toward = Int64(goal.latitudeE7) - Int64(here.latitudeE7)
      let along = Int64(goal.longitudeE7) - Int64(here.longitudeE7)
      here = random.place(
        within: 500,
        of: place(
          Int64(here.latitudeE7) + min(max(toward, -6000), 6000),
          Int64(here.longitudeE7) + min(max(along, -6000), 6000)))
      let accuracy: UInt32? =
        minute % 17 == 0 ? nil : UInt32.random(in: 30...800, using: &random)
      return Fix(
        position: here, accuracyDecimetres: accuracy,
        sampleTime: Timestamp(milliseconds: 1_700_000_000_000 + Int64(minute) * 60_000))
    }
  }

  private static func delayed(_ fixes: [Fix], _ random: inout SplitMix64) -> [Fix] {
    let arrivals = fixes.enumerated().map { index, fix in
      let isLate = index < fixes.count - 200 && Int.random(in: 0..<5, using: &random) == 0
      let delay = isLate ? Int.random(in: 1...180, using: &random) : 0
      return (minute: index + delay, index: index, fix: fix)
    }
    return arrivals.sorted { ($0.minute, $0.index) < ($1.minute, $1.index) }.map(\.fix)
  }

  // MARK: The run

  /// The detector is restored from its encoded state at intervals.
  private static func run(
    _ fixes: [Fix], _ fences: FenceIndex
  ) throws -> (detector: CrossingDetector, events: [Transition]) {
    var detector = CrossingDetector()
    var events: [Transition] = []
    for (index, fix) in fixes.enumerated() {
      events += detector.observe(fix, fences: fences)
      if index % 997 == 0 {
        detector.checkInvariants()
        detector = try CrossingDetector(
          decoding: detector.encoded(), watch: detector.encodedWatch())
      }
    }
    return (detector, events)
  }

  private static func expectAlternating(_ events: [Transition]) {
    var numbers: [RowID: UInt32] = [:]
    let isRight = events.allSatisfy { event in
      let number = (numbers[event.fence] ?? 0) + 1
      numbers[event.fence] = number
      return event.number == number && event.type == (number % 2 == 1 ? .enter : .exit)
    }
    #expect(isRight, "ENTER and EXIT by turns, numbered, seed \(seed)")
  }
}
