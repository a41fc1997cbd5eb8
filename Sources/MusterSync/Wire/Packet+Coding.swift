internal import MusterModel

extension Packet {
  func encoded() -> [UInt8] { wire.bytes }

  var wire: WirePacket {
    var wire = WirePacket()
    wire.digest = digest.map(\.wire)
    wire.wants = wants.map(\.wire)
    wire.runs = runs.map(\.wire)
    wire.records = records.map(\.wire)
    wire.recordWants = recordWants.map { .init($0.bytes) }
    wire.keyRequests = keyRequests.map { .init($0.bytes) }
    wire.keys = keys.map(\.wire)
    if let joinAnswer { wire.join = joinAnswer.wire }
    if let roots { wire.roots = .init(roots.bytes) }
    wire.heads = heads.map { .init(LeafHint.encoded([$0])) }
    if let acknowledgement { wire.ack = acknowledgement.wire }
    wire.answer = answer
    wire.peers = peers.map(\.wire)
    wire.pushed = pushed.map(\.wire)
    return wire
  }

  init(decoding bytes: [UInt8], operation: OperationID) throws(WireError) {
    let wire = try WirePacket(parsing: bytes)
    for node in wire.digest where isKnown(node.set, as: SetID.self) {
      digest.append(try DigestNode(node))
    }
    for want in wire.wants { wants.append(try Want(want)) }
    for run in wire.runs { runs.append(try Run(run)) }
    for record in wire.records where isKnown(record.kind, as: RecordKind.self) {
      records.append(try LatestRecord(record, operation: operation))
    }
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
    for hint in wire.heads { heads += try LeafHint.decode(Array(hint)) }
    if wire.hasAck { acknowledgement = try Acknowledgement(wire.ack) }
    answer = wire.answer
    for peer in wire.peers { peers.append(try PeerAddress(peer)) }
    for push in wire.pushed where isKnown(push.record.kind, as: RecordKind.self) {
      pushed.append(
        PushedRecord(
          record: try LatestRecord(push.record, operation: operation),
          covered: try DeviceTag.decode(Array(push.covered))))
    }
  }
}

/// A later version may have more sets and more kinds of record: those are passed over, so that what
/// else the packet says still counts.
func isKnown<Code: RawRepresentable<UInt8>>(_ number: UInt32, as: Code.Type) -> Bool {
  guard let code = UInt8(exactly: number), Code(rawValue: code) != nil else { return false }
  return true
}

extension Roots {
  var bytes: [UInt8] {
    var writer = ByteWriter()
    for hash in hashes { writer.append(hash) }
    return writer.bytes
  }

  /// A later version may know more sets: what is beyond ours is passed over.
  init(_ bytes: [UInt8]) throws(WireError) {
    guard bytes.count >= SetID.allCases.count * 8, bytes.count.isMultiple(of: 8) else {
      throw .malformed("roots")
    }
    hashes = eightByteWords(Array(bytes.prefix(SetID.allCases.count * 8)))
  }
}

private func eightByteWords(_ bytes: [UInt8]) -> [UInt64] {
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
    case .children(let hashes): wire.children = .init(Roots(hashes: hashes).bytes)
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
      guard wire.children.count == 128 else { throw .malformed("digest children") }
      contents = .children(eightByteWords(Array(wire.children)))
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
    var (bytes, rest): ([UInt8], UInt128) = ([], before)
    while rest != 0 {
      bytes.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
    wire.received = .init(bytes)
    return wire
  }

  fileprivate init(_ wire: WireAck) throws(WireError) {
    guard wire.received.count <= 16 else { throw .malformed("acknowledgement") }
    let before = wire.received.reversed().reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
    self.init(largest: wire.largest, delayMicroseconds: wire.delay, before: before)
  }
}

extension Want {
  fileprivate var wire: WireWant {
    var wire = WireWant()
    wire.log = .init(log.bytes)
    wire.from = from
    wire.through = through
    if let set { wire.set = UInt32(set.rawValue) }
    if let tip { wire.tip = .init(tip.bytes) }
    return wire
  }

  fileprivate init(_ wire: WireWant) throws(WireError) {
    guard let log = LogID(bytes: wire.log), wire.from <= wire.through,
      wire.through <= Limits.lastSequence
    else { throw .malformed("want") }
    var tip: FrameHash?
    if !wire.tip.isEmpty {
      guard let hash = FrameHash(bytes: wire.tip) else { throw .malformed("want") }
      tip = hash
    }
    let set = UInt8(exactly: wire.set).flatMap(SetID.init)
    guard wire.set == 0 || set != nil else { throw .malformed("want") }
    self.init(log: log, from: wire.from, through: wire.through, set: set, tip: tip)
  }
}

extension Run {
  var wire: WireRun {
    var wire = WireRun()
    wire.log = .init(log.bytes)
    wire.first = first
    if let previous { wire.previous = .init(previous.bytes) }
    wire.covered = .init(DeviceTag.encoded(covered))
    wire.frames = frames.map { frame in
      var wire = WireRunFrame()
      if let epoch = frame.epoch { wire.epoch = .init(epoch.bytes) }
      wire.body = .init(frame.body)
      if let signature = frame.signature { wire.signature = .init(signature) }
      return wire
    }
    return wire
  }

  init(_ wire: WireRun) throws(WireError) {
    guard let log = LogID(bytes: wire.log), wire.first <= Limits.lastSequence,
      !wire.frames.isEmpty, UInt64(wire.frames.count) <= Limits.lastSequence - wire.first + 1
    else { throw .malformed("run") }
    var previous: FrameHash?
    if !wire.previous.isEmpty {
      guard let hash = FrameHash(bytes: wire.previous) else { throw .malformed("run") }
      previous = hash
    }
    var frames: [RunFrame] = []
    for frame in wire.frames {
      // An epoch of zeros would hash like none: a clear frame must not pass for a sealed one.
      guard frame.epoch.isEmpty || (frame.epoch.count == 16 && frame.epoch.contains { $0 != 0 }),
        frame.signature.isEmpty || frame.signature.count == 64,
        frame.body.count <= Limits.frameBodyBytes
      else { throw .malformed("frame") }
      frames.append(
        RunFrame(
          epoch: EpochID(bytes: frame.epoch), body: Array(frame.body),
          signature: frame.signature.isEmpty ? nil : Array(frame.signature)))
    }
    self.init(
      log: log, first: wire.first, previous: previous, frames: frames,
      covered: try DeviceTag.decode(Array(wire.covered)))
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
