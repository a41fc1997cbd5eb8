import MusterSimulator
import Testing

/// A sample of what `muster-sim crashpoints` does at thousands of points.
@Suite("A disk that fails")
struct DiskTrialTests {
  @Test(arguments: SimulatedDisk.Damage.allCases)
  func `what was acknowledged survives a power cut`(damage: SimulatedDisk.Damage) throws {
    let trials = try DiskTrials(seed: 1)

    let row = try trials.cutPower(points: 4, damage: damage) { _ in }

    #expect(row.violations == [])
    #expect(row.fired == row.trials)
    #expect(row.acknowledged > 0)
  }

  @Test(arguments: DiskTrials.Fault.allCases)
  func `a disk that fails or is full for a while costs nothing that was acknowledged`(
    fault: DiskTrials.Fault
  ) throws {
    let trials = try DiskTrials(seed: 1)

    let row = try trials.fail(fault, points: 3) { _ in }

    #expect(row.violations == [])
    #expect(row.fired == row.trials)
    #expect(row.failures > 0)
  }
}
