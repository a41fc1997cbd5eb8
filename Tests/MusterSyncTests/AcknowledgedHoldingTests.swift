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
    for _ in 0..<3 {
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
    // Two pushes: body, signature, epoch, log, and headers; the frame before is not named. In one
    // of the seconds roots may be compared as well.
    #expect(spent.sorted()[1] < 2 * 330)
    #expect(world.problems == [])
  }
}
