import MusterCrypto
import MusterModel
import Testing

@testable import MusterSync

/// Finding little that differs among much that does not.
@Suite("Differences")
struct DigestStoryTests {
  /// Datagrams of sessions in the order in which they were sent, headers counted.
  private static func exchange(_ world: World) -> [(from: Endpoint, bytes: Int)] {
    (world.tap ?? []).filter { $0.bytes[0] == DatagramKind.transport.rawValue }
      .map { ($0.from, $0.bytes.count + Limits.headerBytes) }
  }

  @Test func `ten stale logs of a thousand are found with four kilobytes`() {
    // Given two devices that hold a thousand logs, ten of which grew while they were apart
    var world = SyncStoryTests.world(seed: 400, members: 1)
    var pens: [Pen] = []
    var authors: [SignedCertificate] = []
    for index in 0..<333 {
      let author = world.cast.enrol(.member, by: world.stations[0].local)
      var pen = Pen(author, epoch: world.cast.epoch, seed: UInt64(5000 + index))
      for lane in [Lane.urgent, .state, .history] { world.keep(pen.write(1, in: lane)) }
      pens.append(pen)
      authors.append(author.certificate)
    }
    world.certify(authors)
    world.meet(0, 1)
    world.run(seconds: 90) { $0.haveConverged }
    world.run(seconds: 300)
    #expect(world.stations[1].logIndex.frames.count >= 1000)
    world.cut(0, 1)
    for index in 0..<10 { world.keep(pens[index * 33].write(1, in: .state), at: 0) }
    world.run(seconds: 900)
    world.repair(0, 1)
    // When they compare
    world.tap = []
    let start = world.now
    world.give(.linkUp, to: 1)
    #expect(world.run(seconds: 10) { $0.haveConverged })
    let trips = Double(world.now.milliseconds(since: start)) / 10
    world.run(seconds: 1)
    let frames = 10 * 260
    let bytes = Self.exchange(world).reduce(0) { $0 + $1.bytes }
    print("digest: \(bytes) bytes with frames, \(trips) round trips")
    #expect(bytes - frames <= 4096)
    #expect(trips <= 4, "three, and one for the frames")
    #expect(world.problems == [])
  }

  @Test func `a little on each side of much that is the same costs little`() {
    var world = SyncStoryTests.world(seed: 410, members: 1)
    for index in 0..<2 { world.write(1000, at: index) }
    world.meet(0, 1)
    world.run(seconds: 90) { $0.haveConverged }
    world.run(seconds: 300)
    world.cut(0, 1)
    for index in 0..<2 { world.write(1, bytes: 5 * 70, at: index) }
    world.run(seconds: 900)
    world.repair(0, 1)
    world.tap = []
    let start = world.now
    world.give(.linkUp, to: 1)
    #expect(world.run(seconds: 10) { $0.haveConverged })
    let trips = Double(world.now.milliseconds(since: start)) / 10
    world.run(seconds: 1)
    let bytes = Self.exchange(world).reduce(0) { $0 + $1.bytes }
    print("incremental: \(bytes) bytes, \(trips) round trips, \(Self.exchange(world))")
    // Two round trips, and one for the handshake; beside what is new, the first heartbeats.
    #expect(bytes <= 1702 + 2 * 73)
    #expect(trips <= 3)
    #expect(world.problems == [])
  }

  @Test func `a peer with almost nothing of a hundred logs learns of them in parts`() {
    // Given a device that holds the logs of fifty authors, and one that holds two of its own
    var world = SyncStoryTests.world(seed: 415, members: 1)
    var authors: [SignedCertificate] = []
    for index in 0..<50 {
      let author = world.cast.enrol(.member, by: world.stations[0].local)
      var pen = Pen(author, epoch: world.cast.epoch, seed: UInt64(6000 + index))
      for lane in [Lane.urgent, .state] { world.keep(pen.write(40, in: lane), at: 0) }
      authors.append(author.certificate)
    }
    world.certify(authors)
    world.write(1, at: 1)
    // When they meet, each names what it holds, and the other answers within a packet
    world.meet(0, 1)
    // Then both hold everything.
    #expect(world.run(seconds: 120) { $0.haveConverged })
    #expect(world.stations[1].logIndex.frames.count >= 100)
    #expect(world.problems == [])
  }

  @Test func `a fork that cannot be resolved causes no continuous traffic`() {
    // Given two devices that hold different branches of one log
    var world = SyncStoryTests.world(seed: 420, members: 2)
    let liar = world.cast.enrol(.member, by: world.stations[0].local)
    var pen = Pen(liar, epoch: world.cast.epoch, seed: 900)
    var other = pen
    other.random = DeterministicRandom(seed: Cast.seed(901))
    world.meet(1, 0)
    world.meet(2, 1)
    world.run(seconds: 20) { $0.haveConverged }
    world.cut(0, 1)
    world.cut(1, 2)
    let log = pen.log(.state)
    let at = world.now
    _ = world.stations[0].append(
      world.stations[0].pen.certify([liar.certificate]), now: at)
    for (index, written) in [pen.write(3, in: .state), other.write(3, in: .state)].enumerated() {
      _ = world.stations[index].append(written, now: at)
    }
    world.run(seconds: 30)
    world.repair(0, 1)
    world.repair(1, 2)
    world.run(seconds: 120)
    #expect(
      world.stations[0].logIndex.frames[log]?.last != world.stations[1].logIndex.frames[log]?.last)
    // Then, once both know, they send hardly more than devices that agree,
    let before = world.stations.map(\.wireBytes)
    world.run(seconds: 900)
    for (index, station) in world.stations.enumerated() {
      #expect(station.wireBytes - before[index] <= 600 * 60, "device \(index)")
    }
    // and all else still comes through.
    world.write(1, at: 0)
    #expect(world.run(seconds: 2) { $0.frames(2, of: 0) == 2 })
    #expect(world.problems == [])
  }

  @Test func `the quarantine is compared, and is no part of the state's root`() {
    var world = SyncStoryTests.world(seed: 440, members: 1)
    world.meet(0, 1)
    world.run(seconds: 10) { $0.haveConverged }
    #expect(world.stations[0].engine.rootBytes().count == 8 * 5)
    var packet = Packet()
    var random = DeterministicRandom(seed: Cast.seed(441))
    packet.digest = [
      DigestNode(
        set: .quarantine, prefix: .root,
        contents: .leaves([LeafHint(key: random.bytes16(), number: 3, hash: 1)]), answers: false)
    ]
    packet.wants = [
      Want(
        log: world.stations[0].pen.log(.control), from: 0, through: 9, set: .quarantine)
    ]
    world.tap = []
    world.send(packet, from: 1, to: 0)
    // What is lacked of it is asked for.
    #expect(world.stations[0].engine.frames.pulls.count == 1)
  }
}
