import MusterCrypto
import MusterModel
import Testing

@testable import MusterSync

/// A certified device that lies: whatever it sends is authenticated, and bounded.
@Suite("A hostile device with a valid certificate")
struct HostileStoryTests {
  /// A founder, an honest member, and a third whose words the story chooses.
  private static func world(seed: UInt64) -> World {
    var world = SyncStoryTests.world(seed: seed, members: 2)
    world.meet(1, 0)
    world.meet(2, 0)
    world.run(seconds: 10) { $0.haveConverged && $0.areConnected(0, 1) && $0.areConnected(0, 2) }
    world.tap = []
    return world
  }

  /// Sends a packet of one's own making on the liar's session with another.
  private func send(_ packet: Packet, from liar: Int, to index: Int, in world: inout World) {
    let device = world.stations[index].local.device
    guard let session = world.stations[liar].engine.context.liveSession(of: device),
      let bytes = world.stations[liar].engine.context.sessions[session]?.seal(packet.encoded())
    else { return #expect(Bool(false), "no session") }
    world.inject(bytes, from: world.stations[liar].endpoint, to: index)
  }

  private func run(_ frames: ArraySlice<Frame>, pushed: Bool = false) -> Run {
    Run(
      log: frames.first?.log ?? LogID(raw: .zero), first: frames.first?.sequence ?? 0,
      previous: pushed ? frames.first?.previous : nil,
      frames: frames.map { RunFrame(epoch: $0.epoch, body: $0.body, signature: $0.signature) })
  }

  @Test func `what does not hold is dropped and counted, and the truth comes from others`() {
    var world = Self.world(seed: 60)
    // Given a log that only the honest member holds, since the founder was out of its reach
    world.cut(0, 1)
    world.write(20, at: 1)
    let log = world.stations[1].pen.log(.state)
    let frames = world.stations[1].logIndex.frames[log] ?? []
    // When the liar sends it with one byte changed, with a false signature, and with a gap
    var damaged = Array(frames)
    damaged[3].body[30] ^= 1
    var unsigned = Array(frames)
    unsigned[20].signature?[5] ^= 1
    for forged in [damaged, unsigned] {
      for start in stride(from: 0, to: 21, by: 4) {
        var packet = Packet()
        packet.runs = [run(forged[start..<min(21, start + 4)])]
        send(packet, from: 2, to: 0, in: &world)
      }
      world.stations[0].engine.context.peers[world.stations[2].local.device]?.branches.refused = []
    }
    // The first might be of another branch, and is looked into.
    #expect(world.stations[0].rejections(.forged) >= 1)
    #expect(world.stations[0].logIndex.frames[log]?.count ?? 0 < 21)
    // Then the honest member's copy is taken as soon as it is in reach
    world.repair(0, 1)
    #expect(world.run(seconds: 20) { $0.stations[0].logIndex.frames[log]?.count == 21 })
    #expect(world.problems == [])
  }

  @Test func `who sends what does not hold is not asked for it again and again`() {
    var world = Self.world(seed: 61)
    let log = LogID(raw: Bytes16(high: 1, low: 2))
    for _ in 0..<20 {
      var packet = Packet()
      packet.heads = [LeafHint(key: log.raw, number: 1000, hash: 5)]
      packet.runs = [
        Run(
          log: log, first: 0, previous: nil,
          frames: [RunFrame(epoch: nil, body: [1], signature: [UInt8](repeating: 1, count: 64))])
      ]
      send(packet, from: 2, to: 0, in: &world)
      world.run(seconds: 1)
    }
    #expect(world.stations[0].rejections(.malformed) == 1)
    #expect(world.stations[0].engine.frames.pulls.count == 0)
  }

  @Test func `two openings that are signed for one life are two logs, and everybody holds both`() {
    var world = Self.world(seed: 66)
    world.meet(2, 1)
    world.run(seconds: 10) { $0.areConnected(1, 2) }
    world.cut(0, 1)
    // When an attacker signs two openings for one lane of one incarnation, and sends each to
    // another peer
    var logs: [LogID] = []
    for (index, generation) in [1, 2].enumerated() {
      var pen = world.stations[2].pen
      pen.generation = UInt32(generation)
      let (_, frames) = pen.write(2, in: .state)
      logs.append(pen.log(.state))
      var packet = Packet()
      packet.runs = [run(frames[...])]
      send(packet, from: 2, to: index, in: &world)
    }
    world.repair(0, 1)
    // Then both are stored on all nodes, and none searches for a fork in either
    #expect(world.run(seconds: 30) { $0.haveConverged })
    for station in world.stations {
      for log in logs { #expect(station.logIndex.frames[log]?.count == 3) }
    }
    #expect(world.problems == [])
  }

  @Test func `a run without the signature at its interval is refused`() {
    var world = Self.world(seed: 62)
    world.cut(0, 1)
    world.write(40, at: 1)
    let log = world.stations[1].pen.log(.state)
    var frames = world.stations[1].logIndex.frames[log] ?? []
    for index in 1..<40 { frames[index].signature = nil }
    for start in stride(from: 0, to: 41, by: 6) {
      var packet = Packet()
      packet.runs = [run(frames[start..<min(41, start + 6)])]
      send(packet, from: 2, to: 0, in: &world)
    }
    #expect(world.stations[0].rejections(.forged) == 1)
    #expect(world.stations[0].logIndex.frames[log] == nil, "an opening alone is not held")
  }

  @Test func `wants for a terabyte are answered as fast as the asker acknowledges`() {
    var world = Self.world(seed: 63)
    world.write(2000, bytes: 300, at: 0)
    world.run(seconds: 20) { $0.haveConverged }
    world.tap = []
    var packet = Packet()
    let log = world.stations[0].pen.log(.state)
    packet.wants = (0..<30).map { _ in Want(log: log, from: 0, through: Limits.lastSequence) }
    send(packet, from: 2, to: 0, in: &world)
    let bytes = (world.tap ?? []).reduce(0) { $0 + $1.bytes.count }
    #expect(bytes > 5000 && bytes < 600_000)
  }

  @Test func `digests of every depth are answered with one level more at most`() {
    var world = Self.world(seed: 64)
    for depth in 0...31 {
      world.tap = []
      let half = SetID.allCases.count / 2
      for sets in [SetID.allCases.prefix(half), SetID.allCases.dropFirst(half)] {
        var packet = Packet()
        packet.digest = sets.map {
          DigestNode(
            set: $0, prefix: NibblePrefix(of: .zero, depth: depth),
            contents: .children([UInt64](repeating: .max, count: 16)), answers: false)
        }
        send(packet, from: 2, to: 0, in: &world)
      }
      let answers = (world.tap ?? []).filter { $0.to == world.stations[2].endpoint }
      #expect(answers.reduce(0) { $0 + $1.bytes.count } < 5 * 16 * 400)
    }
    #expect(world.stations[0].rejections(.malformed) == 0)
  }

  @Test func `seventy thousand invented logs fill no table past its bound`() {
    var world = Self.world(seed: 65)
    var random = DeterministicRandom(seed: Cast.seed(65))
    let liar = world.stations[2].local.device
    for _ in 0..<70_000 / 700 {
      for _ in 0..<18 {
        var packet = Packet()
        packet.digest = [
          DigestNode(
            set: .state, prefix: .root,
            contents: .leaves(
              (0..<39).map { _ in
                LeafHint(key: random.bytes16(), number: 1 << 31, hash: 1)
              }), answers: true)
        ]
        send(packet, from: 2, to: 0, in: &world)
      }
    }
    let peer = world.stations[0].engine.context.peers[liar]
    #expect(peer?.holdings.logs.count == Limits.knownHeads)
    #expect(peer?.pulling.frames ?? 0 <= Limits.wantedFrames)
    #expect(world.stations[0].engine.frames.pulls.count <= 300)
    // and others are served meanwhile.
    world.write(1, at: 1)
    #expect(world.run(seconds: 2) { $0.frames(0, of: 1) == 2 })
  }

  @Test func `frames far ahead of any that is held fill no buffer past its bound`() {
    var world = Self.world(seed: 66)
    var random = DeterministicRandom(seed: Cast.seed(66))
    for _ in 0..<400 {
      var packet = Packet()
      packet.runs = [
        Run(
          log: LogID(raw: random.bytes16()), first: 1, previous: nil,
          frames: (0..<60).map { _ in RunFrame(epoch: nil, body: [], signature: nil) })
      ]
      send(packet, from: 2, to: 0, in: &world)
    }
    let count =
      world.stations[0].engine.frames.pulls.reassembly.counts[world.stations[2].local.device] ?? 0
    #expect(count > 10_000 && count <= Limits.bufferedFrames)
  }
}
