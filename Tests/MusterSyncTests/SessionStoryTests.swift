import MusterCrypto
import MusterModel
import Testing

@testable import MusterSync

@Suite("Sessions")
struct SessionStoryTests {
  @Test func `two devices that know only the root meet and learn of each other`() {
    // Given two devices, each at the end of a chain of four that the other does not know
    var world = World(seed: 1)
    world.add(world.cast.enrolAtTheEndOfAChain(.member))
    world.add(world.cast.enrolAtTheEndOfAChain(.member))
    // When one gets the other's address
    world.meet(0, 1)
    // Then they have a session within a second
    #expect(world.run(seconds: 1) { $0.areConnected(0, 1) })
    #expect(world.problems == [])
  }

  @Test func `devices find each other by multicast alone`() {
    var world = World(seed: 2)
    world.found()
    world.enrol(.member)
    #expect(world.run(seconds: 3) { $0.areConnected(0, 1) })
    #expect(world.problems == [])
  }

  @Test func `an outsider with another network key gets no answer`() {
    var world = World(seed: 3)
    world.found()
    let stranger = world.cast.certify(
      signingKey: world.cast.random.signingKey(), agreementKey: world.cast.random.agreementKey(),
      role: .member, networkKey: world.cast.random.sealingKey())
    world.add(stranger)
    world.meet(1, 0)
    world.run(seconds: 60)
    // The founder's announces are all that it ever sends, and the stranger cannot read them.
    #expect(world.stations[0].rejections(.forged) > 3)
    #expect(world.stations[0].rejections(.unauthenticated) > 3)
    #expect(world.stations[1].rejections(.unauthenticated) == world.stations[0].sentDatagrams)
    #expect(!world.areConnected(0, 1))
    #expect(world.problems == [])
  }

  @Test func `another operation with the same network key gets no answer`() {
    var world = World(seed: 4)
    world.found()
    let other = Cast(seed: 5)
    var random = world.cast.random
    world.add(
      other.certify(
        signingKey: random.signingKey(), agreementKey: random.agreementKey(), role: .member,
        networkKey: world.cast.networkKey))
    world.meet(1, 0)
    world.run(seconds: 60)
    #expect(world.stations[1].rejections(.unauthenticated) == world.stations[0].sentDatagrams)
    #expect(!world.areConnected(0, 1))
  }

  @Test func `a chain that does not end at the root is refused after the handshake`() throws {
    // Given a client with the network key and a certificate signed by a mere member
    var world = World(seed: 6)
    world.found()
    let member = world.cast.enrol(.member, by: world.stations[0].local)
    let key = world.cast.random.agreementKey()
    let certificate = SignedCertificate(
      Certificate(
        operation: world.cast.operation, issuer: member.certificate.hash,
        user: member.author.user, signingKey: member.signingKey.publicKey,
        agreementKey: key.publicKey, role: .command),
      signedBy: member.signingKey)
    var handshake = SessionHandshake(
      .initiator, purpose: .session, operation: world.cast.operation,
      preSharedKey: world.cast.networkKey.export(), staticKey: key,
      ephemeralKey: world.cast.random.agreementKey(), rules: .current, localIndex: 7,
      endpoint: world.stations[0].endpoint, now: world.now)
    // When it goes through the handshake
    let address = Station.endpoint(9)
    world.tap = []
    world.inject(
      [DatagramKind.initiation.rawValue, 0, 0, 0, 7] + (try handshake.write(.padding)),
      from: address, to: 0)
    let response = try #require(world.tap?.last?.bytes)
    _ = try handshake.read(response.dropFirst(9))
    let finish = try handshake.write(
      .chain([certificate, member.certificate] + member.chain.certificates.dropFirst()))
    world.inject(
      [DatagramKind.finish.rawValue] + Array(response[5..<9]) + finish, from: address, to: 0)
    // Then it is refused and counted, and has no session
    #expect(world.stations[0].rejections(.forged) == 1)
    #expect(world.stations[0].engine.context.sessions.isEmpty)
  }

  @Test func `an answer to an address that is not validated is at most three times as large`() {
    var world = World(seed: 7)
    world.add(world.cast.enrolAtTheEndOfAChain(.command))
    world.add(world.cast.enrolAtTheEndOfAChain(.command))
    world.tap = []
    world.meet(0, 1)
    world.run(seconds: 1) { $0.areConnected(0, 1) }
    let sizes = (world.tap ?? []).reduce(into: [UInt8: Int]()) { sizes, sent in
      sizes[sent.bytes[0]] = max(sizes[sent.bytes[0]] ?? 0, sent.bytes.count)
    }
    let initiation = sizes[DatagramKind.initiation.rawValue] ?? 0
    let response = sizes[DatagramKind.response.rawValue] ?? 0
    let finish = sizes[DatagramKind.finish.rawValue] ?? 0
    #expect(initiation > 300)
    #expect(response > 900 && response <= min(1200, 3 * initiation))
    #expect(finish > 900 && finish <= 1200)
  }

  @Test func `an initiation that is not padded is not answered`() throws {
    var world = World(seed: 8)
    world.add(world.cast.enrolAtTheEndOfAChain(.command))
    var noise = try NoiseHandshake(
      role: .initiator, pattern: .xxpsk0, prologue: Tag.session + world.cast.operation.bytes,
      staticKey: world.cast.random.agreementKey(),
      ephemeralKey: world.cast.random.agreementKey(),
      preSharedKey: world.cast.networkKey.export())
    let message = try noise.writeMessage(payload: [])
    world.tap = []
    world.inject(
      [DatagramKind.initiation.rawValue, 0, 0, 0, 1] + message, from: Station.endpoint(9), to: 0)
    #expect(world.tap?.isEmpty == true)
    #expect(world.stations[0].rejections(.malformed) == 1)
    #expect(world.stations[0].engine.handshaker.count == 0)
  }

  @Test func `recorded datagrams that are sent again change nothing`() {
    // Given two devices that talked
    var world = World(seed: 9)
    world.found()
    world.enrol(.member)
    world.tap = []
    world.meet(0, 1)
    world.run(seconds: 3) { $0.areConnected(0, 1) && $0.haveConverged }
    world.write(3, at: 0)
    world.run(seconds: 1)
    let recorded = world.tap ?? []
    world.tap = []
    let before = world.stations.map(\.logIndex)
    // When everything that they sent is replayed to them, from the same addresses
    for datagram in recorded where datagram.bytes[0] == DatagramKind.transport.rawValue {
      let to = datagram.to == world.stations[0].endpoint ? 0 : 1
      world.inject(datagram.bytes, from: datagram.from, to: to)
    }
    // Then nothing is stored and nothing is sent
    #expect(recorded.count > 10)
    #expect(world.tap?.isEmpty == true)
    #expect(world.stations.map(\.logIndex) == before)
    #expect(world.stations[0].rejections(.unauthenticated) >= 3)
  }

  @Test func `a recorded announce sent from a thousand addresses moves little`() throws {
    // Given a certified device that is out of reach, and an outsider who recorded its announce
    var world = World(seed: 10)
    world.found()
    let away = world.enrol(.member)
    world.meet(0, away)
    world.run(seconds: 3) { $0.haveConverged }
    world.cut(0, away)
    world.run(seconds: 60)
    let author = world.stations[away].local
    let nonce = try #require(Nonce24(bytes: [UInt8](repeating: 7, count: 24)))
    let recorded =
      Announce(
        certificate: author.certificate.hash.raw.prefix.high,
        incarnation: world.stations[away].engine.announcer.incarnation.raw.high,
        counter: 1 << 40, roots: Roots(hashes: [0, 0, 0, 0, 0, 0, 0]), heads: [], record: nil
      ).datagram(
        rules: .current, operation: author.operation, networkKey: author.networkKey, nonce: nonce,
        signedBy: author.signingKey)
    // When the outsider plays it from many forged addresses
    world.tap = []
    for forged in 0..<1000 {
      let address = [10, 9, UInt8(forged / 250), UInt8(forged % 250)]
      let from = try #require(Endpoint(address: address, port: 9999))
      world.inject(recorded, from: from, to: 0)
    }
    world.run(seconds: 120)
    // Then one address is tried a few times, and given up
    let answers = (world.tap ?? []).filter { $0.to.port == 9999 }
    #expect((1...Timing.contactHintAttempts).contains(answers.count))
    #expect(world.stations[0].engine.contacts.book.hintCount == 0)
  }

  @Test func `a short cut costs nothing, and after a long one they find each other in seconds`() {
    var world = World(seed: 10)
    world.hasMulticast = false
    world.found()
    world.enrol(.member)
    world.meet(0, 1)
    world.run(seconds: 30) { $0.areConnected(0, 1) && $0.haveConverged }
    let handshakes = { (world: World) in
      world.stations[0].notices.count { if case .peerConnected = $0 { true } else { false } }
    }
    // A partition of ten seconds with data to send is detected,
    world.cut(0, 1)
    world.write(1, at: 0)
    #expect(world.run(seconds: 5) { !$0.stations[0].connected(to: $0.stations[1], now: $0.now) })
    world.run(seconds: 5)
    // and costs no new session once it is over.
    world.repair(0, 1)
    #expect(world.run(seconds: 10) { $0.haveConverged && $0.areConnected(0, 1) })
    #expect(handshakes(world) == 1)
    // One of an hour ends the session on both sides,
    world.cut(0, 1)
    world.run(seconds: 3600)
    #expect(world.stations.allSatisfy { $0.engine.context.sessions.isEmpty })
    world.write(1, at: 1)
    // and when it is over they find each other again and catch up.
    world.repair(0, 1)
    #expect(world.run(seconds: 25) { $0.areConnected(0, 1) && $0.haveConverged })
    #expect(handshakes(world) == 2)
    #expect(world.problems == [])
  }

  @Test func `when both call at once they settle and stay settled`() {
    var world = World(seed: 11)
    world.hasMulticast = false
    world.found()
    world.enrol(.member)
    world.meet(0, 1)
    world.meet(1, 0)
    world.run(seconds: 2)
    #expect(world.areConnected(0, 1))
    // Frames pass both ways without waiting for anything to time out.
    for writer in 0...1 {
      world.write(1, at: writer)
      #expect(world.run(seconds: 1) { $0.haveConverged })
    }
    world.run(seconds: 400)
    #expect(world.areConnected(0, 1))
    #expect(world.stations.allSatisfy { $0.engine.context.sessions.count == 1 })
    #expect(world.problems == [])
  }

  @Test(arguments: [true, false])
  func `a peer that restarts comes back`(remembers: Bool) {
    // Given two connected devices, one of which restarts with its disk and, or without, addresses
    var world = World(seed: 12)
    world.hasMulticast = false
    world.found()
    world.enrol(.member)
    world.meet(0, 1)
    world.run(seconds: 5) { $0.areConnected(0, 1) && $0.haveConverged }
    world.restart(1, remembering: remembers ? [0] : [])
    world.write(1, at: 0)
    world.write(1, at: 1)
    // Then they are in step again: at once where it calls, else when the silence was noticed
    #expect(world.run(seconds: remembers ? 10 : 45) { $0.haveConverged && $0.areConnected(0, 1) })
    #expect(world.problems == [])
  }

  @Test func `a device with its own address as a peer stops connecting`() {
    var world = World(seed: 13)
    world.found()
    world.meet(0, 0)
    world.run(seconds: 5)
    let sent = world.stations[0].sentDatagrams
    world.run(seconds: 60)
    #expect(world.stations[0].sentDatagrams - sent < 8)
    #expect(world.stations[0].engine.context.sessions.isEmpty)
  }

  @Test func `who gets its own words back goes on looking for the peer that it was given`() {
    // Given a laptop whose peer is off, and an outsider who reflects its datagrams
    var world = World(seed: 15)
    world.hasMulticast = false
    world.found()
    world.enrol(.member)
    world.cut(0, 1)
    world.tap = []
    world.meet(1, 0)
    for _ in 0..<4 {
      world.run(seconds: 1)
      for received in world.tap ?? [] {
        world.inject(received.bytes, from: Station.endpoint(9), to: 1)
      }
      world.tap = []
    }
    world.run(seconds: 5)
    // When the peer is there again
    world.repair(0, 1)
    // Then it is found
    #expect(world.run(seconds: 150) { $0.areConnected(0, 1) && $0.haveConverged })
  }

  @Test func `a lost finish is sent again, and its copies open nothing`() {
    // Given an initiator whose first finish is lost
    var world = World(seed: 14)
    world.hasMulticast = false
    world.found()
    world.enrol(.member)
    world.tap = []
    world.meet(0, 1)
    world.run(seconds: 1) {
      ($0.tap ?? []).contains { $0.bytes[0] == DatagramKind.finish.rawValue }
    }
    world.cut(0, 1)
    let at = world.now
    world.run(seconds: 1) { $0.now.milliseconds(since: at) > 20 }
    world.repair(0, 1)
    #expect(world.run(seconds: 5) { $0.areConnected(0, 1) && $0.haveConverged })
    world.run(seconds: 1)
    // When an eavesdropper replays the finish, or sends a forged one
    let finish = (world.tap ?? []).first { $0.bytes[0] == DatagramKind.finish.rawValue }
    world.tap = []
    let forged = Array(finish?.bytes.prefix(5) ?? []) + [1, 2, 3]
    world.inject(forged, from: Station.endpoint(9), to: 1)
    // Then what does not authenticate is not answered
    #expect(world.tap?.isEmpty == true)
    #expect(world.stations[1].rejections(.unauthenticated) == 1)
    #expect(world.stations[1].engine.context.sessions.count == 1)
  }

  @Test func `a peer that no announce reaches is sent something every 30 seconds`() {
    // Given two devices that reach each other by address only, as through a NAT
    var world = World(seed: 45)
    world.hasMulticast = false
    world.found()
    world.enrol(.member)
    world.meet(1, 0)
    #expect(world.run(seconds: 10) { $0.areConnected(0, 1) })
    world.run(seconds: 300)
    // Then none of its ends is silent for longer than a NAT keeps a mapping,
    var count = 0
    for _ in 0..<20 {
      world.tap = []
      world.run(seconds: 30)
      for (from, to) in [(0, 1), (1, 0)] {
        let sent = (world.tap ?? []).count {
          $0.from == world.stations[from].endpoint && $0.to == world.stations[to].endpoint
        }
        #expect(sent > 0)
        if from == 0 { count += sent }
      }
    }
    // and it sends at most a datagram in 3 s.
    #expect(count <= 200)
  }

  @Test func `many peers by address alone cost at most a datagram in 3 seconds`() {
    var world = World(seed: 46)
    world.hasMulticast = false
    world.found()
    for _ in 0..<12 { world.meet(world.enrol(.member), 0) }
    world.run(seconds: 300)
    world.tap = []
    world.run(seconds: 600)
    let sent = (world.tap ?? []).count { $0.from == world.stations[0].endpoint }
    #expect(sent <= 200, "\(sent) datagrams in ten minutes")
  }
}
