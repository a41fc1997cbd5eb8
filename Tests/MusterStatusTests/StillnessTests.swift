import MusterModel
import MusterTestKit
import Testing

@testable import MusterStatus

/// A lack of movement while a timer runs (decision 0048).
@Suite struct StillnessTests {
  /// Once, due in an hour; asks after ten minutes without movement, with a minute to answer.
  private func timer(answered: Int64 = 0) -> TimerEvidence {
    TimerEvidence(
      id: RowID(number: 1), due: Span(earliest: 3_600_000, latest: 3_600_000),
      graceMilliseconds: 60_000, isSatisfied: false, stillMilliseconds: 600_000,
      answered: answered)
  }

  private func world(
    still seconds: UInt32?, made: Int64, timer: TimerEvidence? = nil
  ) -> StatusWorld {
    var world = StatusWorld()
    world.fix(at: 0, made: made)
    world.person.devices[0].movement = MovementEvidence(
      made: world.moment(made), stillSeconds: seconds)
    world.person.timers = [timer ?? self.timer()]
    return world
  }

  private func state(_ world: StatusWorld, at time: Int64) -> CheckInState? {
    world.assessment(at: time).timers.first?.state
  }

  @Test func `Who does not move is asked, then overdue, then unaccounted for`() {
    // At 400 s the device has not moved for 300 s: since 100 s.
    let world = world(still: 300, made: 400_000)
    #expect(state(world, at: 699_999) == .running)
    #expect(state(world, at: 700_000) == .reminder)
    #expect(world.assessment(at: 700_000).timers.first?.isStill == true)
    #expect(
      world.assessment(at: 700_000).status == .ok, "it is not known yet whether they are well")
    #expect(state(world, at: 760_000) == .overdue)
    #expect(world.assessment(at: 760_000).status == .overdue)
    #expect(world.assessment(at: 760_000).reason == "no movement, no answer")
    #expect(state(world, at: 820_000) == .unaccounted)
    #expect(world.assessment(at: 500_000).nextChange == 700_000)
  }

  @Test func `The author's laptop need not live: the last position decides`() {
    let world = world(still: 60, made: 100_000)
    #expect(state(world, at: 640_000) == .reminder)
    #expect(state(world, at: 700_000) == .overdue)
  }

  @Test func `A device that moved last and is silent since raises nothing before the due time`() {
    for seconds in [0, 59, nil] as [UInt32?] {
      let world = world(still: seconds, made: 100_000)
      #expect(state(world, at: 3_599_999) == .running)
      #expect(state(world, at: 3_600_000) == .overdue)
    }
  }

  @Test func `Another device that moves shows that the person moves`() {
    var world = world(still: 300, made: 400_000)
    world.person.devices.append(
      StatusDevice(
        id: DeviceID(number: 2), isRevoked: false, received: nil, history: FixHistory(),
        movement: MovementEvidence(made: world.moment(650_000), stillSeconds: 0)))
    #expect(state(world, at: 800_000) == .running)
    #expect(state(world, at: 1_250_000) == .reminder)
    world.person.devices[1].isRevoked = true
    #expect(state(world, at: 800_000) == .overdue, "a revoked device shows no safety")
  }

  @Test func `An answer starts the time again, and a sign-off settles it`() {
    let answered = world(still: 300, made: 400_000, timer: timer(answered: 710_000))
    #expect(state(answered, at: 760_000) == .running)
    #expect(state(answered, at: 1_310_000) == .reminder)
    var left = world(still: 300, made: 400_000)
    left.person.statements.signOff = SignOffEvidence(reason: "home", rows: [RowID(number: 1)])
    #expect(left.assessment(at: 900_000).timers.isEmpty)
  }

  @Test func `The due time that comes first counts`() {
    let short = TimerEvidence(
      id: RowID(number: 1), due: Span(earliest: 500_000, latest: 500_000),
      graceMilliseconds: 60_000, isSatisfied: false, stillMilliseconds: 600_000)
    let world = world(still: 300, made: 400_000, timer: short)
    #expect(state(world, at: 500_000) == .overdue)
    #expect(world.assessment(at: 700_000).timers.first?.isStill == false)
  }
}
