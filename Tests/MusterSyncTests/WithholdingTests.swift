import MusterModel
import Testing

@testable import MusterSync

@Suite("Who withholds")
struct WithholdingTests {
  private static let tenMinutes: Int64 = 600

  private func accusations(_ world: World, at index: Int) -> [Notice] {
    world.stations[index].notices.filter {
      if case .peerWithholds = $0 { true } else { false }
    }
  }

  /// Anna at 0, Ben at 1 and Wilma at 2, who are in step.
  private func threeInStep(seed: UInt64) -> World {
    var world = World(seed: seed)
    world.hasMulticast = false
    world.found()
    for _ in 0..<2 { world.enrol(.member) }
    for (first, second) in [(0, 1), (0, 2), (1, 2)] { world.meet(first, second) }
    for index in 0..<3 { world.write(1, at: index) }
    #expect(world.run(seconds: 60) { $0.haveConverged })
    return world
  }

  @Test func `who shows less than it was told of, and asks for nothing, is named in ten minutes`()
    throws
  {
    var world = threeInStep(seed: 501)
    // Given that Wilma takes nothing of Ben's any more, and says so
    let others = [0, 2].flatMap { world.stations[$0].local.chain.certificates }
    world.give(.rosterChanged(Roster(others)), to: 2)
    world.write(1, at: 1)
    // Then both who have another path to Ben's words say who lacks them, once
    world.run(seconds: Self.tenMinutes)
    let wilma = world.stations[2].local.device
    for index in 0..<2 {
      #expect(accusations(world, at: index) == [.peerWithholds(wilma, .asksForNothing)])
    }
    world.run(seconds: Self.tenMinutes)
    #expect(accusations(world, at: 0).count == 1)
  }

  @Test func `who shows more than it hands over is named in ten minutes`() {
    var world = threeInStep(seed: 502)
    // Given that only Wilma has Anna's new words, and answers nobody who asks for them
    world.cut(0, 1)
    world.cut(1, 2)
    world.write(1, at: 0)
    world.run(seconds: 3)
    world.stations[2].shelf.frames = [:]
    world.mend(1, 2)
    world.run(seconds: Self.tenMinutes)

    let wilma = world.stations[2].local.device
    #expect(accusations(world, at: 1) == [.peerWithholds(wilma, .keepsToItself)])
    #expect(accusations(world, at: 0) == [])
  }

  @Test func `two who are cut off from one another, and both hear a third, name nobody`() {
    var world = threeInStep(seed: 504)
    // And nobody waits for an answer any more, by whose lack one would be found silent
    world.run(seconds: 130)
    // Given that Anna and Ben no longer hear each other, and have nothing to say
    world.cut(0, 1)
    // When Wilma tells both something, so that neither has to pass it on
    world.write(1, at: 2)
    world.run(seconds: 5)
    #expect(world.frames(0, of: 2) == world.frames(1, of: 2))
    // Then what each heard of the other last is held against nobody
    world.run(seconds: Self.tenMinutes)
    for index in 0..<3 { #expect(accusations(world, at: index) == []) }
  }

  @Test func `who has slept, and whom somebody hears who has slept, are not named`() {
    for sleeper in 0..<2 {
      var world = threeInStep(seed: 505 + UInt64(sleeper))
      world.run(seconds: 130)
      // Given a laptop that falls asleep just when there is something new
      world.asleep = [sleeper]
      world.write(1, at: 2)
      world.run(seconds: Self.tenMinutes - 10)
      world.asleep = []
      world.give(.deadlinePassed, to: sleeper)
      world.give(.linkUp, to: sleeper)
      #expect(world.run(seconds: 60) { $0.haveConverged }, "sleeper \(sleeper)")
      for index in 0..<3 { #expect(accusations(world, at: index) == []) }
    }
  }

  @Test func `nobody honest is named, in bad weather and while all write`() {
    var world = threeInStep(seed: 503)
    world.weather = .storm
    for _ in 0..<60 {
      for index in 0..<3 { world.write(1, at: index) }
      world.run(seconds: 20)
    }
    for index in 0..<3 { #expect(accusations(world, at: index) == []) }
  }
}
