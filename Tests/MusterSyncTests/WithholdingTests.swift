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

  @Test func `a peer that requests nothing it is missing is reported in ten minutes`()
    throws
  {
    var world = threeInStep(seed: 501)
    // Given that Wilma accepts nothing of Ben's any more, and advertises that
    let others = [0, 2].flatMap { world.stations[$0].local.chain.certificates }
    world.give(.rosterChanged(Roster(others)), to: 2)
    world.write(1, at: 1)
    // Then both that have another path to Ben's data report who is missing it, once
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
    // Given that only Wilma has Anna's new data, and does not answer requests for it
    world.cut(0, 1)
    world.cut(1, 2)
    world.write(1, at: 0)
    world.run(seconds: 3)
    world.stations[2].logIndex.frames = [:]
    world.repair(1, 2)
    world.run(seconds: Self.tenMinutes)

    let wilma = world.stations[2].local.device
    #expect(accusations(world, at: 1) == [.peerWithholds(wilma, .keepsToItself)])
    #expect(accusations(world, at: 0) == [])
  }

  @Test func `two partitioned peers, both connected to a third, report no peer`() {
    var world = threeInStep(seed: 504)
    // And no request is pending any more, whose timeout would mark a peer as silent
    world.run(seconds: 130)
    // Given that Anna and Ben are partitioned, and have nothing to send
    world.cut(0, 1)
    // When Wilma sends both something, so that neither has to relay it
    world.write(1, at: 2)
    world.run(seconds: 5)
    #expect(world.frames(0, of: 2) == world.frames(1, of: 2))
    // Then the last advertisements of the other are no evidence against it
    world.run(seconds: Self.tenMinutes)
    for index in 0..<3 { #expect(accusations(world, at: index) == []) }
  }

  @Test func `a suspended peer, and a peer of a suspended node, are not reported`() {
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

  @Test func `no honest peer is reported, at high loss and while all write`() {
    var world = threeInStep(seed: 503)
    world.weather = .storm
    for _ in 0..<60 {
      for index in 0..<3 { world.write(1, at: index) }
      world.run(seconds: 20)
    }
    for index in 0..<3 { #expect(accusations(world, at: index) == []) }
  }
}
