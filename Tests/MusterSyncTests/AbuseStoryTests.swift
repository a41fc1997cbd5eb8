import MusterCrypto
import MusterModel
import Testing

@testable import MusterSync

/// What floods may cost (issue 3, abuse bounds): memory stays bounded, and who is honest gets in.
@Suite("Floods")
struct AbuseStoryTests {
  /// The first message of a handshake, as anybody with the network key makes it.
  private static func initiation(in world: inout World, index: UInt32) throws -> [UInt8] {
    var handshake = SessionHandshake(
      .initiator, purpose: .session, operation: world.cast.operation,
      preSharedKey: world.cast.networkKey.export(), staticKey: world.cast.random.agreementKey(),
      ephemeralKey: world.cast.random.agreementKey(), rules: .current, localIndex: index,
      endpoint: world.stations[0].endpoint, now: world.now)
    var writer = ByteWriter()
    writer.append(DatagramKind.initiation.rawValue)
    writer.append(index)
    writer.append(fixed: try handshake.write(.padding))
    return writer.bytes
  }

  private static func source(_ number: Int) throws -> Endpoint {
    try #require(
      Endpoint(
        address: [172, UInt8(16 + number >> 16), UInt8(number >> 8 & 255), UInt8(number & 255)],
        port: 9999))
  }

  private static func world(seed: UInt64) -> World {
    var world = World(seed: seed)
    world.hasMulticast = false
    world.checksInvariants = false
    world.found()
    world.enrol(.member)
    return world
  }

  @Test func `under a flood of handshakes a client with a cookie connects`()
    throws
  {
    var world = Self.world(seed: 600)
    // Given as many handshakes from different addresses, none of which is finished
    world.tap = []
    for number in 0..<1000 {
      let message = try Self.initiation(in: &world, index: UInt32(number))
      world.inject(message, from: try Self.source(number), to: 0)
      #expect(world.stations[0].engine.handshaker.count <= Limits.handshakesInFlight)
    }
    let kinds = (world.tap ?? []).reduce(into: [UInt8: Int]()) { $0[$1.bytes[0], default: 0] += 1 }
    #expect(kinds[DatagramKind.response.rawValue] ?? 0 <= Limits.handshakesInFlight / 2 + 1)
    #expect(kinds[DatagramKind.cookie.rawValue] ?? 0 >= 800)
    // When an honest device calls
    world.tap = []
    world.meet(1, 0)
    // Then it shows a cookie, and is in
    #expect(world.run(seconds: 2) { $0.areConnected(0, 1) })
    #expect((world.tap ?? []).contains { $0.bytes[0] == DatagramKind.withCookie.rawValue })
    // and a cookie is worth nothing at another address.
    let shown = try #require(
      (world.tap ?? []).first { $0.bytes[0] == DatagramKind.withCookie.rawValue })
    world.tap = []
    world.inject(shown.bytes, from: try Self.source(5), to: 0)
    #expect(world.tap?.isEmpty == true)
    #expect(world.problems == [])
  }

  @Test func `a hundred thousand fake sources fill no table and block no device`() throws {
    var world = Self.world(seed: 601)
    let recorded = try Self.initiation(in: &world, index: 7)
    world.tap = []
    // When an outsider plays a recorded handshake, or noise, from as many addresses
    for number in 0..<100_000 {
      let isReplay = number.isMultiple(of: 10)
      let noise = [UInt8(1 + number % 8)] + [UInt8](repeating: UInt8(number & 255), count: 60)
      world.inject(isReplay ? recorded : noise, from: try Self.source(number), to: 0)
    }
    // Then nothing has grown, and nothing larger than three times what came has left
    let engine = world.stations[0].engine
    #expect(engine.handshaker.count <= Limits.handshakesInFlight)
    #expect(
      engine.context.peers.count == 0 && engine.contacts.book.count == 0
        && engine.context.sessions.isEmpty)
    let answered = (world.tap ?? []).reduce(0) { $0 + $1.bytes.count }
    #expect(answered <= 3 * recorded.count * 10_000)
    #expect(Set((world.tap ?? []).map(\.to)).count <= 10_000, "noise is not answered")
    world.run(seconds: 1)
    world.meet(1, 0)
    #expect(world.run(seconds: 3) { $0.areConnected(0, 1) })
    #expect(world.problems == [])
  }

  @Test func `a member's flood of bad signatures is throttled, and others are served`() {
    var world = SyncStoryTests.world(seed: 602, members: 2)
    world.checksInvariants = false
    world.meet(1, 0)
    world.meet(2, 0)
    world.run(seconds: 10) { $0.haveConverged && $0.areConnected(0, 1) && $0.areConnected(0, 2) }
    let victim = world.stations[1].local.certificate.hash
    var random = DeterministicRandom(seed: Cast.seed(602))
    // When one sends openings in another's name, whose signatures do not hold
    let start = world.now
    for number in 0..<3000 {
      let opening = Opening(
        certificate: victim, incarnation: Incarnation(raw: random.bytes16()), generation: 1,
        lane: .state)
      let log = LogID(operation: world.cast.operation, opening: opening)
      var packet = Packet()
      packet.runs = [
        Run(
          log: log, first: 0, previous: nil,
          frames: [
            RunFrame(
              epoch: nil, body: opening.encoded(), signature: [UInt8](repeating: 1, count: 64)),
            RunFrame(epoch: nil, body: [1], signature: [UInt8](repeating: 1, count: 64)),
          ])
      ]
      world.send(packet, from: 2, to: 0)
      if number % 1000 == 999 { world.run(seconds: 1) }
    }
    // Then no more of them were verified than its allowance,
    let seconds = world.now.milliseconds(since: start) / 1000 + 1
    let most = SignatureCost.burst + seconds * 1000 / SignatureCost.milliseconds
    #expect(world.stations[0].rejections(.forged) <= Int(most))
    #expect(world.stations[0].rejections(.throttled) >= 2000)
    // none is held or waits, and an honest device is served meanwhile.
    #expect(world.stations[0].engine.frames.pulls.reassembly.total == 0)
    world.write(1, at: 1)
    #expect(world.run(seconds: 2) { $0.frames(0, of: 1) == 2 })
    #expect(world.problems == [])
  }

  @Test func `what is older than the replay window is refused, what is only late is taken`() throws
  {
    var world = Self.world(seed: 603)
    world.meet(1, 0)
    world.run(seconds: 10) { $0.areConnected(0, 1) && $0.haveConverged }
    // Given two datagrams that an on-path attacker keeps
    func kept(_ count: Int) throws -> [UInt8] {
      world.cut(0, 1)
      world.tap = []
      world.write(count, in: .urgent, at: 1)
      world.run(seconds: 0)
      world.repair(0, 1)
      let sent = (world.tap ?? []).first { $0.bytes[0] == DatagramKind.transport.rawValue }
      return try #require(sent).bytes
    }
    let late = try kept(1)
    var packet = Packet()
    packet.roots = Roots(hashes: [1, 2, 3, 4, 5, 6, 7])
    for _ in 0..<100 { world.send(packet, from: 1, to: 0) }
    let source = world.stations[1].endpoint
    let before = world.stations[0].rejections(.unauthenticated)
    world.inject(late, from: source, to: 0)
    #expect(world.stations[0].rejections(.unauthenticated) == before)
    world.inject(late, from: source, to: 0)
    #expect(world.stations[0].rejections(.unauthenticated) == before + 1, "once")
    let old = try kept(1)
    for _ in 0..<Int(ReplayWindow.width) { world.send(packet, from: 1, to: 0) }
    world.inject(old, from: source, to: 0)
    #expect(world.stations[0].rejections(.unauthenticated) == before + 2)
    #expect(world.problems == [])
  }

  @Test func `the table of peers has room for so many, and keeps those it talks with`() throws {
    var world = Self.world(seed: 604)
    world.meet(1, 0)
    world.run(seconds: 10) { $0.areConnected(0, 1) }
    // When more certified devices are received than the table has room for
    let nonce = try #require(Nonce24(bytes: [UInt8](repeating: 9, count: 24)))
    var devices: [LocalDevice] = []
    for _ in 0..<Limits.peers + 100 {
      devices.append(world.cast.enrol(.member, by: world.stations[0].local))
    }
    let certificates = world.stations.map(\.local.certificate) + devices.map(\.certificate)
    world.give(.rosterChanged(Roster(certificates)), to: 0)
    for (number, device) in devices.enumerated() {
      let announce = Announce(
        certificate: device.certificate.hash.raw.prefix.high,
        incarnation: world.cast.random.bytes16().high, counter: 1 << 32)
      world.inject(
        announce.datagram(
          rules: .current, operation: device.operation, networkKey: device.networkKey,
          nonce: nonce, signedBy: device.signingKey), from: try Self.source(number), to: 0)
    }
    let engine = world.stations[0].engine
    #expect(engine.context.peers.count == Limits.peers)
    #expect(engine.contacts.book.hintCount <= Limits.contactHints)
    #expect(world.areConnected(0, 1))
    #expect(world.problems == [])
  }
}
