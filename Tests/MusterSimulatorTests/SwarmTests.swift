import MusterModel
import Testing

@testable import MusterSimulator

@Suite struct SwarmTests {
  @Test("twenty random scenarios keep every promise", arguments: UInt64(1)...20)
  func swarm(seed: UInt64) {
    let scenario = Scenario.drawn(seed: seed, minutes: 1)
    let result = World.play(scenario, seed: seed)
    #expect(
      result.violations.isEmpty,
      """
      \(result.violations.map(\.description).joined(separator: "\n"))
      replay: muster-sim swarm --seeds 1 --first \(seed) --minutes 1
      """)
  }

  @Test("a random scenario is the same after writing and reading", arguments: UInt64(1)...200)
  func roundTrip(seed: UInt64) throws {
    let drawn = Scenario.drawn(seed: seed, minutes: nil)
    let read = try ScenarioReader.read(drawn.yaml, file: "swarm-\(seed).yaml")
    var expected = drawn
    expected.story += "\n"
    #expect(read == expected, "seed \(seed):\n\(drawn.yaml)")
  }

  @Test func `a failing scenario is minimized`() {
    var scenario = Scenario.drawn(seed: 5, minutes: 1)
    scenario.network.rangeMetres = nil
    scenario.everyFaultFires = true
    scenario.network.conditions.mtuBytes = 1000
    scenario.expectations.bytesPerSecond = 0
    let result = World.play(scenario, seed: 5)
    #expect(result.violations.contains { $0.promise == "bytes_per_second" })
    var shrinker = Shrinker(
      scenario,
      breaking: result.violations.filter { $0.promise == "bytes_per_second" }, runs: 30)
    shrinker.shrink { _, _ in }
    #expect(shrinker.smallest.nodes.count <= 2)
    #expect(shrinker.smallest.timeline.isEmpty)
    #expect(shrinker.smallest.durationMilliseconds <= 30_000)
  }
}
