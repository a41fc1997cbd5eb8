import MusterModel
import Testing

@testable import MusterGeo

struct FixGateTests {
  private let now = Timestamp(rfc3339: "2026-11-21T22:00:00Z")!
  private let home = Coordinate(latitude: 46.05, longitude: 14.5)!

  private func later(_ seconds: Int64) -> Timestamp {
    Timestamp(milliseconds: now.milliseconds + seconds * 1000)
  }

  private func north(_ metres: Double) -> Coordinate {
    Coordinate(latitude: 46.05 + metres / 111_000, longitude: 14.5)!
  }

  private func admitted(
    _ gate: inout FixGate, _ position: Coordinate? = nil, accuracy: UInt32? = 50,
    at time: Timestamp?,
    from origin: FixOrigin = .receiver, now: Timestamp? = nil
  ) -> Result<FixGate.Admitted, FixRefusal> {
    do throws(FixRefusal) {
      return .success(
        try gate.admit(
          position ?? home, accuracyDecimetres: accuracy, time: time, from: origin,
          now: now ?? time ?? self.now))
    } catch {
      return .failure(error)
    }
  }

  private func time(
    of claimed: Timestamp?, from origin: FixOrigin = .receiver, now: Timestamp? = nil
  ) throws -> Timestamp {
    var gate = FixGate()
    return try admitted(&gate, at: claimed, from: origin, now: now ?? self.now).get().fix.sampleTime
  }

  // MARK: Places

  @Test func `nowhere is nowhere, and a place in the Gulf of Guinea is one`() throws {
    var gate = FixGate()
    let nowhere = try #require(Coordinate(latitudeE7: 900, longitudeE7: -1000))
    #expect(admitted(&gate, nowhere, at: now) == .failure(.nowhere))
    let boat = try #require(Coordinate(latitudeE7: 900, longitudeE7: 20_000))
    #expect(try admitted(&gate, boat, at: now).get().fix.position == boat)
  }

  @Test func `a radius of more than a kilometre is too vague, and none is none`() throws {
    var gate = FixGate()
    #expect(admitted(&gate, accuracy: 10_001, at: now) == .failure(.vague))
    #expect(try admitted(&gate, accuracy: nil, at: now).get().fix.accuracyDecimetres == nil)
  }

  @Test func `a jump is refused until three fixes in a row agree`() throws {
    var gate = FixGate()
    _ = try admitted(&gate, at: now).get()
    #expect(admitted(&gate, north(50_000), at: later(1)) == .failure(.jump))
    #expect(try admitted(&gate, north(3), at: later(2)).get().fix.position == north(3))
    #expect(admitted(&gate, north(50_000), at: later(3)) == .failure(.jump))
    #expect(admitted(&gate, north(90_000), at: later(4)) == .failure(.jump))
    #expect(admitted(&gate, north(90_010), at: later(5)) == .failure(.jump))
    #expect(try admitted(&gate, north(90_020), at: later(6)).get().fix.position == north(90_020))
  }

  @Test func `a helicopter is believed, and so is who comes back after an hour`() throws {
    var gate = FixGate()
    _ = try admitted(&gate, at: now).get()
    _ = try admitted(&gate, north(90), at: later(1)).get()
    _ = try admitted(&gate, north(200_000), at: later(3600)).get()
  }

  // MARK: Times

  @Test func `a receiver's time within a day of the clock is believed`() throws {
    for seconds: Int64 in [-86_400, -3600, 0, 7200, 86_400] {
      #expect(try time(of: later(seconds)) == later(seconds))
    }
  }

  @Test(arguments: [-2, -1, 1, 2])
  func `a receiver that is 1024 weeks off is put right, to the second`(periods: Int64) throws {
    let claimed = Timestamp(
      milliseconds: now.milliseconds + periods * FixGate.rollover + 1234)
    var gate = FixGate()
    let fix = try admitted(&gate, at: claimed, now: now).get()
    #expect(fix.fix.sampleTime.milliseconds == now.milliseconds + 1234)
    #expect(fix.remark == .rolledOver)
  }

  @Test(arguments: ["1970-01-01T00:00:00Z", "2025-01-23T14:34:54Z", "9999-12-31T23:59:59Z"])
  func `any other date of a receiver gives way to the time of arrival`(text: String) throws {
    var gate = FixGate()
    let fix = try admitted(&gate, at: Timestamp(rfc3339: text), now: now).get()
    #expect(fix.fix.sampleTime == now)
    #expect(fix.remark == .replaced)
    for end in [Int64.min, .max] {
      #expect(try time(of: Timestamp(milliseconds: end)) == now)
    }
  }

  @Test func `where the laptop's clock was never set the receiver is right`() throws {
    let unset = try #require(Timestamp(rfc3339: "1970-01-01T00:05:00Z"))
    #expect(try time(of: now, now: unset) == now)
    let rolledOver = Timestamp(milliseconds: now.milliseconds - FixGate.rollover)
    #expect(try time(of: rolledOver, now: unset) == unset)
  }

  @Test func `a fix without a time gets the time of arrival`() throws {
    #expect(try time(of: nil) == now)
  }

  @Test func `a receiver's clock that is set back does not hide what comes after`() throws {
    var gate = FixGate()
    _ = try admitted(&gate, at: later(80_000), now: now).get()
    #expect(admitted(&gate, at: later(80_000), now: later(1)) == .failure(.old))
    #expect(admitted(&gate, at: later(79_999), now: later(1)) == .failure(.old))
    let back = try admitted(&gate, at: later(2), now: later(2)).get()
    #expect(back.stepsBack && back.fix.sampleTime == later(2))
    #expect(try !admitted(&gate, at: later(3), now: later(3)).get().stepsBack)
  }

  @Test func `a phone that was offline brings late fixes, which stay late`() throws {
    var gate = FixGate()
    _ = try admitted(&gate, at: now, from: .tracker).get()
    let late = try admitted(&gate, at: later(-7200), from: .tracker, now: now).get()
    #expect(late.fix.sampleTime == later(-7200) && !late.stepsBack && gate.isLate(late.fix))
    #expect(admitted(&gate, at: now, from: .tracker) == .failure(.old))
  }

  @Test func `a phone's time in the future, or before GPS, is replaced by the time of arrival`()
    throws
  {
    #expect(try time(of: later(601), from: .tracker) == now)
    #expect(try time(of: later(599), from: .tracker) == later(599))
    #expect(try time(of: Timestamp(milliseconds: 86_400_000), from: .tracker) == now)
    #expect(try time(of: Timestamp(milliseconds: .max), from: .tracker) == now)
  }

  @Test func `a replayed track keeps its times`() throws {
    let ancient = Timestamp(milliseconds: -1_000_000_000_000)
    #expect(try time(of: ancient, from: .replay) == ancient)
  }
}
