import MusterModel
import Testing

@testable import MusterSimulator

@Suite struct WorldTests {
  private func twoNodes() -> Scenario {
    var scenario = Scenario(
      name: "two",
      nodes: [NodePlan(name: "anna", role: .command), NodePlan(name: "ben", role: .member)])
    scenario.warmUpMilliseconds = 5000
    scenario.workload.everyMilliseconds = [.reports: 5000, .comments: 5000]
    return scenario
  }

  @Test func `two nodes converge on what both wrote`() {
    let result = World.play(twoNodes(), seed: 1)
    #expect(result.violations.isEmpty, "\(result.violations)")
    #expect(result.acknowledgedWrites > 10)
    #expect(result.convergedMilliseconds != nil)
  }

  @Test func `one seed gives one trace hash, another seed another`() {
    var scenario = twoNodes()
    scenario.network.conditions.lossPerMillion = 200_000
    let first = World.play(scenario, seed: 7).traceHash
    #expect(World.play(scenario, seed: 7).traceHash == first)
    #expect(World.play(scenario, seed: 8).traceHash != first)
  }

  @Test func `writes on two sides of a partition are on both after the heal`() {
    var scenario = twoNodes()
    scenario.timeline = [
      TimelineEntry(atMilliseconds: 1000, event: .cut([["anna"], ["ben"]]))
    ]
    let result = World.play(scenario, seed: 3)
    #expect(result.violations.isEmpty, "\(result.violations)")
    #expect(result.knobs[.partition] ?? 0 > 0)
    #expect(result.reports?.longestMilliseconds ?? 0 > 50_000, "nothing crosses a cut")
  }

  @Test func `a node that crashes keeps what it acknowledged`() {
    var scenario = twoNodes()
    scenario.timeline = [
      TimelineEntry(atMilliseconds: 20_000, event: .crash("ben", forMilliseconds: 5000)),
      TimelineEntry(atMilliseconds: 30_000, event: .sleep("anna", forMilliseconds: 5000)),
    ]
    let result = World.play(scenario, seed: 4)
    #expect(result.violations.isEmpty, "\(result.violations)")
    #expect(result.knobs == [.crash: 1, .sleep: 1])
  }

  @Test func `a restored backup begins a new incarnation, and no data of others is lost`() {
    var scenario = twoNodes()
    scenario.timeline = [
      TimelineEntry(atMilliseconds: 10_000, event: .backup("ben")),
      TimelineEntry(atMilliseconds: 40_000, event: .restore("ben")),
    ]
    let result = World.play(scenario, seed: 5)
    #expect(result.violations.isEmpty, "\(result.violations)")
  }

  @Test func `if both disks are restored, only data that no other disk held is lost`() {
    var scenario = twoNodes()
    scenario.timeline = [
      TimelineEntry(atMilliseconds: 5000, event: .backup("ben")),
      TimelineEntry(atMilliseconds: 20_000, event: .backup("anna")),
      TimelineEntry(atMilliseconds: 30_000, event: .block(from: "anna", to: "ben")),
      TimelineEntry(atMilliseconds: 40_000, event: .restore("anna")),
      TimelineEntry(atMilliseconds: 45_000, event: .restore("ben")),
    ]
    let result = World.play(scenario, seed: 6)
    #expect(result.violations.isEmpty, "\(result.violations)")
    #expect(result.knobs[.restore] == 2)
  }

  @Test func `a configured fault that never occurs is reported`() {
    var scenario = twoNodes()
    scenario.network.rangeMetres = 1000
    let result = World.play(scenario, seed: 1)
    #expect(result.violations.map(\.detail) == ["range never did"])
  }

  @Test func `an outsider with replays and noise changes nothing`() {
    var scenario = twoNodes()
    scenario.timeline = [
      TimelineEntry(
        atMilliseconds: 5000, event: .replay(perSecond: 20, untilMilliseconds: 50_000)),
      TimelineEntry(
        atMilliseconds: 5000, event: .garbage(perSecond: 50, untilMilliseconds: 50_000)),
    ]
    let result = World.play(scenario, seed: 6)
    #expect(result.violations.isEmpty, "\(result.violations)")
    #expect(result.rejections.values.reduce(0, +) > 1000)
  }

  @Test func `an insider's unauthorized writes are relayed and never shown`() {
    var scenario = twoNodes()
    scenario.nodes.append(NodePlan(name: "mallory", role: .member))
    scenario.workload.fences = 1
    scenario.timeline = [
      TimelineEntry(
        atMilliseconds: 5000,
        event: .insider("mallory", everyMilliseconds: 250, untilMilliseconds: 60_000))
    ]
    let result = World.play(scenario, seed: 9)
    #expect(result.violations.isEmpty, "\(result.violations)")
    #expect(result.knobs[.insider] ?? 0 > 200)
  }
}
