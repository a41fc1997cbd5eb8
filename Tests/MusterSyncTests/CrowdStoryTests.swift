import MusterCrypto
import MusterModel
import Testing

@testable import MusterSync

/// Relays in a group in which many receive one another: each is needed, or withdrawn.
@Suite("Relays in a crowd")
struct CrowdStoryTests {
  /// Devices that receive one another's multicast, and one more that only station 1 receives.
  private static func bridged(seed: UInt64, group: Int) -> World {
    var world = World(seed: seed)
    world.checksInvariants = false
    world.found()
    for _ in 0..<group { world.cast(.member) }
    world.share()
    for other in 0..<group where other != 1 { world.cut(other, group) }
    for index in 0...group { world.write(1, in: .urgent, at: index) }
    world.run(seconds: 90)
    return world
  }

  @Test(arguments: [520, 521, 522, 523] as [UInt64])
  func `the only device that receives another one relays a call for help to it`(seed: UInt64) {
    // Given a group of twelve, and one that a single member of it receives, without any session
    var world = Self.bridged(seed: seed, group: 12)
    for index in 0...12 { world.write(1, in: .urgent, at: index) }
    world.run(seconds: 30)
    // When one after another calls
    for caller in [0, 4, 7, 11] {
      let held = world.frames(caller, of: caller, in: .urgent)
      world.write(1, in: .urgent, at: caller)
      // Then all have the call within the longest wait of a relay, before any digest.
      #expect(
        world.run(seconds: 1) { world in
          (0...12).allSatisfy { world.frames($0, of: caller, in: .urgent) == held + 1 }
        }, "call of \(caller), seed \(seed)")
    }
    #expect(world.problems == [])
  }

  @Test(arguments: [40, 49, 60])
  func `a narrow channel carries each position of a crowd a few times`(count: Int) {
    // Given devices on one channel of 64 kbit/s
    var world = World(seed: 530)
    world.checksInvariants = false
    world.found()
    for _ in 1..<count { world.cast(.member) }
    world.share()
    world.run(seconds: 30)
    for index in 0..<count {
      world.give(.linkRate(LinkRate(bytesPerSecond: 8000)), to: index)
    }
    world.weather.delayMilliseconds = 5...30
    world.channel = World.Channel(bitsPerSecond: 64_000, queueMilliseconds: 4000, isShared: true)
    world.run(seconds: 120)
    // When ten of them move
    var quiet = world
    let before = world.stations.reduce(0) { $0 + $1.sentDatagrams }
    for index in 0..<10 {
      world.record(100, at: index)
      world.run(seconds: 3)
    }
    quiet.run(until: world.now)
    // Then each position is sent a few times, not once by each.
    let all = world.stations.reduce(0) { $0 + $1.sentDatagrams } - before
    let idle = quiet.stations.reduce(0) { $0 + $1.sentDatagrams } - before
    #expect(all - idle <= 50)
    #expect(world.problems == [])
  }

  @Test(arguments: [2000, 8000, nil])
  func `a crowd whose laptops do not know the rate of their channel leaves room on it`(
    rate: Int?
  ) {
    // Given thirty devices on one channel of 16 kbit/s, most of which believe something else
    var world = World(seed: 550)
    world.checksInvariants = false
    world.found()
    for _ in 1..<30 { world.cast(.member) }
    world.share()
    world.write(1, in: .urgent, at: 0)
    world.run(seconds: 30)
    for index in 0..<30 {
      world.give(.linkRate(rate.flatMap { LinkRate(bytesPerSecond: $0) }), to: index)
    }
    world.weather.delayMilliseconds = 5...30
    world.channel = World.Channel(bitsPerSecond: 16_000, queueMilliseconds: 4000, isShared: true)
    // When a burst has filled it
    for round in 1...3 {
      for index in 0..<30 { world.record(UInt64(100 + round), at: index) }
      world.run(seconds: 10)
    }
    world.run(seconds: 120)
    // Then they offer less than it carries, and a call for help arrives at once.
    let before = world.stations.reduce(0) { $0 + $1.wireBytes }
    world.run(seconds: 60)
    let offered = world.stations.reduce(0) { $0 + $1.wireBytes } - before
    #expect(offered < 60 * 2000, "\(offered) bytes in a minute")
    let held = world.frames(0, of: 0, in: .urgent)
    world.write(1, in: .urgent, at: 0)
    #expect(
      world.run(seconds: 10) { world in
        (1..<30).allSatisfy { world.frames($0, of: 0, in: .urgent) == held + 1 }
      }, "\((1..<30).map { world.frames($0, of: 0, in: .urgent) }) instead of \(held + 1)")
    #expect(world.problems == [])
  }

  @Test(arguments: [8000, nil])
  func `laptops that join at once leave room on their channel, and all of them meet`(rate: Int?) {
    // Given forty devices that do not know one another, on one channel of 64 kbit/s
    var world = World(seed: 560)
    world.checksInvariants = false
    world.found()
    for _ in 1..<40 { world.cast(.member) }
    for index in 0..<40 {
      world.give(.linkRate(rate.flatMap { LinkRate(bytesPerSecond: $0) }), to: index)
    }
    world.weather.delayMilliseconds = 5...30
    world.channel = World.Channel(bitsPerSecond: 64_000, queueMilliseconds: 4000, isShared: true)
    // When two minutes have passed
    world.run(seconds: 120)
    // Then they offer less than it carries,
    let before = world.stations.reduce(0) { $0 + $1.wireBytes }
    world.run(seconds: 60)
    let offered = world.stations.reduce(0) { $0 + $1.wireBytes } - before
    #expect(offered < 60 * 8000, "\(offered) bytes in a minute")
    // and all know one another within five minutes.
    let met = { (world: World) in world.stations.map(\.engine.context.peers.count) }
    #expect(
      world.run(seconds: 120) { world in met(world).allSatisfy { $0 == 39 } }, "\(met(world))")
    #expect(world.problems == [])
  }

  @Test(arguments: [8000, nil])
  func `laptops that join at once soon hold what each of them wrote`(rate: Int?) {
    // Given forty devices on one channel of 64 kbit/s, each with frames that no other one has
    var world = World(seed: 580)
    world.checksInvariants = false
    world.found()
    for _ in 1..<40 { world.cast(.member) }
    for index in 0..<40 {
      world.write(3, at: index)
      world.give(.linkRate(rate.flatMap { LinkRate(bytesPerSecond: $0) }), to: index)
    }
    world.weather.delayMilliseconds = 5...30
    world.channel = World.Channel(bitsPerSecond: 64_000, queueMilliseconds: 4000, isShared: true)
    // When they are switched on at once
    let missing = { (world: World) in
      (0..<40).map { holder in
        (0..<40).count { world.frames(holder, of: $0) < world.frames($0, of: $0) }
      }.reduce(0, +)
    }
    // Then each frame is everywhere long before the channel could have carried it to each.
    for _ in 1...24 where missing(world) > 0 { world.run(seconds: 10) }
    #expect(missing(world) == 0, "so many logs are missing somewhere, of \(40 * 39)")
    #expect(world.problems == [])
  }

  @Test func `a call for help that came as an answer is relayed`() throws {
    // Given a device that only station 1 receives
    var world = World(seed: 590)
    world.found()
    for _ in 0..<4 { world.cast(.member) }
    world.share()
    for index in 0...4 { world.write(1, in: .urgent, at: index) }
    world.run(seconds: 60)
    for other in 2...4 { world.cut(0, other) }
    world.cut(0, 1)
    let held = world.frames(0, of: 0, in: .urgent)
    world.write(1, in: .urgent, at: 0)
    // When its call reaches station 1 as the answer to a request
    let log = world.stations[0].pen.log(.urgent)
    let call = try #require(world.stations[0].logIndex.frames[log]?.last)
    let local = world.stations[0].local
    var announce = Announce(
      certificate: local.certificate.hash.raw.prefix.high,
      incarnation: world.stations[0].engine.announcer.incarnation.raw.high, counter: 1 << 40)
    announce.runs = [Run([call], of: log, after: call.previous)]
    announce.isAnswer = true
    let datagram = announce.datagram(
      rules: local.rulesVersion, operation: local.operation, networkKey: local.networkKey,
      nonce: world.cast.random.nonce24(), signedBy: local.signingKey)
    world.inject(datagram, from: world.stations[0].endpoint, to: 1)
    // Then all others have it at once.
    #expect(
      world.run(seconds: 2) { world in
        (2...4).allSatisfy { world.frames($0, of: 0, in: .urgent) == held + 1 }
      })
    #expect(world.problems == [])
  }

  @Test func `made-up heads displace no request for what others named`() throws {
    // Given an insider who named a thousand logs that no device has
    var world = World(seed: 600)
    world.found()
    for _ in 0..<2 { world.cast(.member) }
    world.share()
    world.run(seconds: 10)
    let context = world.stations[0].engine.context
    let (liar, honest) = (world.stations[1].local.device, world.stations[2].local.device)
    var requests = RequestsToAll()
    let head = { (number: UInt64) in
      LeafHint(Head(log: LogID(raw: Bytes16(high: number, low: 1)), sequence: 5, hash: .none))
    }
    for number in 1...1000 { requests.note(head(UInt64(number)), of: liar, context: context) }
    // When another device names a log
    let genuine = head(.max)
    requests.note(genuine, of: honest, context: context)
    // Then it is asked for within a few announces.
    let asked = (0..<3).flatMap { _ in requests.take(context: context) { _ in true } }
    #expect(asked.contains { $0.log.raw == genuine.key })
    requests.checkInvariants()
  }

  @Test func `a laptop that is received but does not answer keeps its session`() {
    // Given four laptops with sessions
    var world = World(seed: 570)
    world.found()
    for _ in 1..<4 { world.cast(.member) }
    world.share()
    world.run(seconds: 30) { $0.areConnected(0, 1) }
    world.run(seconds: 30)
    // When what is sent to one of them is lost for minutes, as in a full queue
    world.multicastOnly = [1]
    world.tap = []
    for _ in 0..<18 {
      world.write(20, at: 0)
      world.run(seconds: 10)
    }
    // Then no new handshake is added to what is lost,
    let begun = (world.tap ?? []).filter { $0.bytes[0] == DatagramKind.initiation.rawValue }
    #expect(begun.isEmpty, "\(begun.count) initiations")
    // and its session goes on at once.
    world.multicastOnly = []
    world.write(1, at: 0)
    #expect(world.run(seconds: 20) { $0.haveConverged && $0.areConnected(0, 1) })
    #expect(world.problems == [])
  }

  /// Handshake datagrams by kind, and sessions, of laptops that are all switched on at once.
  private static func start(
    _ count: Int, hasMulticast: Bool, seed: UInt64
  ) -> (datagrams: [DatagramKind: Int], sessions: Int, unauthenticated: Int, sent: Int) {
    var world = World(seed: seed)
    world.checksInvariants = false
    world.hasMulticast = hasMulticast
    world.found()
    for _ in 1..<count { world.cast(.member) }
    world.share()
    world.weather.delayMilliseconds = 1...5
    world.tap = []
    if !hasMulticast {
      for first in 0..<count {
        for second in 0..<count where first != second { world.meet(first, second) }
      }
    }
    world.run(seconds: 30)
    var datagrams: [DatagramKind: Int] = [:]
    for datagram in world.tap ?? [] {
      if let kind = DatagramKind(rawValue: datagram.bytes[0]) { datagrams[kind, default: 0] += 1 }
    }
    let sessions = world.stations.reduce(0) { $0 + $1.engine.context.sessions.count } / 2
    return (
      datagrams, sessions, world.stations.reduce(0) { $0 + $1.rejections(.unauthenticated) },
      world.tap?.count ?? 0
    )
  }

  @Test(arguments: [true, false])
  func `laptops that start at once exchange three datagrams of each kind for a session at most`(
    hasMulticast: Bool
  ) {
    let start = Self.start(hasMulticast ? 40 : 12, hasMulticast: hasMulticast, seed: 540)
    print("start: \(start)")
    for kind in [DatagramKind.initiation, .response, .finish] {
      #expect(start.datagrams[kind, default: 0] <= 3 * start.sessions, "\(kind)")
    }
    #expect(start.unauthenticated * 100 <= start.sent)
  }

  @Test func `forged copies silence no relay`() throws {
    // Given a call that one device alone received, and two insiders beside it
    var world = World(seed: 540)
    world.found()
    for _ in 0..<5 { world.cast(.member) }
    world.share()
    for index in 0...5 { world.write(1, in: .urgent, at: index) }
    world.run(seconds: 60)
    for other in 1...5 where other != 1 { world.cut(0, other) }
    let held = world.frames(0, of: 0, in: .urgent)
    world.write(1, in: .urgent, at: 0)
    #expect(world.run(seconds: 1) { $0.frames(1, of: 0, in: .urgent) == held + 1 })
    // When they send other contents under the number of the call, before it is relayed
    let log = world.stations[0].pen.log(.urgent)
    let call = try #require(world.stations[0].logIndex.frames[log]?.last)
    var forged = Run([call], of: log, after: call.previous)
    forged.frames[0].body = [1, 2, 3]
    let all = world.stations[1].engine.context.peers.devices
    forged.covered = Set(all.map { DeviceTag($0, about: forged.log.raw) })
    for liar in [2, 3] {
      let local = world.stations[liar].local
      var announce = Announce(
        certificate: local.certificate.hash.raw.prefix.high, incarnation: 77, counter: 1 << 40)
      announce.runs = [forged]
      let datagram = announce.datagram(
        rules: local.rulesVersion, operation: local.operation, networkKey: local.networkKey,
        nonce: world.cast.random.nonce24(), signedBy: local.signingKey)
      world.inject(datagram, from: world.stations[liar].endpoint, to: 1)
    }
    // Then it is relayed all the same.
    #expect(
      world.run(seconds: 1) { world in
        (2...5).allSatisfy { world.frames($0, of: 0, in: .urgent) == held + 1 }
      })
  }
}
