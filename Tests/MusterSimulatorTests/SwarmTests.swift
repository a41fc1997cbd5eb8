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

  @Test("crowds on one channel keep every promise", arguments: [1, 2] as [UInt64])
  func crowd(seed: UInt64) {
    var scenario = Scenario.drawnCrowd(seed: seed, most: 24)
    scenario.durationMilliseconds = 240_000
    let result = World.play(scenario, seed: seed)
    #expect(
      result.violations.isEmpty,
      "\(result.violations.map(\.description).joined(separator: "\n"))\n\(scenario.yaml)")
  }

  @Test("a crowd is the same after writing and reading", arguments: UInt64(1)...50)
  func crowdRoundTrip(seed: UInt64) throws {
    let drawn = Scenario.drawnCrowd(seed: seed)
    let read = try ScenarioReader.read(drawn.yaml, file: "crowd-\(seed).yaml")
    var expected = drawn
    expected.story += "\n"
    #expect(read == expected, "seed \(seed):\n\(drawn.yaml)")
  }

  @Test("a random scenario is the same after writing and reading", arguments: UInt64(1)...200)
  func roundTrip(seed: UInt64) throws {
    let drawn = Scenario.drawn(seed: seed, minutes: nil)
    let read = try ScenarioReader.read(drawn.yaml, file: "swarm-\(seed).yaml")
    var expected = drawn
    expected.story += "\n"
    #expect(read == expected, "seed \(seed):\n\(drawn.yaml)")
  }

  /// Found by the swarm: the two others of three members need the vote of the third.
  @Test func `no member of a drawn council is destroyed`() {
    for seed in UInt64(900)...930 {
      let drawn = Scenario.drawn(seed: seed, minutes: nil)
      #expect(drawn.namesLost.isDisjoint(with: drawn.council), "seed \(seed)")
    }
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

  /// Found by the swarm: without its council, a scenario in which a thief usurps cannot be replayed.
  @Test func `a minimized scenario can be replayed`() throws {
    let scenario = try ScenarioReader.read(
      """
      story: A thief with the laptop of a council member, and a disk that is restored.
      warm_up: 1s
      duration: 8s
      settle: 1s
      nodes:
        - {name: ada, role: command}
        - {name: ben, role: command}
        - {name: cleo, role: command}
        - {name: dora, role: command}
      events:
        - {at: 0s, council: [ada, ben, cleo, dora]}
        - {at: 1s, backup: dora}
        - {at: 2s, cut: [[ada, ben]]}
        - {at: 3s, usurp: cleo}
        - {at: 4s, revoke: cleo, by: ben}
        - {at: 5s, restore: dora}
      expect: {bytes_per_second: 1}
      """, file: "stolen.yaml")
    let result = World.play(scenario, seed: 1)
    var shrinker = Shrinker(
      scenario, breaking: result.violations.filter { $0.promise == "bytes_per_second" }, runs: 60)
    shrinker.shrink { _, smallest in
      #expect(throws: Never.self) { try ScenarioReader.read(smallest.yaml, file: "smallest.yaml") }
    }
    #expect(shrinker.smallest.timeline.isEmpty && shrinker.smallest.nodes.count < 4)
    // Its parts go in an order in which each scenario is valid.
    let candidates = Shrinker.candidates(of: scenario).filter(\.isReadable)
    #expect(candidates.contains { $0.council == ["ada", "ben", "cleo"] })
    #expect(!candidates.contains { $0.council.isEmpty && $0.timeline.count > 3 })
  }
}
