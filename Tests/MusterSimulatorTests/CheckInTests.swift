import Foundation
import MusterModel
import Testing

@testable import MusterSimulator

/// The measure of decision 0046. `MUSTER_VOLUME=1000` for all of it; `MUSTER_TEST_SEED` replays
/// one.
@Suite("Check-ins in the simulator") struct CheckInTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let seeds = environment["MUSTER_VOLUME"].flatMap(UInt64.init) ?? 8

  @Test func `in drawn schedules no alarm is missed, and none is false`() throws {
    let one = Self.environment["MUSTER_TEST_SEED"].flatMap(UInt64.init)
    var (compared, alarms) = (0, 0)
    for seed in one.map({ $0...$0 }) ?? 1...max(Self.seeds, 1) {
      let world = try World(.drawnCheckIns(seed: seed), seed: seed)
      let result = try world.run()
      compared += world.checkers.checkIns.compared
      alarms += world.checkers.checkIns.alarms
      for violation in result.violations.prefix(2) { Issue.record("seed \(seed): \(violation)") }
    }
    print("check-ins: \(compared) timers compared, \(alarms) of them overdue")
    #expect(alarms * 20 > compared, "hardly any timer is ever overdue")
  }

  @Test func `a story without check-ins is reviewed by no node`() throws {
    let scenario = Scenario(name: "quiet", nodes: [NodePlan(name: "anna", role: .command)])
    let world = try World(scenario, seed: 1)
    _ = try world.run()
    #expect(!world.reviewsAlerts)
    #expect(world.checkers.checkIns.compared == 0)
  }
}
