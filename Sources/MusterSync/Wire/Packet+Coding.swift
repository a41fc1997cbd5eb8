internal import MusterModel

extension Packet {
  func encoded() -> [UInt8] { wire.bytes }

  var wire: WirePacket {
    var wire = WirePacket()
    wire.digest = digest.map(\.wire)
    wire.wants = wants.map(\.wire)
    wire.runs = runs.map(\.wire)
    wire.records = LatestRecord.wires(records)
    wire.recordWants = recordWants.map { .init($0.bytes) }
    wire.keyRequests = keyRequests.map { .init($0.bytes) }
    wire.keys = keys.map(\.wire)
    if let joinAnswer { wire.join = joinAnswer.wire }
    if let roots { wire.roots = .init(roots.bytes) }
    wire.clock = clock?.milliseconds ?? 0
    wire.heads = heads.map { .init(LeafHint.encoded([$0])) }
    if let acknowledgement { wire.ack = acknowledgement.wire }
    wire.challenge = challenge ?? 0
    wire.response = response ?? 0
    wire.answer = answer
    wire.peers = peers.map(\.wire)
    wire.pushed = pushed.map(\.wire)
    wire.certificateWants = certificateWants.map { .init($0.bytes) }
    wire.chains = chains.map { chain in
      var wire = WireChain()
      wire.certificates = chain.map(\.wire)
      return wire
    }
    wire.evidenceWants = evidenceWants.map { .init($0.bytes) }
    wire.evidence = evidence.map { .init($0.bytes) }
    wire.blobs = blobs.map { .init($0.bytes) }
    return wire
  }

  init(decoding bytes: [UInt8], operation: OperationID) throws(WireError) {
    let wire = try WirePacket(parsing: bytes)
    for node in wire.digest where isKnown(node.set, as: SetID.self) {
      digest.append(try DigestNode(node))
    }
    for want in wire.wants { wants.append(try Want(want)) }
    for run in wire.runs { runs.append(try Run(run)) }
    records = try LatestRecord.decode(wire.records, operation: operation)
    for topic in wire.recordWants {
      guard let topic = RecordTopic(bytes: topic) else { throw .malformed("record topic") }
      recordWants.append(topic)
    }
    for epoch in wire.keyRequests {
      guard let epoch = EpochID(bytes: epoch) else { throw .malformed("epoch id") }
      keyRequests.append(epoch)
    }
    for key in wire.keys { keys.append(try EpochKey(key)) }
    if wire.hasJoin { joinAnswer = try JoinAnswer(wire.join) }
    if !wire.roots.isEmpty { roots = try Roots(Array(wire.roots)) }
    if wire.clock != 0 { clock = Timestamp(milliseconds: wire.clock) }
    for hint in wire.heads { heads += try LeafHint.decode(Array(hint)) }
    if wire.hasAck { acknowledgement = try Acknowledgement(wire.ack) }
    if wire.challenge != 0 { challenge = wire.challenge }
    if wire.response != 0 { response = wire.response }
    answer = wire.answer
    for peer in wire.peers { peers.append(try PeerAddress(peer)) }
    for push in wire.pushed {
      let records = try LatestRecord.decode(push.records, operation: operation)
      let covered = try DeviceTag.decode(Array(push.covered))
      if !records.isEmpty { pushed.append(PushedRecords(records: records, covered: covered)) }
    }
    try decodeCertificates(wire)
    for want in wire.evidenceWants { evidenceWants.append(try EvidenceWant(Array(want))) }
    for piece in wire.evidence {
      if let piece = try EvidencePiece(Array(piece)) { evidence.append(piece) }
    }
    for message in wire.blobs {
      if let message = try BlobMessage(decoding: Array(message)) { blobs.append(message) }
    }
  }

  private mutating func decodeCertificates(_ wire: WirePacket) throws(WireError) {
    for key in wire.certificateWants {
      guard let key = Bytes16(key) else { throw .malformed("certificate hash") }
      certificateWants.append(key)
    }
    for chain in wire.chains {
      guard chain.certificates.count <= Limits.certificateChain else { throw .overLimit("chain") }
      var certificates: [SignedCertificate] = []
      for certificate in chain.certificates {
        certificates.append(try SignedCertificate(certificate))
      }
      chains.append(certificates)
    }
  }
}

/// Returns whether a number is that of a known set or record kind. Elements with other numbers come
/// from a later version. They are skipped, and the rest of the packet counts.
func isKnown<Code: RawRepresentable<UInt8>>(_ number: UInt32, as: Code.Type) -> Bool {
  guard let code = UInt8(exactly: number), Code(rawValue: code) != nil else { return false }
  return true
}

extension Roots {
  var bytes: [UInt8] { encodedSixteen(hashes) }

  /// Parses the roots, and ignores those of further sets of a later version.
  init(_ bytes: [UInt8]) throws(WireError) {
    hashes = Array(try decodedSixteen(bytes).prefix(SetID.allCases.count))
  }
}

/// Encodes up to sixteen hashes: two bytes that mark the hashes that are not zero, the first one's
/// bit highest, followed by these hashes.
private func encodedSixteen(_ hashes: [UInt64]) -> [UInt8] {
  var writer = ByteWriter()
  let bits = hashes.enumerated().map { $1 == 0 ? 0 : UInt16(0x8000) >> UInt16($0) }
  writer.append(bits.reduce(0, |))
  for hash in hashes where hash != 0 { writer.append(hash) }
  return writer.bytes
}

private func decodedSixteen(_ bytes: [UInt8]) throws(WireError) -> [UInt64] {
  guard bytes.count >= 2 else { throw .malformed("hashes") }
  let mask = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
  guard bytes.count == 2 + 8 * mask.nonzeroBitCount else { throw .malformed("hashes") }
  var present = eightByteWords(Array(bytes.dropFirst(2)))[...]
  return (0..<16).map { mask << UInt16($0) & 0x8000 == 0 ? 0 : present.removeFirst() }
}

/// Encodes eight-byte prefixes of hashes.
func encodedWords(_ words: [UInt64]) -> [UInt8] {
  var writer = ByteWriter()
  for word in words { writer.append(word) }
  return writer.bytes
}

func eightByteWords(_ bytes: [UInt8]) -> [UInt64] {
  stride(from: 0, to: bytes.count - 7, by: 8).map { start in
    bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension LeafHint {
  static let encodedBytes = 28

  static func encoded(_ hints: [LeafHint]) -> [UInt8] {
    var writer = ByteWriter()
    for hint in hints {
      writer.append(hint.key)
      writer.append(hint.number)
      writer.append(hint.hash)
    }
    return writer.bytes
  }

  static func decode(_ bytes: [UInt8]) throws(WireError) -> [LeafHint] {
    guard bytes.count.isMultiple(of: encodedBytes) else { throw .malformed("heads") }
    var reader = ByteReader(bytes)
    var hints: [LeafHint] = []
    do {
      while reader.remaining > 0 {
        hints.append(
          LeafHint(
            key: try reader.bytes16(), number: try reader.integer(UInt32.self),
            hash: try reader.integer(UInt64.self)))
      }
    } catch {
      throw .malformed("heads")
    }
    return hints
  }
}

extension DigestNode {
  fileprivate var wire: WireDigestNode {
    var wire = WireDigestNode()
    wire.set = UInt32(set.rawValue)
    wire.depth = UInt32(prefix.depth)
    wire.prefix = .init(prefix.packed)
    wire.answers = answers
    wire.credit = UInt32(credit)
    switch contents {
    case .children(let hashes): wire.children = .init(encodedSixteen(hashes))
    case .leaves(let leaves):
      wire.isLeaves = true
      wire.leaves = .init(LeafHint.encoded(leaves))
    }
    return wire
  }

  fileprivate init(_ wire: WireDigestNode) throws(WireError) {
    guard let number = UInt8(exactly: wire.set), let set = SetID(rawValue: number),
      wire.depth <= 31,
      let prefix = NibblePrefix(packed: Array(wire.prefix), depth: Int(wire.depth))
    else { throw .malformed("digest node") }
    let contents: Contents
    if wire.isLeaves {
      contents = .leaves(try LeafHint.decode(Array(wire.leaves)))
    } else {
      contents = .children(try decodedSixteen(Array(wire.children)))
    }
    self.init(
      set: set, prefix: prefix, contents: contents, answers: wire.answers,
      credit: Int(min(wire.credit, UInt32(Limits.wantCreditBytes))))
  }
}

extension Acknowledgement {
  fileprivate var wire: WireAck {
    var wire = WireAck()
    wire.largest = largest
    wire.delay = delayMicroseconds
    var (bytes, rest): ([UInt8], UInt128) = ([], ~before)
    if largest < 128 { rest &= 1 << UInt128(largest) - 1 }
    while rest != 0 {
      bytes.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
    wire.missing = .init(bytes)
    wire.held = holdsRuns
    return wire
  }

  fileprivate init(_ wire: WireAck) throws(WireError) {
    guard wire.missing.count <= 16 else { throw .malformed("acknowledgement") }
    let missing = wire.missing.reversed().reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
    self.init(
      largest: wire.largest, delayMicroseconds: wire.delay, before: ~missing,
      holdsRuns: wire.held)
  }
}

extension Want {
  var wire: WireWant {
    var wire = WireWant()
    wire.log = .init(log.bytes)
    wire.from = from
    wire.through = through
    if let set { wire.set = UInt32(set.rawValue) }
    wire.search = isSearch
    return wire
  }

  init(_ wire: WireWant) throws(WireError) {
    guard let log = LogID(bytes: wire.log), wire.from <= wire.through,
      wire.through <= Limits.lastSequence
    else { throw .malformed("want") }
    let set = UInt8(exactly: wire.set).flatMap(SetID.init)
    guard wire.set == 0 || set != nil else { throw .malformed("want") }
    self.init(log: log, from: wire.from, through: wire.through, set: set, isSearch: wire.search)
  }
}

extension Run {
  /// Replaces the epoch of a clear frame that follows a sealed one.
  private static let clear: [UInt8] = [0]

  var wire: WireRun {
    var wire = WireRun()
    wire.log = .init(log.bytes)
    wire.first = first
    if let previous { wire.previous = .init(previous.bytes) }
    if let origin { wire.origin = .init(origin.bytes) }
    wire.covered = .init(DeviceTag.encoded(covered))
    var epoch: EpochID?
    wire.frames = frames.map { frame in
      var wire = WireRunFrame()
      if frame.epoch != epoch { wire.epoch = .init(frame.epoch?.bytes ?? Self.clear) }
      epoch = frame.epoch
      wire.body = .init(frame.body)
      if let signature = frame.signature { wire.signature = .init(signature) }
      if !frame.blobs.isEmpty { wire.blobs = .init(BlobListing.encoded(frame.blobs)) }
      return wire
    }
    return wire
  }

  /// Joins two encoded packets of one run each. Returns nil if the second run does not continue the
  /// first, or if one of them is another kind of packet.
  static func joined(_ first: [UInt8], _ second: [UInt8]) -> [UInt8]? {
    // The joined packet omits a signature, an id and other repeated fields.
    guard first.count + second.count <= packetBytes + 124 else { return nil }
    do {
      let runs = try [first, second].map { try WirePacket(parsing: $0).runs.map { try Run($0) } }
      guard runs.allSatisfy({ $0.count == 1 }) else { return nil }
      var run = runs[0][0]
      let rest = runs[1][0]
      let boundary = run.first + UInt64(run.frames.count)
      guard run.log == rest.log, rest.first == boundary, rest.origin == nil else { return nil }
      if (boundary - 1) % Limits.signatureInterval != 0 {
        run.frames[run.frames.count - 1].signature = nil
      }
      run.frames += rest.frames
      run.covered.formIntersection(rest.covered)
      var packet = Packet()
      packet.runs = [run]
      return packet.encoded()
    } catch {
      return nil
    }
  }

  init(_ wire: WireRun) throws(WireError) {
    guard let log = LogID(bytes: wire.log), wire.first <= Limits.lastSequence,
      !wire.frames.isEmpty, UInt64(wire.frames.count) <= Limits.lastSequence - wire.first + 1
    else { throw .malformed("run") }
    let previous = FrameHash(bytes: wire.previous)
    let origin = LogID(bytes: wire.origin)
    guard wire.previous.isEmpty || previous != nil, wire.origin.isEmpty || origin != nil,
      origin == nil || previous != nil && wire.first > 0
    else { throw .malformed("run") }
    var epoch: EpochID?
    var frames: [RunFrame] = []
    for frame in wire.frames {
      if !frame.epoch.isEmpty {
        epoch = EpochID(bytes: frame.epoch)
        // An epoch of zeros has the same hash as no epoch. A clear frame MUST NOT be accepted as
        // sealed.
        guard epoch.map({ $0.raw != .zero }) ?? (Array(frame.epoch) == Self.clear) else {
          throw .malformed("frame")
        }
      }
      guard frame.signature.isEmpty || frame.signature.count == 64,
        frame.body.count <= Limits.frameBodyBytes
      else { throw .malformed("frame") }
      frames.append(
        RunFrame(
          epoch: epoch, body: Array(frame.body),
          signature: frame.signature.isEmpty ? nil : Array(frame.signature),
          blobs: try Self.blobs(of: frame, isSealed: epoch != nil)))
    }
    self.init(
      log: log, first: wire.first, previous: previous, frames: frames,
      covered: try DeviceTag.decode(Array(wire.covered)), origin: origin)
  }
}

extension Run {
  private static func blobs(
    of frame: WireRunFrame, isSealed: Bool
  ) throws(WireError) -> [BlobListing] {
    guard !frame.blobs.isEmpty else { return [] }
    guard isSealed, frame.body.count <= Limits.listedBodyBytes else { throw .malformed("blobs") }
    do {
      return try BlobListing.decode(Array(frame.blobs))
    } catch {
      throw .malformed("blobs")
    }
  }
}

extension EpochKey {
  var wire: WireEpochKey {
    var wire = WireEpochKey()
    wire.id = .init(id.bytes)
    wire.key = .init(key)
    return wire
  }

  init(_ wire: WireEpochKey) throws(WireError) {
    guard let id = EpochID(bytes: wire.id), wire.key.count == 32 else {
      throw .malformed("epoch key")
    }
    self.init(id: id, key: Array(wire.key))
  }
}
