import MusterSimulator
import Testing

/// A sample of the thousands of points of `muster-sim crashpoints`.
@Suite("A failing disk")
struct DiskTrialTests {
  @Test(arguments: SimulatedDisk.Damage.allCases)
  func `acknowledged data survives a power cut`(damage: SimulatedDisk.Damage) throws {
    let trials = try DiskTrials(seed: 1)

    let row = try trials.cutPower(points: 4, damage: damage) { _ in }

    #expect(row.violations == [])
    #expect(row.fired == row.trials)
    #expect(row.acknowledged > 0)
  }

  @Test(arguments: DiskTrials.Fault.allCases)
  func `a failing or full disk loses no acknowledged data`(
    fault: DiskTrials.Fault
  ) throws {
    let trials = try DiskTrials(seed: 1)

    let row = try trials.fail(fault, points: 3) { _ in }

    #expect(row.violations == [])
    #expect(row.fired == row.trials)
    #expect(row.failures > 0)
  }
}
