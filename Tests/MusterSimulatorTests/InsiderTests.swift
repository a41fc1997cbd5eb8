import MusterModel
import Testing

@testable import MusterSimulator

/// Members with valid keys and modified programs, and what they cannot do to the others.
@Suite("Insiders in the simulator") struct InsiderTests {
  private func valley(insiders: [String]) -> Scenario {
    var scenario = Scenario(
      name: "insiders",
      nodes: [
        NodePlan(name: "anna", role: .command), NodePlan(name: "ben", role: .member),
        NodePlan(name: "cleo", role: .command), NodePlan(name: "mallory", role: .member),
        NodePlan(name: "mia", role: .member),
      ])
    scenario.warmUpMilliseconds = 5000
    scenario.durationMilliseconds = 120_000
    scenario.workload.everyMilliseconds = [
      .reports: 4000, .confirmations: 3000, .hazards: 15_000, .safety: 6000, .photos: 15_000,
    ]
    scenario.timeline = insiders.map {
      TimelineEntry(
        atMilliseconds: 1000,
        event: .insider($0, everyMilliseconds: 1000, untilMilliseconds: 110_000))
    }
    return scenario
  }

  @Test(arguments: UInt64(1)...4)
  func `two insiders mislead no laptop, and all answer the same`(seed: UInt64) {
    let result = World.play(valley(insiders: ["mallory", "mia"]), seed: seed)
    #expect(result.violations.isEmpty, "seed \(seed): \(result.violations)")
    #expect(result.knobs[.insider] ?? 0 > 200)
    #expect(result.convergedMilliseconds != nil)
  }

  @Test func `an insider who is revoked misled no laptop before`() {
    var scenario = valley(insiders: ["mallory"])
    scenario.timeline.append(
      TimelineEntry(atMilliseconds: 80_000, event: .revoke("mallory", by: "anna")))
    let result = World.play(scenario, seed: 3)
    #expect(result.violations.isEmpty, "\(result.violations)")
    #expect(result.knobs[.revocation] == 1)
  }

  @Test func `of three random scenarios one has insiders`() {
    let drawn = (1...300).map { Scenario.drawn(seed: $0, minutes: 1) }
    let count = drawn.count { $0.configuredKnobs.contains(.insider) }
    #expect((90...180).contains(count), "\(count) of 300")
  }
}
