import MusterGeo
import MusterLocation
import MusterModel
import Testing

struct TrackerGateTests {
  private let wall: Int64 = 1_795_300_000_000

  private func now(_ seconds: Int64) -> ClockReading {
    ClockReading(
      instant: Instant(microseconds: seconds * 1_000_000),
      wall: Timestamp(milliseconds: wall + seconds * 1000), boot: seconds * 1000,
      entropy: .zero)
  }

  private func report(_ name: String, at seconds: Int64, latitude: Double = 46) throws
    -> TrackerReport
  {
    TrackerReport(
      tracker: try #require(TrackerName(name)),
      fix: SourceFix(
        position: try #require(Coordinate(latitude: latitude, longitude: 14)),
        accuracyDecimetres: 50, sampleTime: Timestamp(milliseconds: wall + seconds * 1000)))
  }

  private func isTaken(_ answer: TrackerGate.Answer) -> Bool {
    if case .taken = answer { true } else { false }
  }

  @Test func `each phone is judged by its own past`() throws {
    var gate = TrackerGate(known: [], mostTrackers: 2, now: now(0).instant)
    #expect(isTaken(gate.take(try report("a", at: 0), now: now(0))))
    #expect(isTaken(gate.take(try report("b", at: 0, latitude: 50), now: now(0))))
    #expect(gate.take(try report("a", at: 1, latitude: 50), now: now(1)) == .refused(.jump))
    #expect(gate.take(try report("a", at: 0), now: now(1)) == .refused(.old))
    guard case .taken(_, isLate: true) = gate.take(try report("b", at: -60), now: now(1)) else {
      Issue.record("a late fix is not known to be late")
      return
    }
  }

  @Test func `names that are made up find no room after the last place`() throws {
    let known = try #require(TrackerName("mine"))
    var gate = TrackerGate(known: [known], mostTrackers: 3, now: now(0).instant)
    let answers = try (0..<1000).map { gate.take(try report("x\($0)", at: 0), now: now(0)) }
    #expect(answers.count(where: isTaken) == 2)
    #expect(answers.last == .tooMany)
    #expect(gate.count == 3)
    #expect(isTaken(gate.take(try report("mine", at: 0), now: now(0))))
  }

  @Test func `a phone that sends without end gets one fix a second, and the others theirs`() throws
  {
    var gate = TrackerGate(known: [], mostTrackers: 2, now: now(0).instant)
    var taken = 0
    for number in 0..<1000 {
      let answer = gate.take(try report("loud", at: Int64(number) - 2000), now: now(0))
      taken += isTaken(answer) ? 1 : 0
    }
    #expect(taken == 300)
    #expect(gate.take(try report("loud", at: 0), now: now(0)) == .tooFast)
    #expect(isTaken(gate.take(try report("quiet", at: 0), now: now(0))))
    #expect(isTaken(gate.take(try report("loud", at: 1), now: now(1))))
    #expect(gate.take(try report("loud", at: 2), now: now(1)) == .tooFast)
  }
}
