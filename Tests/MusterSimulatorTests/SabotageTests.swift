import MusterModel
import Testing

@testable import MusterSimulator

@Suite struct SabotageTests {
  private func fourNodes() -> Scenario {
    var scenario = Scenario(
      name: "four",
      nodes: [
        NodePlan(name: "anna", role: .command), NodePlan(name: "ben", role: .member),
        NodePlan(name: "cleo", role: .member), NodePlan(name: "mallory", role: .member),
      ])
    scenario.warmUpMilliseconds = 5000
    scenario.workload.everyMilliseconds = [.reports: 3000, .comments: 5000]
    return scenario
  }

  private func play(_ events: [(Int64, TimelineEvent)], seed: UInt64) -> RunResult {
    var scenario = fourNodes()
    scenario.workload.everyMilliseconds[.hazards] = 2000
    scenario.timeline = events.map { TimelineEntry(atMilliseconds: $0.0, event: $0.1) }
    return World.play(scenario, seed: seed)
  }

  @Test("acknowledged data survives power cuts in writes and syncs", arguments: 1...6)
  func powerCuts(seed: UInt64) {
    let result = play(
      [
        (5000, .powerCut("ben", inChange: Int64(seed), forMilliseconds: 2000)),
        (20_000, .powerCut("ben", inChange: Int64(7 * seed), forMilliseconds: 2000)),
        (40_000, .powerCut("anna", inChange: 3, forMilliseconds: nil)),
      ], seed: seed)
    #expect(result.violations.isEmpty, "seed \(seed): \(result.violations)")
    #expect(result.knobs[.powerCut] ?? 0 >= 2, "seed \(seed)")
  }

  @Test func `a full or failing disk acknowledges nothing, and later continues`() {
    let result = play(
      [
        (3000, .diskFull("ben", forMilliseconds: 50_000)),
        (10_000, .diskFails("cleo", forMilliseconds: 15_000)),
      ], seed: 2)
    #expect(result.violations.isEmpty, "\(result.violations)")
    #expect(result.knobs[.fullDisk] == 1 && result.knobs[.failingDisk] == 1, "\(result.knobs)")
    // Retries back off, and do not occur for every deadline that has passed.
    #expect((1...100).contains(result.failures.values.reduce(0, +)), "\(result.failures)")
  }

  @Test("a clone's writes are not sent to the original, and no other node is hindered")
  func clone() {
    var scenario = fourNodes()
    var copy = NodePlan(name: "copy", role: .member)
    copy.cloneOf = "ben"
    copy.joinsAtMilliseconds = 15_000
    scenario.nodes.append(copy)
    let result = World.play(scenario, seed: 1)
    #expect(result.violations.isEmpty, "\(result.violations)")
    #expect(result.knobs == [.clone: 1])
  }

  @Test(
    "a device that is revoked on one side of a partition is revoked everywhere", arguments: 1...3)
  func revocation(seed: UInt64) {
    let result = play(
      [
        (8000, .cut([["anna", "ben"], ["cleo", "mallory"]])),
        (12_000, .revoke("mallory", by: "anna")),
        (15_000, .burst(["mallory"], reports: 20, hazards: false, together: 1)),
        (30_000, .heal),
        (40_000, .burst(["mallory"], reports: 3, hazards: false, together: 1)),
      ], seed: seed)
    #expect(result.violations.isEmpty, "seed \(seed): \(result.violations)")
    #expect(result.knobs[.revocation] == 1, "seed \(seed)")
  }

  @Test func `two commanders who revoke each other are both revoked`() {
    var scenario = fourNodes()
    scenario.nodes.append(NodePlan(name: "dora", role: .command))
    scenario.nodes.append(NodePlan(name: "emil", role: .command))
    let events: [(Int64, TimelineEvent)] = [
      (5000, .cut([["anna", "dora", "ben"], ["emil", "cleo", "mallory"]])),
      (10_000, .revoke("emil", by: "dora")), (12_000, .revoke("dora", by: "emil")),
      (14_000, .revoke("ben", by: "emil")), (30_000, .heal),
    ]
    scenario.timeline = events.map { TimelineEntry(atMilliseconds: $0.0, event: $0.1) }
    let result = World.play(scenario, seed: 4)
    #expect(result.violations.isEmpty, "\(result.violations)")
    #expect(result.knobs[.revocation] == 3)
  }

  @Test func `two frames at one position hinder no other node, and are reported`() {
    let result = play(
      [(10_000, .equivocate("mallory")), (30_000, .equivocate("mallory"))], seed: 3)
    #expect(result.violations.isEmpty, "\(result.violations)")
    #expect(result.knobs == [.equivocation: 2])
  }

  @Test func `withholding, floods and forgeries do not stop delivery`() {
    let result = play(
      [
        (2000, .withhold("cleo", untilMilliseconds: 60_000)),
        (5000, .flood("mallory", perSecond: 20, untilMilliseconds: 40_000)),
        (5000, .forger("mallory", everyMilliseconds: 1000, untilMilliseconds: 60_000)),
      ], seed: 4)
    #expect(result.violations.isEmpty, "\(result.violations)")
    #expect(result.knobs[.withholding] ?? 0 > 0 && result.knobs[.flood] ?? 0 > 100)
  }

  /// Found by the swarm: what a member floods may be more than the medium carries in time.
  @Test func `after a flood on a narrow medium all agree as soon as it has carried the rest`() {
    var scenario = fourNodes()
    scenario.network.medium = .shared(bitsPerSecond: 40_000)
    scenario.durationMilliseconds = 40_000
    scenario.settleMilliseconds = 20_000
    scenario.timeline = [
      TimelineEntry(
        atMilliseconds: 5000,
        event: .overfill("mallory", everyMilliseconds: 500, untilMilliseconds: 40_000))
    ]
    let result = World.play(scenario, seed: 2)
    #expect(result.violations.isEmpty, "\(result.violations)")
    #expect(result.convergedMilliseconds ?? 0 > 20_000)
  }
}
