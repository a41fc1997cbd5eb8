import MusterModel
import Testing

@testable import MusterSync

@Suite("Two copies of one laptop")
struct CopyStoryTests {
  /// A laptop and a clone of it that writes logs of its own, both connected to the founder alone,
  /// with nothing left to send: heartbeats are a minute apart.
  private static func quiet(seed: UInt64) -> (world: World, laptop: Int, copy: Int) {
    var world = World(seed: seed)
    world.hasMulticast = false
    world.found()
    let laptop = world.enrol(.member)
    let copy = world.add(world.stations[laptop].local)
    for index in [laptop, copy] { world.meet(index, 0) }
    world.run(seconds: 300)
    return (world, laptop, copy)
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `what one writes the other learns in seconds, by the peer that both speak with`(
    seed: UInt64
  ) {
    var (world, laptop, copy) = Self.quiet(seed: seed)
    world.write(1, at: copy)
    #expect(world.run(seconds: 5) { $0.frames(laptop, of: copy) > 0 }, "seed \(seed)")
    #expect(world.problems == [])
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `where much is lost it takes half a minute at most`(seed: UInt64) {
    var (world, laptop, copy) = Self.quiet(seed: seed)
    world.weather = .init(loss: 30)
    world.write(1, at: copy)
    #expect(world.run(seconds: 30) { $0.frames(laptop, of: copy) > 0 }, "seed \(seed)")
    #expect(world.problems == [])
  }

  @Test func `who writes all the time on one of two ways pays little on the other`() throws {
    // Given what may be a copy, or a second way to the same laptop
    var (world, laptop, copy) = Self.quiet(seed: 7)
    world.write(1, at: copy)
    world.run(seconds: 60)
    world.cut(0, laptop)
    world.departures = []
    // When a report a second comes on one for a minute
    for _ in 0..<60 {
      world.write(1, at: copy)
      world.run(seconds: 1)
    }
    // Then the other receives roots at intervals
    let reported = try #require(world.departures).filter { $0.from == 0 && $0.to == laptop }
    #expect((1...20).contains(reported.count), "\(reported.count) datagrams")
    #expect(world.problems == [])
  }
}
