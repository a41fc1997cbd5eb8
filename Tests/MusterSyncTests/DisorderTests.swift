import Foundation
import MusterModel
import MusterTestKit
import Testing

@testable import MusterSync

/// Row N2 of the faults: whatever comes ten times, in any order and up to ten minutes late, in the
/// end it is as if it had come once, in order and at once. `MUSTER_VOLUME=1000` for all of it.
@Suite("What comes ten times and out of order")
struct DisorderTests {
  private static let volume = Volume.orUsual(3)

  /// One by hand: `MUSTER_TEST_SEED=17 swift test --filter DisorderTests`.
  private static var seeds: [UInt64] {
    if let seed = Volume.onlySeed { return [seed] }
    return Array(0..<UInt64(volume))
  }

  /// Three stations that write for half an hour under these conditions, and then sync under good
  /// ones.
  private func story(seed: UInt64, in weather: World.Weather) -> World {
    var world = World(seed: 8000 + seed)
    world.checksInvariants = false
    world.hasMulticast = seed % 2 == 0
    world.found()
    for _ in 0..<2 { world.enrol(.member) }
    for (first, second) in [(0, 1), (0, 2), (1, 2)] { world.meet(first, second) }
    #expect(world.run(seconds: 60) { $0.haveConverged }, "seed \(seed)")
    world.weather = weather
    for round in 1...20 {
      for index in 0..<3 {
        world.write(1 + round % 3, at: index)
        world.record(UInt64(round), at: index)
      }
      world.run(seconds: 90)
    }
    world.weather = .fine
    #expect(world.run(seconds: 1200) { $0.haveConverged }, "seed \(seed)")
    #expect(world.problems == [], "seed \(seed)")
    return world
  }

  @Test func `in the end it is as if all had come once and in order`() {
    let disorder = World.Weather(
      duplication: 100, copies: 10, delayMilliseconds: 0...600_000)
    for seed in Self.seeds {
      let calm = story(seed: seed, in: .fine)
      let wild = story(seed: seed, in: disorder)
      for index in 0..<3 {
        #expect(
          wild.stations[index].logIndex.contents == calm.stations[index].logIndex.contents,
          "seed \(seed): MUSTER_TEST_SEED=\(seed) swift test --filter DisorderTests")
      }
    }
  }
}
