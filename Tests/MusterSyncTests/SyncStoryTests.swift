import MusterCrypto
import MusterModel
import Testing

@testable import MusterSync

@Suite("What travels, and how")
struct SyncStoryTests {
  /// A founder and members that it certified, all connected.
  static func world(seed: UInt64, members: Int) -> World {
    var world = World(seed: seed)
    world.hasMulticast = false
    world.found()
    for _ in 0..<members { world.enrol(.member) }
    return world
  }

  @Test func `control and urgent logs come before all others`() {
    // Given a founder that holds logs in every lane before anybody comes
    var world = Self.world(seed: 20, members: 1)
    for lane in [Lane.history, .state, .urgent] { world.write(200, in: lane, at: 0) }
    // When a member connects
    world.meet(1, 0)
    #expect(world.run(seconds: 10) { $0.haveConverged })
    // Then it has those first, which take turns, and the others in order
    let lanes = world.stations[1].arrivals.compactMap {
      world.stations[1].logIndex.openings[$0]?.lane
    }
    #expect(lanes.prefix(3).sorted() == [.control, .control, .urgent])
    #expect(lanes.dropFirst(3) == [.state, .history])
    #expect(world.problems == [])
  }

  @Test func `catching up on a thousand frames takes one signature in thirty-two`() {
    var world = Self.world(seed: 21, members: 1)
    world.write(1000, at: 0)
    world.meet(1, 0)
    #expect(world.run(seconds: 10) { $0.haveConverged })
    let log = world.stations[0].pen.log(.state)
    let frames = world.stations[1].logIndex.frames[log] ?? []
    let signed = frames.filter { $0.signature != nil }
    #expect(frames.count == 1001)
    #expect(signed.filter { $0.sequence.isMultiple(of: 32) }.count == 32)
    // The ends of the few runs that a credit of bytes cut the log into
    #expect(signed.count <= 32 + 8)
    #expect(world.problems == [])
  }

  @Test func `what was caught up on can be passed on`() {
    // Given a relay that took a thousand frames in, most without their signatures
    var world = Self.world(seed: 22, members: 2)
    world.cut(0, 2)
    world.write(1000, at: 0)
    world.meet(1, 0)
    world.run(seconds: 10) { $0.frames(1, of: 0) == 1001 }
    // When a station connects only to the relay
    world.meet(2, 1)
    #expect(world.run(seconds: 10) { $0.haveConverged })
    #expect(world.problems == [])
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func `lost, doubled and late frames are asked for until all are there`(seed: UInt64) {
    var world = Self.world(seed: 100 + seed, members: 1)
    world.weather = .storm
    world.write(700, bytes: 200, at: 0)
    world.meet(1, 0)
    #expect(world.run(seconds: 90) { $0.haveConverged }, "seed \(seed)")
    #expect(world.problems == [], "seed \(seed)")
  }

  @Test func `a fresh frame crosses four hops without waiting for a heartbeat`() {
    // Given five devices in a row, each connected only to its neighbours
    var world = Self.world(seed: 23, members: 4)
    for first in 0..<5 {
      for second in first..<5 where second > first + 1 { world.cut(first, second) }
    }
    for index in 0..<4 { world.meet(index, index + 1) }
    #expect(world.run(seconds: 60) { $0.haveConverged })
    world.run(seconds: 60)
    // When one end writes, then the other end has it after four flights of 5 ms
    world.write(1, in: .urgent, at: 0)
    let start = world.now
    #expect(world.run(seconds: 1) { $0.haveConverged })
    #expect(world.now.milliseconds(since: start) <= 20)
    #expect(world.problems == [])
  }

  @Test func `a log whose author is not known yet comes when the certificate does`() {
    // Given a relay that holds a stranger's log but not yet the certificate
    var world = Self.world(seed: 24, members: 2)
    let stranger = world.cast.enrol(.member, by: world.stations[0].local)
    var pen = Pen(stranger, epoch: world.cast.epoch, seed: 77)
    let written = pen.write(40, in: .state)
    world.cut(0, 1)
    let at = world.now
    _ = world.stations[1].append(written, now: at)
    world.meet(2, 1)
    world.run(seconds: 20)
    let log = pen.log(.state)
    #expect(world.stations[2].logIndex.frames[log] == nil)
    #expect(world.stations[2].rejections(.unknownAuthor) > 0)
    #expect(world.stations[2].rejections(.unknownAuthor) < 20)
    // When the founder certifies the stranger
    _ = world.stations[0].append(
      world.stations[0].pen.certify([stranger.certificate]), now: world.now)
    world.meet(2, 0)
    // Then the log arrives
    #expect(world.run(seconds: 20) { $0.stations[2].logIndex.frames[log]?.count == 41 })
    #expect(world.problems == [])
  }

  @Test func `the newest record wins and spreads`() {
    var world = Self.world(seed: 25, members: 3)
    for index in 0..<3 { world.meet(index, index + 1) }
    for first in 0..<4 {
      for second in first..<4 where second > first + 1 { world.cut(first, second) }
    }
    world.run(seconds: 60) { $0.haveConverged }
    world.record(5, at: 0)
    world.record(6, at: 0)
    // An older one of the same topic, from a station that was away
    world.run(seconds: 5)
    #expect(world.haveConverged)
    #expect(world.stations[3].logIndex.records.values.map(\.order.counter) == [6])
    // A restart of another station, and a record that was made during a partition
    world.cut(2, 3)
    world.record(7, at: 0)
    world.run(seconds: 2)
    world.repair(2, 3)
    #expect(world.run(seconds: 20) { $0.haveConverged })
    #expect(world.stations[3].logIndex.records.values.map(\.order.counter) == [7])
    #expect(world.problems == [])
  }

  @Test func `a key goes to those who may read, and to no relay`() {
    var world = Self.world(seed: 26, members: 1)
    world.enrol(.relay)
    world.meet(1, 0)
    world.meet(2, 0)
    world.run(seconds: 10) { $0.haveConverged }
    world.give(.keyLearned(world.cast.epoch), to: 0)
    for index in 1...2 { world.give(.keysMissing([world.cast.epoch.id], of: nil), to: index) }
    world.run(seconds: 30)
    #expect(world.stations[1].logIndex.keys == [world.cast.epoch.id: world.cast.epoch])
    #expect(world.stations[2].logIndex.keys.isEmpty)
    // The member, in turn, serves others.
    #expect(world.stations[1].engine.keys[world.cast.epoch.id] == world.cast.epoch)
    #expect(world.problems == [])
  }

  @Test func `a relay that became a member is given keys`() {
    var world = Self.world(seed: 27, members: 0)
    let relay = world.enrol(.relay)
    world.meet(relay, 0)
    world.run(seconds: 10) { $0.haveConverged }
    world.give(.keyLearned(world.cast.epoch), to: 0)
    // When it comes back under a new certificate
    let device = world.stations[relay].local
    let promoted = world.cast.certify(
      signingKey: device.signingKey, agreementKey: device.agreementKey, role: .member,
      by: world.stations[0].local)
    let at = world.now
    _ = world.stations[0].append(
      world.stations[0].pen.certify([promoted.certificate]), now: at)
    world.stations[relay] = Station(promoted, number: relay, epoch: world.cast.epoch, now: at)
    world.meet(relay, 0)
    world.give(.keysMissing([world.cast.epoch.id], of: nil), to: relay)
    #expect(world.run(seconds: 20) { !$0.stations[relay].logIndex.keys.isEmpty })
  }

  @Test func `devices that cannot agree stay calm`() {
    // Given a device that holds a log which another can never take: its author is not certified
    var world = Self.world(seed: 29, members: 1)
    let stranger = world.cast.enrol(.member, by: world.stations[0].local)
    var pen = Pen(stranger, epoch: world.cast.epoch, seed: 78)
    let written = pen.write(300, bytes: 300, in: .state)
    _ = world.stations[0].append(written, now: world.now)
    world.meet(0, 1)
    world.run(seconds: 60)
    let bytes = world.stations.map(\.sentBytes)
    world.run(seconds: 60)
    for (index, station) in world.stations.enumerated() {
      #expect(station.sentBytes - bytes[index] <= 20_000)
    }
    #expect(world.problems == [])
  }

  @Test(arguments: 1...50 as ClosedRange<UInt64>)
  func `five devices in a storm converge`(seed: UInt64) {
    var world = Self.world(seed: 1000 + seed, members: 4)
    world.weather = .storm
    var random = DeterministicRandom(seed: Cast.seed(seed))
    for index in 0..<4 { world.meet(index, index + 1) }
    for round in 0..<12 {
      let index = Int(random.uniform(below: 5))
      let lane = [Lane.urgent, .state, .history][Int(random.uniform(below: 3))]
      world.write(1 + Int(random.uniform(below: 40)), in: lane, at: index)
      world.record(UInt64(round + 1), at: index)
      if random.uniform(below: 4) == 0 {
        world.restart(Int(random.uniform(below: 5)), remembering: Array(0..<5))
      }
      world.run(seconds: Int64(random.uniform(below: 4)))
    }
    #expect(world.run(seconds: 90) { $0.haveConverged }, "seed \(seed)")
    #expect(world.problems == [], "seed \(seed)")
  }
}
