import MusterModel
import Testing

@testable import MusterSync

@Suite("Moving to another address")
struct RoamingStoryTests {
  private static func connected(seed: UInt64) -> World {
    var world = World(seed: seed)
    world.hasMulticast = false
    world.found()
    world.enrol(.member)
    world.meet(0, 1)
    world.run(seconds: 5) { $0.areConnected(0, 1) && $0.haveConverged }
    world.run(seconds: 1)
    return world
  }

  @Test func `a laptop that gets another address is followed within a second`() {
    var world = Self.connected(seed: 1)
    // When one changes its address, and nothing arrives at the old one
    world.stations[1].endpoint = Station.endpoint(7)
    world.write(1, at: 1)
    // Then the other hears it, and what it writes arrives at the new one
    #expect(world.run(seconds: 1) { $0.haveConverged })
    world.write(1, at: 0)
    #expect(world.run(seconds: 1) { $0.haveConverged })
    let session = world.stations[0].engine.sessions.values.first
    #expect(session?.endpoint == Station.endpoint(7))
    #expect(world.problems == [])
  }

  @Test func `what never arrived, sent by somebody from elsewhere, leads no session astray`() {
    // Given somebody who heard what two laptops said while they could not hear each other
    var world = Self.connected(seed: 2)
    world.cut(0, 1)
    world.tap = []
    for _ in 0..<20 {
      world.write(1, at: 0)
      world.write(1, at: 1)
      world.run(seconds: 1)
    }
    let recorded = (world.tap ?? []).filter {
      $0.bytes[0] == DatagramKind.transport.rawValue && $0.to != Station.endpoint(9)
    }
    #expect(recorded.count > 30)
    // When all of it is sent on from a third address, while they hear each other again
    world.mend(0, 1)
    for datagram in recorded {
      let to = datagram.to == world.stations[0].endpoint ? 0 : 1
      world.inject(datagram.bytes, from: Station.endpoint(9), to: to)
      let at = world.now
      world.run(seconds: 1) { $0.now.milliseconds(since: at) > 200 }
    }
    // Then they talk to each other all the time
    #expect(world.haveConverged)
    for station in world.stations {
      #expect(station.engine.sessions.values.allSatisfy { $0.endpoint != Station.endpoint(9) })
    }
    #expect(world.problems == [])
  }
}
