import MusterModel
import MusterTestKit
import Testing

@testable import MusterSimulator

/// The measure of decision 0037. `MUSTER_VOLUME=1000` for all of it; `MUSTER_TEST_SEED` replays
/// one.
@Suite struct DangerTests {
  @Test func `every node shows within two seconds who is in danger, and no one else`() throws {
    var (compared, dangers) = (0, 0)
    for seed in Volume.seeds(orUsual: 6) {
      let world = try World(.drawnDanger(seed: seed), seed: seed)
      let result = try world.run()
      compared += world.checkers.dangers.compared
      dangers += world.checkers.dangers.dangers
      for violation in result.violations.prefix(2) { Issue.record("seed \(seed): \(violation)") }
    }
    print("people in danger: \(compared) statuses compared, \(dangers) of people in danger")
    // Of many seeds: one may have few people in danger.
    if Volume.onlySeed == nil {
      #expect(dangers * 20 > compared, "hardly anyone is ever in danger")
    }
  }
}
