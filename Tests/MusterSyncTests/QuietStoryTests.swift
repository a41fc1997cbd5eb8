import MusterCrypto
import MusterModel
import Testing

@testable import MusterSync

/// The idle cost of a converged mesh, and how soon an absent peer is detected.
@Suite("Quiet, and awake")
struct QuietStoryTests {
  /// Eight devices that agree, each in reach of each.
  private static func eight(seed: UInt64, multicast: Bool) -> World {
    var world = World(seed: seed)
    world.hasMulticast = multicast
    world.found()
    for _ in 0..<7 { world.enrol(.member) }
    if !multicast {
      for first in 0..<8 { for second in first + 1..<8 { world.meet(first, second) } }
    }
    for index in 0..<8 {
      world.write(2, at: index)
      world.record(1, at: index)
    }
    #expect(world.run(seconds: 60) { $0.haveConverged })
    return world
  }

  @Test(arguments: [true, false])
  func `eight devices in step send at most sixty bytes a second each`(multicast: Bool) {
    var world = Self.eight(seed: 200, multicast: multicast)
    let start = world.stations.map(\.wireBytes)
    world.run(seconds: 600)
    for (index, station) in world.stations.enumerated() {
      let rate = Double(station.wireBytes - start[index]) / 600
      #expect(rate <= 60, "device \(index) sends \(rate) bytes/s, multicast \(multicast)")
    }
    let mean =
      world.stations.indices.map { world.stations[$0].wireBytes - start[$0] }
      .reduce(0, +) / 8
    print("idle, multicast \(multicast): \(Double(mean) / 600) bytes/s a device")
    #expect(world.problems == [])
  }

  @Test func `a laptop that is away costs those that are here little`() {
    var world = Self.eight(seed: 201, multicast: false)
    for other in 0..<7 { world.cut(7, other) }
    world.run(seconds: 600)
    let start = world.stations.map(\.wireBytes)
    world.run(seconds: 600)
    for index in 0..<7 {
      let rate = Double(world.stations[index].wireBytes - start[index]) / 600
      #expect(rate <= 80, "device \(index) sends \(rate) bytes/s")
    }
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `halves that were apart for hours agree within a minute`(seed: UInt64) {
    var world = Self.eight(seed: 210 + seed, multicast: seed % 2 == 0)
    for first in 0..<4 { for second in 4..<8 { world.cut(first, second) } }
    world.run(seconds: 3 * 3600)
    for index in 0..<8 { world.write(3, at: index) }
    world.run(seconds: 60)
    world.weather.loss = 30
    for first in 0..<4 { for second in 4..<8 { world.repair(first, second) } }
    let healed = world.now
    #expect(world.run(seconds: 60) { $0.haveConverged }, "seed \(seed)")
    print("heal, seed \(seed): \(world.now.milliseconds(since: healed)) ms")
    #expect(world.problems == [])
  }

  @Test func `when one of two paths dies the other takes over within five seconds`() {
    // Given two devices on two networks
    var world = World(seed: 220)
    world.hasMulticast = false
    world.found()
    world.enrol(.member)
    for index in 0...1 { world.giveSecondAddress(to: index) }
    world.meet(0, 1)
    world.give(.contacts([Station.secondEndpoint(1)]), to: 0)
    world.give(.contacts([Station.endpoint(0), Station.secondEndpoint(0)]), to: 1)
    #expect(world.run(seconds: 10) { $0.haveConverged && $0.areConnected(0, 1) })
    world.run(seconds: 300)
    // When the one in use dies just before something is written, at either end
    for writer in 0...1 {
      world.cutAddresses =
        writer == 0
        ? [Station.endpoint(0), Station.endpoint(1)]
        : [Station.secondEndpoint(0), Station.secondEndpoint(1)]
      world.write(1, at: writer)
      let start = world.now
      #expect(world.run(seconds: 5) { $0.haveConverged }, "writer \(writer)")
      print("failover, writer \(writer): \(world.now.milliseconds(since: start)) ms")
      world.run(seconds: 60)
    }
    #expect(world.problems == [])
  }

  @Test func `a laptop that slept is back in step within seconds`() {
    var world = Self.eight(seed: 230, multicast: false)
    world.asleep = [3]
    world.run(seconds: 1800)
    world.write(2, at: 0)
    world.run(seconds: 30)
    world.asleep = []
    let woke = world.now
    #expect(world.run(seconds: 8) { $0.haveConverged })
    print("wake: \(world.now.milliseconds(since: woke)) ms")
    #expect(world.problems == [])
  }

  @Test func `devices that know one introduce each other`() {
    // Given three that know only the founder's address
    var world = World(seed: 240)
    world.hasMulticast = false
    world.found()
    for index in 1...3 {
      world.enrol(.member)
      world.meet(index, 0)
    }
    // Then all have sessions with all within a minute
    #expect(
      world.run(seconds: 60) { world in
        (0..<4).allSatisfy { first in
          (0..<4).allSatisfy { first == $0 || world.areConnected(first, $0) }
        }
      })
    // and a made-up address is tried a few times and forgotten.
    var packet = Packet()
    let nowhere = Station.endpoint(200)
    let away = world.enrol(.member)
    world.run(seconds: 5)
    packet.peers = [
      PeerAddress(device: world.stations[away].local.device, endpoint: nowhere)
    ]
    world.tap = []
    world.send(packet, from: 2, to: 0)
    world.run(seconds: 120)
    let tries = (world.tap ?? []).filter { $0.to == nowhere }
    #expect(tries.count == Timing.contactHintAttempts)
    #expect(world.stations[0].engine.contacts.book[nowhere] == nil)
    #expect(world.problems == [])
  }
}
