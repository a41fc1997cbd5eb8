import MusterTestKit
import Testing

/// The measure of issue 22: relays and members cannot postpone the `noContact` or `unaccounted` of
/// another person. `MUSTER_VOLUME=10000` runs as many worlds; `MUSTER_TEST_SEED` replays one.
@Suite("Attacks on the age of evidence")
struct AgeAttackTests {
  @Test func `no random attack changes the age or a deadline of another person`() {
    var (checks, bounded, excess) = (0, 0, [Int64]())
    var (byWallClock, byOthersStamps, worse) = (0, 0, Int64(0))
    let seeds = Volume.seeds(orUsual: 400)
    for seed in seeds {
      var world = AgeWorld(seed: seed)
      let result = world.run(steps: 120)
      if let first = result.violations.first { Issue.record("\(first)") }
      checks += result.checks
      bounded += result.bounded
      excess += result.excess
      byWallClock += result.fooledByWallClock ? 1 : 0
      byOthersStamps += result.fooledByOthersStamps ? 1 : 0
      worse = max(worse, result.worseThanControl)
    }
    excess.sort()
    let (median, low) =
      excess.isEmpty ? (0, 0) : (excess[excess.count / 2], excess[excess.count / 10])
    print(
      "age of evidence: \(seeds.count) worlds, \(checks) checks, \(bounded) with an upper bound:",
      "\(median) ms above the truth at the median, \(low) ms at the lowest tenth;",
      "fooled: wall clocks in \(byWallClock), others' stamps in \(byOthersStamps);",
      "at most \(worse) ms worse than without the attackers")
    guard Volume.onlySeed == nil else { return }
    // The attacks are strong enough to defeat the previous rules.
    #expect(byWallClock * 4 > seeds.count)
    #expect(byOthersStamps * 50 > seeds.count)
    #expect(bounded * 5 > checks)
  }
}
