import MusterCrypto
import MusterModel
import Testing

@testable import MusterSync

private let newer = RulesVersion(raw: RulesVersion.current.raw + 1) ?? .current

@Suite("Rules versions")
struct RulesVersionTests {
  private let address = Station.endpoint(9)

  /// A founder of this version, and a member with these rules; each knows the other's certificate.
  private static func world(seed: UInt64, rules: RulesVersion, hasMulticast: Bool) -> World {
    var world = World(seed: seed)
    world.hasMulticast = hasMulticast
    world.found()
    var member = world.cast.enrol(.member, by: world.stations[0].local)
    member.rulesVersion = rules
    world.add(member)
    world.share()
    world.write(3, in: .urgent, at: 0)
    world.write(3, in: .urgent, at: 1)
    world.record(1, at: 0)
    world.record(1, at: 1)
    return world
  }

  private static func status(_ index: Int, of other: Int, in world: World) -> PeerStatus? {
    let device = world.stations[other].local.device
    return world.stations[index].engine.peerStatus(now: world.now).first { $0.device == device }
  }

  private static func notices(_ index: Int, in world: World) -> [UpdateNeed] {
    world.stations[index].notices.compactMap {
      if case .needsUpdate(let need, _, _) = $0 { need } else { nil }
    }
  }

  private static func shows(_ index: Int, _ other: Int, in world: World) -> Bool {
    status(index, of: other, in: world)?.rules == world.stations[other].local.rulesVersion
      && world.stations[index].local.rulesVersion != world.stations[other].local.rulesVersion
  }

  /// Neither holds anything of the other's, and there is no session.
  private static func expectApart(_ world: World, _ place: SourceLocation = #_sourceLocation) {
    for (index, other) in [(0, 1), (1, 0)] {
      #expect(world.frames(index, of: other, in: .urgent) == 0, sourceLocation: place)
      #expect(world.stations[index].logIndex.records.count == 1, sourceLocation: place)
      #expect(world.stations[index].engine.context.sessions.isEmpty, sourceLocation: place)
      #expect(world.stations[index].engine.frames.pulls.count == 0, sourceLocation: place)
    }
    #expect(world.problems == [], sourceLocation: place)
  }

  // MARK: Announces

  @Test(arguments: [RulesVersion.unstated, newer])
  func `announces show a device with other rules, and nothing is exchanged`(rules: RulesVersion) {
    var world = Self.world(seed: 910, rules: rules, hasMulticast: true)
    world.run(seconds: 60)
    Self.expectApart(world)
    #expect(Self.shows(0, 1, in: world) && Self.shows(1, 0, in: world))
    #expect(Self.status(0, of: 1, in: world)?.state == .discovered)
    #expect(Self.status(0, of: 1, in: world)?.endpoint == world.stations[1].endpoint)
    // Each reports it once, however often it receives the other.
    let isOlder = rules < .current
    #expect(Self.notices(0, in: world) == [isOlder ? .peer : .thisLaptop])
    #expect(Self.notices(1, in: world) == [isOlder ? .thisLaptop : .peer])
    // What is written later stays separate too, and neither connects to the other.
    world.tap = []
    for index in [0, 1] { world.write(2, in: .urgent, at: index) }
    world.record(2, at: 1)
    world.run(seconds: 120)
    Self.expectApart(world)
    #expect(world.tap?.count == 0)
  }

  /// An announce of a program that states no rules, made by hand from docs/wire.md.
  private static func oldAnnounce(
    of sender: LocalDevice, counter: UInt64, position: LatestRecord?, signedBy key: SigningKey?
  ) -> [UInt8] {
    var wire = WireAnnounce()
    wire.certificate = .init(encodedWords([sender.certificate.hash.raw.prefix.high]))
    wire.incarnation = .init([UInt8](repeating: 5, count: 8))
    wire.counter = counter
    wire.roots = .init(Roots(hashes: [1, 2, 3, 4, 5, 6]).bytes)
    if let position { wire.position = position.wire }
    wire.chain = sender.chain.certificates.map(\.wire)
    var signed = WireSignedAnnounce()
    signed.content = .init(wire.bytes)
    let tag = Array("muster announce 1".utf8)
    let signature = (key ?? sender.signingKey).sign(tag + Array(signed.content))
    signed.signature = .init(signature.bytes)
    guard let nonce = Nonce24(bytes: [UInt8](repeating: UInt8(counter), count: 24)) else {
      preconditionFailure("24 bytes are a nonce")
    }
    let body = sender.networkKey.sealBody(
      signed.bytes, drawn: nonce, additionalData: tag + sender.operation.bytes)
    return [1] + body
  }

  @Test func `an announce of an old program shows its sender, and nothing in it is used`() {
    // Given one whose certificate is known here, and one whose is not
    var world = World(seed: 911)
    world.hasMulticast = false
    world.found()
    let known = world.enrol(.member)
    let stranger = world.add(world.cast.enrol(.member, by: world.stations[0].local))
    for index in [known, stranger] {
      let sender = world.stations[index]
      // When an old announce of it comes
      world.inject(
        Self.oldAnnounce(
          of: sender.local, counter: 7, position: sender.position(1), signedBy: nil),
        from: Station.endpoint(20 + index), to: 0)
      // Then its device and its address are shown
      let status = Self.status(0, of: index, in: world)
      #expect(status?.rules == .unstated && status?.endpoint == Station.endpoint(20 + index))
      // and neither its position, nor its roots, nor its certificate are taken, nor is it called.
      let peer = world.stations[0].engine.context.peers[sender.local.device]
      #expect(peer?.holdings.roots == nil && peer?.presence.announced == nil)
    }
    #expect(world.stations[0].logIndex.records.isEmpty)
    #expect(
      world.stations[0].engine.context.roster[world.stations[stranger].local.certificate.hash]
        == nil)
    world.tap = []
    world.run(seconds: 60)
    #expect(world.tap?.count == 0)
    #expect(world.stations[0].engine.contacts.book.count == 0)
    #expect(world.problems == [])
  }

  @Test func `only its author states the rules version of an announce`() throws {
    var world = World(seed: 912)
    world.hasMulticast = false
    world.found()
    let index = world.enrol(.member)
    let sender = world.stations[index].local
    // Given an old announce that another member signed
    world.inject(
      Self.oldAnnounce(
        of: sender, counter: 7, position: nil, signedBy: world.stations[0].local.signingKey),
      from: address, to: 0)
    #expect(world.stations[0].rejections(.forged) == 1)
    // and an announce whose version was altered on its way,
    let announce = Announce(
      certificate: sender.certificate.hash.raw.prefix.high, incarnation: 1, counter: 1)
    let nonce = try #require(Nonce24(bytes: [UInt8](repeating: 9, count: 24)))
    let genuine = announce.datagram(
      rules: .current, operation: sender.operation, networkKey: sender.networkKey, nonce: nonce,
      signedBy: sender.signingKey)
    #expect(genuine.prefix(2) == [9, RulesVersion.current.raw])
    for version in [0, 1, newer.raw] {
      var altered = genuine
      altered[1] = version
      world.inject(altered, from: address, to: 0)
    }
    #expect(world.stations[0].rejections(.unauthenticated) == 3)
    // and one that a member with the network key sealed again under another version.
    let tag = Array("muster announce 2".utf8)
    let plaintext = try #require(
      sender.networkKey.openBody(
        genuine.dropFirst(2),
        additionalData: tag + sender.operation.bytes + [RulesVersion.current.raw]))
    let resealed = sender.networkKey.sealBody(
      plaintext, drawn: nonce, additionalData: tag + sender.operation.bytes + [newer.raw])
    world.inject([9, newer.raw] + resealed, from: address, to: 0)
    #expect(world.stations[0].rejections(.forged) == 2)
    // Then nothing is shown.
    #expect(Self.status(0, of: index, in: world) == nil)
    #expect(Self.notices(0, in: world) == [])
  }

  @Test func `a recorded announce of an old program ends no session`() {
    var world = World(seed: 913)
    world.hasMulticast = false
    world.found()
    let index = world.enrol(.member)
    world.meet(0, index)
    world.run(seconds: 10) { $0.areConnected(0, index) }
    world.inject(
      Self.oldAnnounce(
        of: world.stations[index].local, counter: 7, position: nil, signedBy: nil),
      from: address, to: 0)
    world.run(seconds: 30)
    #expect(world.areConnected(0, index))
    #expect(Self.status(0, of: index, in: world)?.rules == .current)
    #expect(Self.notices(0, in: world) == [])
    #expect(world.problems == [])
  }

  // MARK: Handshakes

  @Test(arguments: [RulesVersion.unstated, newer], [0, 1])
  func `a handshake ends with a notice instead of a session`(rules: RulesVersion, caller: Int) {
    var world = Self.world(seed: 914, rules: rules, hasMulticast: false)
    world.meet(caller, 1 - caller)
    world.run(seconds: 5)
    Self.expectApart(world)
    #expect(Self.shows(0, 1, in: world))
    #expect(Self.notices(0, in: world).count == 1)
    // To an old program, which would take it for a session, message 3 is not sent.
    #expect(Self.shows(1, 0, in: world) == (rules.isStated || caller == 1))
    // It is not called again and again, also where the network changes,
    world.tap = []
    for index in [0, 1] { world.give(.linkUp, to: index) }
    world.run(seconds: 500)
    #expect(world.tap?.count == 0)
    // but much later, in case that it was updated.
    world.run(seconds: 200)
    #expect((1...20).contains(world.tap?.count ?? 0), "\(world.tap?.count ?? 0)")
    Self.expectApart(world)
    #expect(Self.notices(0, in: world).count == 1)
  }

  @Test(arguments: [0, 1])
  func `both show it on a link that loses a third`(caller: Int) {
    var world = Self.world(seed: 915, rules: newer, hasMulticast: false)
    world.weather = .storm
    world.meet(caller, 1 - caller)
    world.run(seconds: 60) { Self.shows(0, 1, in: $0) && Self.shows(1, 0, in: $0) }
    #expect(Self.shows(0, 1, in: world) && Self.shows(1, 0, in: world))
    Self.expectApart(world)
  }

  @Test func `over an uplink the connection stays, and nothing is exchanged`() {
    // Given an uplink to a command post with other rules
    var world = Self.world(seed: 916, rules: newer, hasMulticast: false)
    let uplink = Endpoint.uplink(0)
    var toPost: [[UInt8]] = []
    func carry(_ sendings: [Station.Sending]) -> [[UInt8]] {
      sendings.compactMap { if case .endpoint(uplink, _) = $0.to { $0.bytes } else { nil } }
    }
    // When the handshake goes over it
    toPost = carry(world.stations[0].handle(.uplinkOpened(uplink), now: world.now))
    for _ in 0..<3 {
      let now = world.now
      var back: [[UInt8]] = []
      for bytes in toPost {
        back += carry(
          world.stations[1].handle(.datagram(bytes, from: uplink, link: .uplink), now: now))
      }
      toPost = back.flatMap { bytes in
        carry(world.stations[0].handle(.datagram(bytes, from: uplink, link: .uplink), now: now))
      }
    }
    // Then both show the other, and take its end for one that belongs to the operation.
    #expect(Self.shows(0, 1, in: world) && Self.shows(1, 0, in: world))
    for index in [0, 1] {
      let other = world.stations[1 - index].local.device
      #expect(world.stations[index].notices.contains(.uplinkProven(uplink, other)))
    }
    Self.expectApart(world)
  }

  @Test func `a device that is updated, or taken back, is met again`() {
    var world = Self.world(seed: 917, rules: .current, hasMulticast: true)
    #expect(world.run(seconds: 30) { $0.haveConverged && $0.areConnected(0, 1) })
    // When it starts with other rules
    world.stations[1].local.rulesVersion = newer
    world.restart(1, remembering: [0])
    #expect(
      world.run(seconds: 60) { Self.shows(0, 1, in: $0) && Self.shows(1, 0, in: $0) })
    let held = world.frames(1, of: 0, in: .urgent)
    world.write(2, in: .urgent, at: 0)
    world.run(seconds: 120)
    #expect(world.frames(1, of: 0, in: .urgent) == held)
    #expect(world.stations.allSatisfy { $0.engine.context.sessions.isEmpty })
    // and then with the same again
    world.stations[1].local.rulesVersion = .current
    world.restart(1, remembering: [0])
    #expect(world.run(seconds: 60) { $0.areConnected(0, 1) && $0.haveConverged })
    #expect(!Self.shows(0, 1, in: world))
    #expect(world.problems == [])
  }

  // MARK: Joining

  /// A founder who has invited, and the invitation.
  private static func doorstep(seed: UInt64, rules: RulesVersion) -> (World, Invitation) {
    var world = World(seed: seed)
    world.hasMulticast = false
    world.found()
    let secret = [UInt8](repeating: 7, count: Invitation.secretBytes)
    world.stations[0].invites = [OpenInvite(id: InviteID(secret: secret), secret: secret)]
    world.stations[0].local.rulesVersion = rules
    world.restart(0, remembering: [])
    let invitation = Invitation(
      rootKey: world.cast.rootKey.publicKey, secret: secret, role: .member,
      expiresAt: Timestamp(milliseconds: 0), operationName: "Ridge fire",
      endpoints: [world.stations[0].endpoint])
    world.tap = []
    return (world, invitation)
  }

  private func lastAnswer(in world: World) throws -> [UInt8] {
    try #require(world.tap?.last { $0.to == address }?.bytes)
  }

  @Test(arguments: [RulesVersion.unstated, newer])
  func `a joiner with other rules learns which side must be updated`(
    rules: RulesVersion
  ) throws {
    var (world, invitation) = Self.doorstep(seed: 918, rules: rules)
    var joiner = JoinInitiator(
      invitation: invitation, at: nil, signingKey: world.cast.random.signingKey(),
      agreementKey: world.cast.random.agreementKey(), seed: Cast.seed(99), now: world.now)
    for case .send(let bytes, _) in joiner.passDeadline(now: world.now) {
      world.inject(bytes, from: address, to: 0)
    }
    let steps = joiner.receive(
      try lastAnswer(in: world), from: world.stations[0].endpoint, now: world.now)
    let needy = rules < .current ? "the laptop that invites" : "this laptop"
    guard case .refused(let reason)? = steps.first else {
      Issue.record("\(steps)")
      return
    }
    #expect(reason.hasPrefix("\(needy) needs an update") && TextRule.line.accepts(reason))
    #expect(steps.count == 1 && joiner.nextDeadline == nil)
    #expect(world.stations[0].engine.context.sessions.isEmpty)
  }

  @Test(arguments: [RulesVersion.unstated, newer])
  func `a joiner with other rules is refused and gets no certificate`(rules: RulesVersion) throws {
    // Given a joiner that does not look at the inviting device's rules, as an old program
    var (world, invitation) = Self.doorstep(seed: 919, rules: .current)
    let signingKey = world.cast.random.signingKey()
    let agreementKey = world.cast.random.agreementKey()
    var handshake = SessionHandshake(
      .initiator, purpose: .join(invitation.id), operation: invitation.operation,
      preSharedKey: Invitation.preSharedKey(secret: invitation.secret), staticKey: agreementKey,
      ephemeralKey: world.cast.random.agreementKey(), rules: rules, localIndex: 7,
      endpoint: world.stations[0].endpoint, now: world.now)
    let initiation = try handshake.write(.padding)
    world.inject(
      [DatagramKind.joinInitiation.rawValue] + invitation.id.raw.bytes + [0, 0, 0, 7] + initiation,
      from: address, to: 0)
    let response = try lastAnswer(in: world)
    _ = try handshake.read(response.dropFirst(9))
    #expect(handshake.remoteRules == .current)
    let request = JoinRequest(
      signingKey: signingKey, agreementKey: agreementKey.publicKey, rules: rules,
      binding: handshake.hash)
    let finish =
      [DatagramKind.finish.rawValue] + Array(response[5..<9])
      + (try handshake.write(.join(request)))
    var session = Session(
      localIndex: 7, remoteIndex: 0, peer: .device(world.stations[0].local.device),
      endpoint: address, now: world.now, keys: handshake.sessionKeys())
    // When it asks, and asks again because the answer was lost
    for _ in 0..<2 {
      world.inject(finish, from: address, to: 0)
      let answer = try lastAnswer(in: world)
      var reader = ByteReader(answer.dropFirst(5))
      let opened = try #require(
        session.open(counter: try reader.integer(UInt32.self), answer.dropFirst(9)))
      let packet = try Packet(decoding: opened.packet, operation: invitation.operation)
      // Then it gets the reason.
      guard case .refused(let reason)? = packet.joinAnswer else {
        Issue.record("\(packet)")
        return
      }
      let needy = rules < .current ? "this laptop" : "the laptop that invites"
      #expect(reason.hasPrefix("\(needy) needs an update"))
    }
    let log = world.stations[0].pen.log(.control)
    #expect(world.stations[0].logIndex.frames[log] == nil, "nothing was certified")
  }

  @Test func `a join request states its rules under its signature, and an old one reads too`()
    throws
  {
    var cast = Cast(seed: 920)
    let device = cast.enrol(.member)
    let binding = JoinRequestFile.binding(callsign: "Ada")
    let request = JoinRequest(
      signingKey: device.signingKey, agreementKey: device.agreementKey.publicKey, rules: .current,
      binding: binding)
    #expect(request.isSigned(binding: binding))
    for raw in [0, UInt32(newer.raw)] {
      var wire = request.wire
      wire.rules = raw
      #expect(try !JoinRequest(wire).isSigned(binding: binding))
    }
    for raw in [1, 256, .max] as [UInt32] {
      var wire = request.wire
      wire.rules = raw
      #expect(throws: WireError.malformed("rules version")) { try JoinRequest(wire) }
    }
    // As an old program makes it
    var wire = WireJoinRequestFile()
    wire.callsign = "Ada"
    wire.request.signingKey = .init(device.signingKey.publicKey.raw.bytes)
    wire.request.agreementKey = .init(device.agreementKey.publicKey.raw.bytes)
    wire.request.signature = .init(
      device.signingKey.sign(
        Array("muster join 1".utf8) + device.agreementKey.publicKey.raw.bytes + binding
      ).bytes)
    let file = try JoinRequestFile(
      decoding: Array("muster join request 1\n".utf8) + wire.bytes)
    #expect(file.request.rules == .unstated)
  }
}
