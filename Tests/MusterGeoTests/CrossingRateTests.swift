import MusterModel
import MusterTestKit
import Testing

@testable import MusterGeo

/// Someone jumps over the edge of a zone, once a second: a program with little rights, or a
/// receiver that is out of order.
@Suite struct CrossingRateTests {
  private static func zone(
    mode: FenceMode = .careful, isHazard: Bool = false
  ) -> FenceUnderWatch {
    FenceUnderWatch(
      id: fenceID(1), version: version(1), isActive: true,
      fence: PreparedFence(.polygons([FencePolygon(outer: square(around: (0, 0), half: 0.01))])),
      mode: mode, dwellSeconds: 0, isHazard: isHazard)
  }

  private static func fix(inside: Bool, second: Int64) -> Fix {
    Fix(
      position: degrees(inside ? 0 : 0.1, 0), accuracyDecimetres: 50,
      sampleTime: Timestamp(milliseconds: second * 1000))
  }

  /// Returns the events of a subject that changes sides with each fix, with the second of each.
  private func jump(
    for seconds: Int64, over zone: FenceUnderWatch
  ) -> (events: [(second: Int64, event: Transition)], detector: CrossingDetector) {
    var detector = CrossingDetector()
    var found: [(second: Int64, event: Transition)] = []
    for second in 0..<seconds {
      let fix = Self.fix(inside: second % 2 == 1, second: second)
      found += detector.observe(fix, fences: [zone]).map { (second, $0) }
      detector.checkInvariants()
    }
    return (found, detector)
  }

  @Test func `beyond thirty events an hour, one event a minute is left, in turns and numbered`() {
    let (events, _) = jump(for: 3 * 3600, over: Self.zone())
    let hours = Dictionary(grouping: events) { $0.second / 3600 }.mapValues(\.count)
    #expect(hours[0] == 30 + 59)
    for hour in [1, 2] as [Int64] { #expect((60...90).contains(hours[hour] ?? 0), "\(hours)") }
    #expect(events.map(\.event.number) == (1...UInt32(events.count)).map { $0 })
    for (one, next) in zip(events, events.dropFirst()) {
      #expect(one.event.type != next.event.type)
      #expect(one.event.fix.sampleTime < next.event.fix.sampleTime)
    }
  }

  @Test func `an ENTER of a hazard zone is never delayed`() {
    let zone = Self.zone(isHazard: true)
    let (events, _) = jump(for: 2 * 3600, over: zone)
    #expect(events.count <= 2 * (30 + 120))
    var side = CrossingType.exit
    var event = events[...]
    for second in 0..<2 * 3600 as Range<Int64> {
      if second % 2 == 1, side == .exit {
        #expect(event.first?.second == second, "the subject is inside, and others do not know")
      }
      while event.first?.second == second { side = event.removeFirst().event.type }
    }
  }

  @Test func `a zone of a program has every event`() {
    #expect(jump(for: 600, over: Self.zone(mode: .strictAWS)).events.count == 599)
  }

  @Test(arguments: [false, true])
  func `a minute later others know the side on which the subject stays`(endsInside: Bool) {
    for seconds in 100..<160 as Range<Int64> where (seconds % 2 == 0) == endsInside {
      var (events, detector) = jump(for: seconds, over: Self.zone())
      for second in [seconds, seconds + 1, seconds + 61] {
        let fix = Self.fix(inside: endsInside, second: second)
        events += detector.observe(fix, fences: [Self.zone()]).map { (second, $0) }
      }
      #expect(events.last?.event.type == (endsInside ? .enter : .exit), "after \(seconds) s")
      #expect(!detector.hasPending)
    }
  }

  @Test func `what waits survives a restart`() throws {
    var (events, detector) = jump(for: 302, over: Self.zone())
    #expect(detector.hasPending)
    var restored = detector
    for second in 302..<600 as Range<Int64> {
      restored = try CrossingDetector(
        decoding: restored.encoded(), watch: restored.encodedWatch())
      #expect(restored == detector)
      let fix = Self.fix(inside: second % 2 == 1, second: second)
      let found = detector.observe(fix, fences: [Self.zone()])
      #expect(restored.observe(fix, fences: [Self.zone()]) == found)
      events += found.map { (second, $0) }
    }
    #expect(events.count > 34)
  }

  @Test func `a zone that is deactivated is forgotten with what waits`() {
    var (_, detector) = jump(for: 101, over: Self.zone())
    #expect(detector.hasPending)
    #expect(detector.observe(Self.fix(inside: false, second: 102), fences: []).isEmpty)
    #expect(!detector.hasPending)
    #expect(
      detector.observe(Self.fix(inside: false, second: 200), fences: [Self.zone()]).isEmpty)
    let enters = detector.observe(Self.fix(inside: true, second: 201), fences: [Self.zone()])
    #expect(enters.map(\.type) == [.enter])
  }

  @Test func `a zone that is activated again within the minute raises no false EXIT`() throws {
    var (_, detector) = jump(for: 31, over: Self.zone())
    func observe(inside: Bool, _ second: Int64, isActive: Bool = true) throws -> [CrossingType] {
      detector = try CrossingDetector(
        decoding: detector.encoded(), watch: detector.encodedWatch())
      let fences = isActive ? [Self.zone()] : []
      return detector.observe(Self.fix(inside: inside, second: second), fences: fences).map(\.type)
    }
    #expect(try observe(inside: true, 95) == [.enter])
    #expect(try observe(inside: true, 100, isActive: false) == [])
    #expect(try observe(inside: true, 105) == [], "it waits for the end of the minute")
    #expect(try observe(inside: true, 160) == [.enter])
    #expect(try observe(inside: false, 230) == [.exit])
  }

  @Test func `a zone that is made a program's has what waited`() {
    var (_, detector) = jump(for: 101, over: Self.zone())
    #expect(detector.hasPending)
    let events = detector.observe(
      Self.fix(inside: false, second: 103), fences: [Self.zone(mode: .strictAWS)])
    #expect(events.map(\.type) == [.exit])
    #expect(!detector.hasPending)
  }
}
