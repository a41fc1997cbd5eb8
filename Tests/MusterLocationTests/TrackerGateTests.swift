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

  private func name(_ text: String) throws -> TrackerName { try #require(TrackerName(text)) }

  private func judge(
    _ name: String, at seconds: Int64, latitude: Double? = 46,
    as standing: TrackerGate.Standing = .proven, in gate: inout TrackerGate, now reading: Int64
  ) throws -> TrackerGate.Answer {
    let report = TrackerReport(
      tracker: try self.name(name),
      position: latitude.flatMap { Coordinate(latitude: $0, longitude: 14) },
      accuracyDecimetres: 50, time: .stated(Timestamp(milliseconds: wall + seconds * 1000)))
    return gate.judge(report, of: try self.name(name), as: standing, now: now(reading))
  }

  private func isTaken(_ answer: TrackerGate.Answer) -> Bool {
    if case .taken = answer { true } else { false }
  }

  @Test func `each phone is judged by its own past`() throws {
    var gate = TrackerGate(known: [], mostTrackers: 2, now: now(0).instant)
    #expect(isTaken(try judge("a", at: 0, in: &gate, now: 0)))
    #expect(isTaken(try judge("b", at: 0, latitude: 50, in: &gate, now: 0)))
    #expect(try judge("a", at: 1, latitude: 50, in: &gate, now: 1) == .refused(.jump))
    #expect(try judge("a", at: 0, in: &gate, now: 1) == .refused(.old))
    #expect(try judge("a", at: 2, latitude: nil, in: &gate, now: 2) == .contact)
    guard case .taken(_, isLate: true) = try judge("b", at: -60, in: &gate, now: 1) else {
      Issue.record("a late fix is not known to be late")
      return
    }
  }

  @Test func `invented names leave places for calls for help, and both for people with a login`()
    throws
  {
    let most = 256
    var gate = TrackerGate(known: [try name("mine")], mostTrackers: most, now: now(0).instant)
    func places(_ prefix: String, as standing: TrackerGate.Standing) throws -> Int {
      try (0..<1000).count {
        gate.admits(try name("\(prefix)\($0)"), as: standing, now: now(0).instant)
      }
    }
    #expect(!gate.isFull)
    #expect(try places("x", as: .shared) == 191 && gate.isFull)
    #expect(try judge("y", at: 0, as: .shared, in: &gate, now: 0) == .tooMany)
    #expect(try places("call", as: .call) == 48)
    #expect(try places("login", as: .proven) == 16)
    #expect(gate.count == most)
    #expect(isTaken(try judge("mine", at: 0, as: .shared, in: &gate, now: 0)))
    #expect(isTaken(try judge("x0", at: 0, as: .shared, in: &gate, now: 0)))
  }

  @Test func `a call has its position although the phone sent too many, within a rate of its own`()
    throws
  {
    var gate = TrackerGate(known: [], mostTrackers: 2, now: now(0).instant)
    let kim = try name("kim")
    for number in 0..<301 { _ = try judge("kim", at: Int64(number) - 400, in: &gate, now: 0) }
    #expect(try judge("kim", at: 0, in: &gate, now: 0) == .tooFast)
    let call = TrackerReport(
      tracker: kim, position: Coordinate(latitude: 46, longitude: 14),
      time: .stated(Timestamp(milliseconds: wall)))
    let isUrgent = gate.isWithinRateOfCalls(kim, now: now(0).instant)
    #expect(isUrgent)
    #expect(isTaken(gate.judge(call, of: kim, as: .shared, isUrgent: isUrgent, now: now(0))))
    let others = (0..<200).count { _ in gate.isWithinRateOfCalls(kim, now: now(0).instant) }
    #expect(others == 59)
    let isNextWithin = gate.isWithinRateOfCalls(kim, now: now(5).instant)
    #expect(isNextWithin)
  }

  @Test func `a fix that could not be stored is taken when it is sent again`() throws {
    var gate = TrackerGate(known: [], mostTrackers: 2, now: now(0).instant)
    #expect(isTaken(try judge("kim", at: -5, in: &gate, now: 0)))
    let before = gate
    #expect(isTaken(try judge("kim", at: 0, in: &gate, now: 0)))
    #expect(try judge("kim", at: 0, in: &gate, now: 1) == .refused(.old))
    gate.withdraw(fixesOf: try name("kim"), since: before)
    #expect(isTaken(try judge("kim", at: 0, in: &gate, now: 2)))
  }

  @Test func `a phone that sends without end gets one report a second, and the others theirs`()
    throws
  {
    var gate = TrackerGate(known: [], mostTrackers: 2, now: now(0).instant)
    var taken = 0
    for number in 0..<1000 {
      let answer = try judge("loud", at: Int64(number) - 2000, in: &gate, now: 0)
      taken += isTaken(answer) ? 1 : 0
    }
    #expect(taken == 300)
    #expect(try judge("loud", at: 0, in: &gate, now: 0) == .tooFast)
    #expect(isTaken(try judge("quiet", at: 0, in: &gate, now: 0)))
    #expect(isTaken(try judge("loud", at: 1, in: &gate, now: 1)))
    #expect(try judge("loud", at: 2, in: &gate, now: 1) == .tooFast)
  }
}
