import MusterModel
import Testing

@testable import MusterSync

@Suite("Who holds what was just pushed")
struct AcknowledgedHoldingTests {
  private func claims(_ world: World, about log: LogID) -> [UInt64] {
    world.stations[0].engine.confirmations(of: log).map(\.sequence)
  }

  @Test func `is known with the acknowledgement, and the next push names less`() {
    var world = World(seed: 340)
    world.hasMulticast = false
    world.found()
    for _ in 0..<2 { world.enrol(.member) }
    for (first, second) in [(0, 1), (0, 2), (1, 2)] { world.meet(first, second) }
    world.write(1, at: 0)
    world.run(seconds: 60) { $0.haveConverged }
    world.run(seconds: 30)
    var spent: [UInt64] = []
    for _ in 0..<5 {
      let before = world.stations[0].wireBytes
      world.write(1, bytes: 100, at: 0)
      world.run(seconds: 1)
      guard let head = world.stations[0].engine.heads.first(where: { $0.lane == .state })?.head
      else {
        Issue.record("nothing was written")
        return
      }
      #expect(claims(world, about: head.log) == [head.sequence, head.sequence])
      spent.append(UInt64(world.stations[0].wireBytes - before))
    }
    // Two pushes: body, signature, epoch, log, and headers; the frame before is not named. In two
    // of the seconds roots may be compared as well.
    #expect(spent.sorted()[2] < 2 * 330, "\(spent)")
    #expect(world.problems == [])
  }

  @Test func `another frame for the same place is no proof that one's own is held`() throws {
    // Given a laptop and its twin, which go on with the same log apart
    var world = World(seed: 341)
    world.hasMulticast = false
    world.found()
    let original = world.enrol(.member)
    world.meet(0, original)
    world.write(1, at: original)
    world.run(seconds: 60) { $0.haveConverged }
    let twin = world.add(world.stations[original].local)
    world.stations[twin].pen = world.stations[original].pen
    world.stations[twin].logIndex = world.stations[original].logIndex
    world.restart(twin, remembering: [0])
    world.run(seconds: 5)
    world.cut(0, twin)
    world.write(1, bytes: 50, at: original)
    world.run(seconds: 1)
    // When the clone sends its own next frame to a peer that holds the other's
    world.cut(0, original)
    world.repair(0, twin)
    world.write(1, bytes: 70, at: twin)
    var isClaimed = false
    let own = try #require(
      world.stations[twin].engine.heads.first { $0.lane == .state }?.head)
    world.run(seconds: 3) { world in
      let claims = world.stations[twin].engine.confirmations(of: own.log)
      isClaimed = isClaimed || claims.contains { $0.hashPrefix == LeafHint(own).hash }
      return false
    }

    // Then no device is shown to hold it
    #expect(!isClaimed)
  }
}
