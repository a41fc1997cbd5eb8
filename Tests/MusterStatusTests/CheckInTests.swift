import MusterModel
import MusterTestKit
import Testing

@testable import MusterStatus

/// The due interval and the states of a timer (decision 0046).
@Suite struct CheckInTests {
  private func report(_ earliest: Int64, _ latest: Int64, next: UInt32) -> CheckInEvidence.Report {
    CheckInEvidence.Report(made: Span(earliest: earliest, latest: latest), nextSeconds: next)
  }

  private func timer(_ due: Span, grace: Int64 = 120_000, reminder: Int64 = 0) -> TimerEvidence {
    TimerEvidence(
      id: RowID(number: 1), due: due, graceMilliseconds: grace, reminderMilliseconds: reminder,
      isSatisfied: false)
  }

  @Test func `The first due time follows the start, each later one the newest report`() {
    let start = report(1000, 1200, next: 60)
    #expect(
      CheckInEvidence(start: start, reports: []).due
        == Span(earliest: 61_000, latest: 61_200))
    let reported = CheckInEvidence(start: start, reports: [report(30_000, 30_000, next: 60)])
    #expect(reported.due == Span(earliest: 90_000, latest: 90_000))
  }

  @Test func `Of concurrent reports the latest due time counts, and a stop ends only itself`() {
    let start = report(0, 0, next: 60)
    let early = report(10_000, 10_500, next: 60)
    let late = report(40_000, 41_000, next: 60)
    let stop = report(50_000, 50_000, next: 0)
    #expect(
      CheckInEvidence(start: start, reports: [early, late]).due
        == Span(earliest: 100_000, latest: 101_000))
    #expect(
      CheckInEvidence(start: start, reports: [early, stop]).due
        == Span(earliest: 70_000, latest: 70_500))
    #expect(CheckInEvidence(start: start, reports: [stop]).due == nil)
  }

  @Test func `A timer runs, reminds, is due, overdue, then unaccounted`() {
    let timer = timer(Span(earliest: 60_000, latest: 61_000), grace: 5000, reminder: 10_000)
    let expected: [(Int64, CheckInState)] = [
      (49_999, .running), (50_000, .reminder), (59_999, .reminder), (60_000, .due),
      (60_999, .due), (61_000, .overdue), (65_999, .overdue), (66_000, .unaccounted),
    ]
    for (now, state) in expected { #expect(timer.state(at: now) == state, "at \(now)") }
    #expect(timer.changes == [50_000, 60_000, 61_000, 66_000])
  }

  @Test func `An unknown earliest time is possibly overdue at once`() {
    let timer = timer(.notAfter(90_000))
    #expect(timer.state(at: 1) == .due)
    #expect(timer.state(at: 90_000) == .overdue)
  }

  @Test func `A person is overdue, then unaccounted, and only a check-in satisfies it`() {
    var world = StatusWorld()
    world.zones = [world.zone(1, .muster, at: 0)]
    world.fix(at: 0, made: 500)
    world.person.timers = [timer(Span(earliest: 60_000, latest: 61_000), reminder: 10_000)]
    #expect(world.assessment(at: 59_999).status == .atAssembly)
    #expect(world.assessment(at: 1000).nextChange == 50_000)
    #expect(world.assessment(at: 60_000).status == .overdue, "being at assembly is no check-in")
    #expect(world.assessment(at: 181_000).status == .unaccounted)
    #expect(world.assessment(at: 181_000).timers.map(\.state) == [.unaccounted])
    world.person.timers = []
    #expect(world.assessment(at: 181_000).status == .atAssembly)
  }

  @Test func `A sign-off that names the timer settles it`() {
    var world = StatusWorld()
    world.fix(at: 0)
    world.person.timers = [timer(Span(earliest: 60_000, latest: 60_000))]
    world.person.statements.signOff = SignOffEvidence(reason: "home", rows: [RowID(number: 1)])
    #expect(world.assessment(at: 400_000).status == .signedOff)
    #expect(world.assessment(at: 400_000).timers.isEmpty)
  }

  @Test func `Under duress a person is in distress at once, whatever else applies`() {
    var world = StatusWorld()
    world.fix(at: 0)
    #expect(!world.assessment(at: 1000).isUnderDuress)
    world.person.isUnderDuress = true
    world.person.statements.signOff = SignOffEvidence(reason: "home", rows: [])
    let found = world.assessment(at: 1000)
    #expect(found.status == .mayday && found.severity == .danger && found.isUnderDuress)
    #expect(found.reason == "checked in under duress")
    #expect(found.conditions.first == .underDuress)
    #expect(found.conditions.contains { $0.status == .signedOff })
  }

  @Test func `The next due of ten thousand timers is found without reading them`() {
    var picture = StatusPicture(scene: StatusScene(zones: [], orders: [], permits: []))
    for number in 0..<10_000 {
      var person = PersonEvidence(
        identity: PersonIdentity(
          id: UserID(number: number + 1), role: .member, team: "", isTracker: false),
        silenceMilliseconds: 600_000)
      let due = Int64(1_000_000 + number * 7 % 10_000 * 100)
      person.timers = [timer(Span(earliest: due, latest: due))]
      picture.update(person)
    }
    _ = picture.refresh(at: StatusClock(boot: 0, wall: Timestamp(milliseconds: 0)))
    #expect(picture.nextChange == 1_000_000)
    // A suspended machine wakes: all that are due change at once, and once.
    let woken = StatusClock(boot: 1_500_000, wall: Timestamp(milliseconds: 1_500_000))
    #expect(picture.refresh(at: woken).count == 5001)
    #expect(picture.refresh(at: woken).isEmpty)
  }
}
