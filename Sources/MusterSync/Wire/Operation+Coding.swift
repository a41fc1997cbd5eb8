internal import MusterCrypto
public import MusterModel

extension FrameBody {
  /// Returns the plaintext of a frame, or the clear body in the control lane. Writes come last, in
  /// their order, because dots count the operations in the order in which a reader parses them.
  /// Every row is named in full.
  ///
  /// - Parameter place: the position of the writes in the log; nil in the control lane, which has
  ///   no writes.
  public func encoded(writesAt place: WritePosition?) -> [UInt8] {
    switch contents {
    case .operations(let operations):
      var writes = place.map(PackedWrites.init)
      var others: [Operation] = []
      for operation in operations {
        if case .write(let write) = operation {
          writes?.append(write, knowing: RowMentions())
        } else {
          others.append(operation)
        }
      }
      return Self.encoded(
        writtenAt: writtenAt, stamp: stamp, onBehalfOf: onBehalfOf, others: others,
        writes: writes?.bytes ?? [])
    case .part(let index, let count, let content):
      var wire = WireFrameBody()
      wire.writtenAt = writtenAt.milliseconds
      wire.part.index = UInt32(index)
      wire.part.count = UInt32(count)
      wire.part.content = .init(content)
      return wire.bytes
    }
  }

  static func encoded(
    writtenAt: Timestamp, stamp: RecordStamp?, onBehalfOf principal: Principal?,
    others: [Operation], writes: [UInt8]
  ) -> [UInt8] {
    var wire = WireFrameBody()
    wire.writtenAt = writtenAt.milliseconds
    wire.operations = others.map(\.wire)
    wire.writes = .init(writes)
    if let stamp { wire.stamp = stamp.wire }
    if let principal { wire.onBehalfOf = .init(principal.encoded) }
    return wire.bytes
  }

  /// Parses a body that refers to no earlier frame. A write that refers to one becomes `.invalid`.
  /// In the control lane `place` is nil, and writes are ignored.
  public init(decoding bytes: [UInt8], writesAt place: WritePosition?) throws(WireError) {
    self = try Self.read(bytes, writesAt: place) { _, _ in .none }.body
  }

  /// Parses a body. Operations that this version does not know become `.unknown`. Operations that
  /// violate the rules of their kind become `.invalid`. A malformed stamp or principal is
  /// ignored. Throws `WireError` if the body itself is malformed or exceeds a limit.
  ///
  /// - Parameters:
  ///   - place: the position of the writes in the log; nil in the control lane, where they are
  ///     ignored.
  ///   - refer: returns the row that an operation of an earlier frame of the same log names in
  ///     full.
  /// - Returns: the body and the rows that it names in full; nil for the rows if the body needs a
  ///   later version of this program.
  public static func read(
    _ bytes: [UInt8], writesAt place: WritePosition?,
    refer: (_ sequence: UInt64, _ index: UInt16) -> RowReference
  ) throws(WireError) -> (body: FrameBody, named: [NamedRow]?) {
    guard let place, let plain = PlainBody(bytes) else {
      return try read(parsed: try WireFrameBody(parsing: bytes), writesAt: place, refer: refer)
    }
    var reader = PackedWriteReader(bytes, plain.writes, in: place, firstIndex: 0)
    guard try reader.readAll(refer: refer) else {
      return (FrameBody(writtenAt: plain.writtenAt, contents: .operations([.unknown])), nil)
    }
    let body = FrameBody(writtenAt: plain.writtenAt, contents: .operations(reader.operations))
    return (body, reader.named)
  }

  /// Interprets a body of any form that the generated code has parsed.
  static func read(
    parsed wire: WireFrameBody, writesAt place: WritePosition?,
    refer: (UInt64, UInt16) -> RowReference
  ) throws(WireError) -> (body: FrameBody, named: [NamedRow]?) {
    var body = FrameBody(
      writtenAt: Timestamp(milliseconds: wire.writtenAt), contents: .operations([.unknown]),
      onBehalfOf: wire.hasPart ? nil : Principal(decoding: wire.onBehalfOf))
    if wire.hasPart {
      let (index, count) = (Int(wire.part.index), Int(wire.part.count))
      guard (2...Limits.partsPerOperation).contains(count), index < count,
        wire.operations.isEmpty, wire.writes.isEmpty
      else { throw .malformed("part") }
      body.contents = .part(index: index, count: count, content: Array(wire.part.content))
      return (body, [])
    }
    body.stamp = wire.hasStamp ? RecordStamp(wire.stamp) : nil
    guard wire.operations.count <= Limits.operationsPerFrame else {
      throw .overLimit("operations in a frame")
    }
    var operations = wire.operations.map(Operation.init)
    var named: [NamedRow] = []
    if let place {
      let packed = Array(wire.writes)
      var reader = PackedWriteReader(
        packed, packed.indices, in: place, firstIndex: operations.count)
      guard try reader.readAll(refer: refer) else { return (body, nil) }
      operations += reader.operations
      named = reader.named
    }
    guard wire.unknownFields.data.isEmpty else { return (body, nil) }
    body.contents = .operations(operations)
    return (body, named)
  }
}

extension Opening {
  /// Returns the body of frame 0, which is always clear.
  public func encoded() -> [UInt8] {
    var wire = WireOpening()
    wire.certificate = .init(certificate.bytes)
    wire.incarnation = .init(incarnation.bytes)
    wire.generation = generation
    wire.lane = UInt32(lane.rawValue)
    return wire.bytes
  }

  /// Parses an opening. Throws `malformed` for a wrong width, an exceeded limit, or an encoding
  /// that is not canonical. The caller verifies that the frame is in the log that the opening
  /// yields.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    let wire = try WireOpening(parsing: bytes)
    guard let certificate = CertificateHash(bytes: wire.certificate),
      let incarnation = Incarnation(bytes: wire.incarnation),
      (1...Limits.lastGeneration).contains(wire.generation),
      let laneNumber = UInt8(exactly: wire.lane), let lane = Lane(rawValue: laneNumber)
    else { throw .malformed("opening") }
    self.init(
      certificate: certificate, incarnation: incarnation, generation: wire.generation, lane: lane)
    guard encoded() == bytes else { throw .malformed("opening") }
  }
}

extension Operation {
  var wire: WireOperation {
    var wire = WireOperation()
    switch self {
    case .crossing(let crossing): wire.crossing = crossing.wire
    case .trackerCrossing(let crossing, let nonce):
      wire.crossing = crossing.wire
      wire.crossing.tracker = .init(nonce.bytes)
    case .certificate(let signed): wire.certificate = signed.wire
    case .epoch(let epoch):
      wire.epoch.id = .init(epoch.id.bytes)
      wire.epoch.generation = epoch.generation
      if let base = epoch.base { wire.epoch.base = .init(base.bytes) }
      wire.epoch.excludes = epoch.excludes.map { .init($0.bytes) }
      wire.epoch.sealed = epoch.sealed.map { key in
        var sealed = WireSealedKey()
        sealed.device = .init(key.device.bytes)
        sealed.sealed = .init(key.box)
        return sealed
      }
    case .revocation(let revocation): wire.revocation = revocation.wire
    case .release(let release): wire.release = release.wire
    case .uplink(let certificate): wire.uplink.der = .init(certificate.der)
    case .write: preconditionFailure("writes are packed")
    case .invalid, .unknown: preconditionFailure("only a reader meets \(self)")
    }
    return wire
  }

  init(_ wire: WireOperation) {
    guard wire.unknownFields.data.isEmpty else {
      self = .unknown
      return
    }
    switch wire.kind {
    case .crossing(let crossing): self = Operation(crossing)
    case .certificate(let certificate):
      do {
        self = .certificate(try SignedCertificate(certificate))
      } catch {
        self = .invalid
      }
    case .epoch(let epoch): self = EpochAnnouncement(epoch).map(Operation.epoch) ?? .invalid
    case .revocation(let revocation):
      self = Revocation(revocation).map(Operation.revocation) ?? .invalid
    case .release(let release): self = Release(release).map(Operation.release) ?? .invalid
    case .uplink(let uplink):
      self = UplinkCertificate(der: Array(uplink.der)).map(Operation.uplink) ?? .invalid
    case nil: self = .unknown
    }
  }

  private init(_ wire: WireCrossing) {
    guard let crossing = Crossing(wire) else {
      self = .invalid
      return
    }
    guard !wire.tracker.isEmpty else {
      self = .crossing(crossing)
      return
    }
    self = Bytes16(wire.tracker).map { .trackerCrossing(crossing, nonce: $0) } ?? .invalid
  }

  /// The number of bytes that this operation adds to a frame body. It is not a write.
  var encodedSize: Int {
    let size = wire.bytes.count
    return size + (size < 128 ? 2 : size < 16_384 ? 3 : 4)
  }
}

extension EpochAnnouncement {
  init?(_ wire: WireEpoch) {
    guard let id = EpochID(bytes: wire.id), wire.sealed.count <= Limits.sealedEpochKeys,
      wire.excludes.count <= Limits.excludedRevocations
    else {
      return nil
    }
    let excludes = wire.excludes.compactMap { FrameHash(bytes: $0) }
    let sealed = wire.sealed.compactMap { key in
      DeviceID(bytes: key.device).map { SealedEpochKey(device: $0, box: Array(key.sealed)) }
    }
    guard excludes.count == wire.excludes.count, sealed.count == wire.sealed.count else {
      return nil
    }
    let base = EpochID(bytes: wire.base)
    guard wire.base.isEmpty || base != nil else { return nil }
    self.init(
      id: id, generation: wire.generation, base: base, excludes: excludes, sealed: sealed)
  }
}

extension SignedCertificate {
  var wire: WireSignedCertificate {
    var wire = WireSignedCertificate()
    wire.content = .init(content)
    wire.signature = .init(signature.bytes)
    return wire
  }

  init(_ wire: WireSignedCertificate) throws(WireError) {
    try self.init(content: Array(wire.content), signature: Array(wire.signature))
  }
}
