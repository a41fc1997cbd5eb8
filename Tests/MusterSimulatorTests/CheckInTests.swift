import MusterModel
import MusterTestKit
import Testing

@testable import MusterSimulator

/// The measure of decision 0046. `MUSTER_VOLUME=1000` for all of it; `MUSTER_TEST_SEED` replays
/// one.
@Suite("Check-ins in the simulator") struct CheckInTests {
  @Test func `in drawn schedules no alarm is missed, and none is false`() throws {
    var (compared, alarms) = (0, 0)
    for seed in Volume.seeds(orUsual: 8) {
      let world = try World(.drawnCheckIns(seed: seed), seed: seed)
      let result = try world.run()
      compared += world.checkers.checkIns.compared
      alarms += world.checkers.checkIns.alarms
      for violation in result.violations.prefix(2) { Issue.record("seed \(seed): \(violation)") }
    }
    print("check-ins: \(compared) timers compared, \(alarms) of them overdue")
    #expect(alarms * 20 > compared, "hardly any timer is ever overdue")
  }

  /// In seed 748019 Cleo's disk is restored, and a later own record dates the timers that came back
  /// before it more closely: her status was not assessed again.
  @Test func `own timers that come back are assessed again with each closer date`() throws {
    let result = try World(.drawnCheckIns(seed: 748_019), seed: 748_019).run()
    #expect(result.violations.isEmpty, "\(result.violations.prefix(2))")
  }

  @Test func `a story without check-ins is reviewed by no node`() throws {
    let scenario = Scenario(name: "quiet", nodes: [NodePlan(name: "anna", role: .command)])
    let world = try World(scenario, seed: 1)
    _ = try world.run()
    #expect(!world.reviewsAlerts)
    #expect(world.checkers.checkIns.compared == 0)
  }
}
