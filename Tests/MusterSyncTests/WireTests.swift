import MusterCrypto
import MusterModel
import Testing

@testable import MusterSync

@Suite("Bytes on the wire")
struct WireTests {
  private var cast = Cast(seed: 80)

  private func everyPacket() -> Packet {
    var cast = cast
    let device = cast.enrol(.member)
    var pen = Pen(device, epoch: cast.epoch, seed: 1)
    let frames = pen.write(2, in: .state).1
    let station = Station(device, number: 1, epoch: cast.epoch, now: Instant(microseconds: 0))
    let hint = LeafHint(key: Bytes16(high: 1, low: 2), number: 3, hash: 4)
    var packet = Packet()
    packet.digest = [
      DigestNode(
        set: .urgent, prefix: NibblePrefix(of: Bytes16(high: .max, low: 0), depth: 3),
        contents: .children((0..<16).map { UInt64($0) }), answers: false),
      DigestNode(set: .records, prefix: .root, contents: .leaves([hint]), answers: true),
    ]
    packet.wants = [Want(log: frames[0].log, from: 5, through: Limits.lastSequence)]
    packet.runs = [
      Run(
        log: frames[0].log, first: 0, previous: FrameHash.none,
        frames: frames.map { RunFrame(epoch: $0.epoch, body: $0.body, signature: $0.signature) })
    ]
    packet.records = [station.position(7)]
    packet.recordWants = [packet.records[0].topic]
    packet.keyRequests = [cast.epoch.id]
    packet.keys = [cast.epoch]
    packet.roots = Roots(hashes: [1, 2, 3, 4, 5, 6, 7, .max])
    packet.certificateWants = [hint.key]
    packet.chains = [device.chain.certificates]
    packet.evidenceWants = [EvidenceWant(key: hint.key, offset: 1000)]
    packet.evidence = [
      EvidencePiece(kind: .forkProof, key: hint.key, total: 2001, offset: 1000, part: [1, 2])
    ]
    packet.heads = [hint]
    packet.acknowledgement = Acknowledgement(
      largest: .max, delayMicroseconds: .max, before: .max - 2, holdsRuns: true)
    return packet
  }

  private func grant(name: String, keys: [EpochKey]) -> JoinGrant {
    var cast = cast
    let device = cast.enrolAtTheEndOfAChain(.member)
    return JoinGrant(
      rootKey: cast.rootKey.publicKey, operationName: name, chain: device.chain.certificates,
      networkKey: cast.networkKey.export(), epochKeys: keys)
  }

  @Test func `a packet reads back as it was written`() throws {
    var packet = everyPacket()
    #expect(try Packet(decoding: packet.encoded(), operation: cast.operation) == packet)
    for answer in [
      JoinAnswer.refused("used up"), .granted(grant(name: "Ridge fire", keys: [cast.epoch])),
    ] {
      packet = Packet()
      packet.joinAnswer = answer
      #expect(try Packet(decoding: packet.encoded(), operation: cast.operation) == packet)
    }
  }

  @Test func `a receipt survives the wire, held or not, and nothing else passes for one`() throws {
    var cast = cast
    let local = cast.enrol(.command)
    let log = LogID(raw: Bytes16(high: 7, low: 8))
    let head = Head(log: log, sequence: Limits.lastSequence, hash: FrameHash(raw: .zero))
    for receipt in [Receipt(log: log, head: head), Receipt(log: log, head: nil)] {
      let record = LatestRecord.receipt(
        receipt, operation: local.operation, certificate: local.certificate.hash,
        order: RecordOrder(
          generation: 1, incarnation: Incarnation(raw: Bytes16(high: 1, low: 2)), counter: 9),
        signedBy: local.signingKey)
      #expect(record.body.count == (receipt.head == nil ? 16 : 52))
      #expect(record.receipt == receipt)
      let read = try LatestRecord(record.wire, operation: local.operation)
      #expect(read == record)
      #expect(read.isSigned(by: local.signingKey.publicKey, operation: local.operation))

      for length in 0...record.body.count where length != 16 && length != 52 {
        var cut = record.wire
        cut.body = .init(record.body.prefix(length))
        #expect(throws: WireError.self) { try LatestRecord(cut, operation: local.operation) }
      }
      var sealed = record.wire
      sealed.epoch = .init(repeating: 1, count: 16)
      #expect(throws: WireError.self) { try LatestRecord(sealed, operation: local.operation) }
    }
  }

  @Test func `a later version's set and kind of record do not cost the rest of a packet`() throws {
    // Given a packet in which one digest node and one record are of numbers not known here
    var wire = everyPacket().wire
    wire.digest[1].set = 77
    wire.records.append(wire.records[0])
    wire.records[1].kind = 99
    // When it is read
    let packet = try Packet(decoding: wire.bytes, operation: cast.operation)
    // Then everything else in it is there
    var expected = everyPacket()
    expected.digest.removeLast()
    #expect(packet == expected)
  }

  @Test func `two packets joined read as one with the parts of both`() throws {
    var (first, second) = (Packet(), Packet())
    first.keys = [cast.epoch]
    second.heads = everyPacket().heads
    let joined = try Packet(
      decoding: first.encoded() + second.encoded(), operation: cast.operation)
    #expect(joined.keys == first.keys && joined.heads == second.heads)
  }

  @Test func `an announce round-trips with the network key, and only with it`() throws {
    var cast = cast
    let device = cast.enrol(.member)
    let announce = Announce(
      certificate: device.certificate.hash.raw.prefix.high, incarnation: 12,
      counter: .max, roots: Roots(hashes: [1, 2, 3, 4, 5, 6, 7, 8]), heads: everyPacket().heads,
      record: everyPacket().records[0])
    let sealed = announce.datagram(
      rules: .current, operation: cast.operation, networkKey: cast.networkKey,
      nonce: cast.random.nonce24(), signedBy: device.signingKey)
    let read = try #require(
      try Announce.Unverified(
        opening: sealed[...], rules: .current, operation: cast.operation,
        networkKey: cast.networkKey))
    #expect(read.announce == announce)
    #expect(read.isSigned(by: device.signingKey.publicKey, sharing: nil))
    #expect(!read.isSigned(by: cast.rootKey.publicKey, sharing: nil))
    let other = try Announce.Unverified(
      opening: sealed[...], rules: .current, operation: cast.operation,
      networkKey: cast.random.sealingKey())
    #expect(other == nil)
  }

  @Test func `handshake payloads, invitations and files read back`() throws {
    var cast = cast
    let device = cast.enrolAtTheEndOfAChain(.command)
    let request = JoinRequest(
      signingKey: device.signingKey, agreementKey: device.agreementKey.publicKey, rules: .current,
      binding: JoinRequestFile.binding(callsign: "Ada"))
    for payload in [
      HandshakePayload.padding, .chain(device.chain.certificates), .join(request),
    ] {
      for rules in [RulesVersion.unstated, .current] {
        let read = try HandshakePayload.decode(payload.encoded(rules: rules))
        #expect(read.payload == payload && read.rules == rules)
      }
    }
    let file = JoinRequestFile(callsign: "Ada", request: request)
    #expect(try JoinRequestFile(decoding: file.encoded()) == file)
    let grant = grant(name: "Ridge fire", keys: [cast.epoch])
    let sealed = try #require(
      JoinGrantFile(grant: grant, for: request, ephemeral: cast.random.agreementKey()))
    #expect(
      try JoinGrantFile(decoding: sealed.encoded()).opened(with: device.agreementKey) == grant)
    #expect(throws: WireError.self) { try sealed.opened(with: cast.random.agreementKey()) }
    let invitation = Invitation(
      rootKey: cast.rootKey.publicKey, secret: cast.random.bytes(16), role: .relay,
      expiresAt: Timestamp(milliseconds: -5), operationName: "Ridge fire",
      endpoints: [Station.endpoint(1)])
    #expect(try Invitation(decoding: invitation.encoded()) == invitation)
  }

  @Test func `a certificate reads back, and only its issuer's key verifies it`() throws {
    var cast = cast
    let signed = cast.enrol(.observer).certificate
    let read = try SignedCertificate(content: signed.content, signature: signed.signature.bytes)
    #expect(read == signed)
    #expect(signed.content.count == 149)
    #expect(read.isSigned(by: cast.rootKey.publicKey))
    #expect(!read.isSigned(by: read.certificate.signingKey))
  }

  @Test func `a chain of five, a chain of strangers and a member's certificate do not hold`() {
    var cast = cast
    let last = cast.enrolAtTheEndOfAChain(.command)
    let (operation, root) = (cast.operation, cast.rootKey.publicKey)
    let fifth = SignedCertificate(
      Certificate(
        operation: operation, issuer: last.certificate.hash, user: last.author.user,
        signingKey: last.signingKey.publicKey, agreementKey: last.agreementKey.publicKey,
        role: .member), signedBy: last.signingKey)
    let chain = last.chain.certificates
    #expect(CertificateChain(chain, operation: operation, rootKey: root) != nil)
    #expect(CertificateChain([fifth] + chain, operation: operation, rootKey: root) == nil)
    #expect(CertificateChain([], operation: operation, rootKey: root) == nil)
    #expect(CertificateChain(chain.reversed(), operation: operation, rootKey: root) == nil)
    #expect(
      CertificateChain(chain, operation: operation, rootKey: cast.random.signingKey().publicKey)
        == nil)
    #expect(
      CertificateChain(Array(chain.dropLast()), operation: operation, rootKey: root) == nil)
  }

  @Test func `a full frame pushed alone fits one datagram`() {
    var cast = cast
    let device = cast.enrol(.member)
    var pen = Pen(device, epoch: cast.epoch, seed: 1)
    let frame = pen.write(1, bytes: Limits.framePlaintextBytes, in: .state).1[1]
    #expect(frame.body.count == Limits.frameBodyBytes)
    var packet = Packet()
    packet.runs = [
      Run(
        log: frame.log, first: Limits.lastSequence, previous: frame.previous,
        frames: [RunFrame(epoch: frame.epoch, body: frame.body, signature: frame.signature)])
    ]
    #expect(packet.encoded().count == 1047)
    #expect(packet.encoded().count <= packetBytes)
  }

  @Test func `a grant with the longest chain fits up to a name of 160 bytes with a key`() {
    func size(_ name: Int, _ keys: [EpochKey]) -> Int {
      var packet = Packet()
      packet.joinAnswer = .granted(
        grant(name: String(repeating: "n", count: name), keys: keys))
      return packet.encoded().count
    }
    let longest = (1...Limits.lineBytes).last { size($0, [cast.epoch]) <= packetBytes }
    #expect(longest == 160)
    #expect(size(Limits.lineBytes, []) <= packetBytes)
  }

  @Test func `a clear frame cannot be dressed as one sealed under an epoch of zeros`() throws {
    var packet = Packet()
    packet.runs = [
      Run(
        log: LogID(raw: .zero), first: 0, previous: nil,
        frames: [RunFrame(epoch: EpochID(raw: .zero), body: [1], signature: nil)])
    ]
    #expect(throws: WireError.malformed("frame")) {
      try Packet(decoding: packet.encoded(), operation: cast.operation)
    }
  }

  @Test func `damaged packets never trap`() {
    let bytes = everyPacket().encoded()
    mutate(bytes) { _ = try Packet(decoding: $0, operation: cast.operation) }
  }

  @Test func `damaged certificates never trap and never verify`() {
    var cast = cast
    let signed = cast.enrol(.member).certificate
    let root = cast.rootKey.publicKey
    let whole = signed.content + signed.signature.bytes
    mutate(whole, count: 20_000) { bytes in
      let split = max(0, bytes.count - 64)
      let read = try SignedCertificate(
        content: Array(bytes[..<split]), signature: Array(bytes[split...]))
      #expect(bytes == whole || !read.isSigned(by: root))
    }
  }

  @Test func `damaged bodies, openings, payloads, invitations and files never trap`() {
    var cast = cast
    let device = cast.enrol(.command)
    let operations: [Operation] = [
      .certificate(device.certificate),
      .epoch(
        EpochAnnouncement(
          id: cast.epoch.id, generation: 7, base: EpochID(raw: Bytes16(high: 1, low: 2)),
          excludes: [.none],
          sealed: [SealedEpochKey(device: device.device, box: [1, 2])])),
      .revocation(
        Revocation(
          device: device.device,
          cuts: [Head(log: LogID(raw: .zero), sequence: Limits.lastSequence, hash: .none)])),
      .write(
        Write(
          row: RowID(raw: .zero), field: .userSafetyClaim,
          value: .claim(SafetyClaim.allCases[0], note: "fine"),
          supersedes: [Dot(frame: .zero, index: 1)],
          origin: RowOrigin(owner: device.author.user, nonce: .zero))),
    ]
    let body = FrameBody(
      writtenAt: Timestamp(milliseconds: 1), contents: .operations(operations))
    let place = WritePosition(
      operation: cast.operation, author: device.author.user, sequence: 4)
    mutate(body.encoded(writesAt: place)) { _ = try FrameBody(decoding: $0, writesAt: place) }
    let part = FrameBody(
      writtenAt: Timestamp(milliseconds: 1), contents: .part(index: 1, count: 2, content: [1, 2]))
    mutate(part.encoded(writesAt: nil), count: 20_000) {
      _ = try FrameBody(decoding: $0, writesAt: place)
    }
    let opening = Opening(
      certificate: device.certificate.hash, incarnation: Incarnation(raw: .zero), generation: 2,
      lane: .urgent)
    mutate(opening.encoded()) { _ = try Opening(decoding: $0) }
    mutate(HandshakePayload.chain(device.chain.certificates).encoded(rules: .current)) {
      _ = try HandshakePayload.decode($0)
    }
    let invitation = Invitation(
      rootKey: cast.rootKey.publicKey, secret: cast.random.bytes(16), role: .relay,
      expiresAt: Timestamp(milliseconds: 5), operationName: "Ridge fire",
      endpoints: [Station.endpoint(1)])
    let encoded = invitation.encoded()
    mutate(encoded) { bytes in
      _ = try Invitation(decoding: bytes)
      #expect(bytes == encoded)
    }
    mutate(grant(name: "Ridge fire", keys: [cast.epoch]).encoded(), count: 20_000) {
      _ = try JoinGrant(decoding: $0)
    }
  }

  @Test func `an opening has exactly one encoding, so that its log has one`() throws {
    let opening = Opening(
      certificate: .root, incarnation: Incarnation(raw: Bytes16(high: 1, low: 2)), generation: 1,
      lane: .control)
    let encoded = opening.encoded()
    #expect(try Opening(decoding: encoded) == opening)
    // One field more, and a number in two bytes instead of one.
    let number = try #require(encoded.lastIndex(of: 0x18)) + 1
    var longer = encoded
    longer.replaceSubrange(number...number, with: [0x81, 0])
    for other in [encoded + [0x2a, 0], encoded + encoded, longer] {
      #expect(throws: WireError.malformed("opening")) { try Opening(decoding: other) }
    }
  }

  /// Flips, cuts and repeats bytes; what is refused is refused by a thrown `WireError`.
  private func mutate(
    _ bytes: [UInt8], count: Int = 100_000, _ decode: ([UInt8]) throws -> Void
  ) {
    var random = DeterministicRandom(seed: Cast.seed(UInt64(bytes.count)))
    var refused = 0
    for _ in 0..<count {
      var damaged = bytes
      let draw = random.uint64()
      let place = Int(draw >> 32) % bytes.count
      switch draw & 7 {
      case 0: damaged.removeLast(bytes.count - place)
      case 1: damaged.insert(UInt8(truncatingIfNeeded: draw >> 8), at: place)
      case 2: damaged.remove(at: place)
      default: damaged[place] ^= UInt8(truncatingIfNeeded: draw >> 8)
      }
      do {
        try decode(damaged)
      } catch is WireError {
        refused += 1
      } catch {
        #expect(Bool(false), "\(error)")
      }
    }
    #expect(refused > count / 20)
  }
}
