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
    // Then the other receives it, and what it writes arrives at the new address
    #expect(world.run(seconds: 1) { $0.haveConverged })
    world.write(1, at: 0)
    #expect(world.run(seconds: 1) { $0.haveConverged })
    let session = world.stations[0].engine.context.sessions.values.first
    #expect(session?.endpoint == Station.endpoint(7))
    #expect(world.problems == [])
  }

  @Test func `undelivered datagrams, sent from another address, redirect no session`() {
    // Given an attacker who recorded what two laptops sent while they were partitioned
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
    #expect(recorded.count > 20)
    // When all of it is replayed from a third address, after they are connected again
    world.repair(0, 1)
    for datagram in recorded {
      let to = datagram.to == world.stations[0].endpoint ? 0 : 1
      world.inject(datagram.bytes, from: Station.endpoint(9), to: to)
      let at = world.now
      world.run(seconds: 1) { $0.now.milliseconds(since: at) > 200 }
    }
    // Then they talk to each other all the time
    #expect(world.haveConverged)
    for station in world.stations {
      #expect(
        station.engine.context.sessions.values.allSatisfy { $0.endpoint != Station.endpoint(9) })
    }
    #expect(world.problems == [])
  }

  @Test func `what is known of one way does not count for the next`() {
    // Given a path with an RTT of ten seconds, and a sender with much data
    var world = Self.connected(seed: 3)
    let usual = world.weather
    world.weather = .init(delayMilliseconds: 4000...6000)
    for index in 0..<2 { world.write(20, bytes: 400, at: index) }
    #expect(world.run(seconds: 200) { $0.haveConverged })
    world.cut(0, 1)
    world.write(20, bytes: 400, at: 0)
    world.run(seconds: 60)
    // When the other one speaks again, from an address to which the way is short
    world.weather = usual
    world.stations[1].endpoint = Station.endpoint(7)
    world.repair(0, 1)
    world.give(.linkUp, to: 1)
    // Then the path starts without any state
    #expect(world.run(seconds: 2) { $0.haveConverged })
    #expect(world.problems == [])
  }
}
