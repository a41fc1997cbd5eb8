public import MusterModel

/// The content of one piece of a bundle: data that peers also exchange, in the same encoding.
public enum BundleItem: Hashable, Sendable {
  /// Consecutive frames of one log with their computed hashes; the last one is signed. For a strand
  /// of a forked log, `log` is the log itself, and the frame that the first one follows determines
  /// the strand.
  case frames([Frame])
  case records([LatestRecord])
  /// The certificate chain with which a device authenticated itself, leaf first. Needed if no
  /// control log in the bundle contains these certificates.
  case chain([SignedCertificate])
  case keys([BundledKey])
  /// Membership evidence, which carries the certificates that prove it.
  case evidence(EvidenceItem)
  /// A unit of a blob, unverified: the frame that lists the blob comes before it.
  case unit(BlobUnit)
  /// The end mark: peers can now be informed of the new data.
  case end
}

/// An epoch key, sealed to one device that is entitled to it.
public struct BundledKey: Hashable, Sendable {
  package let epoch: EpochID
  package let device: DeviceID
  /// The 32-byte key in a `crypto_box_seal` to the agreement key of the device.
  package let box: [UInt8]

  package static let boxBytes = 80

  package init(epoch: EpochID, device: DeviceID, box: [UInt8]) {
    self.epoch = epoch
    self.device = device
    self.box = box
  }

  static let encodedBytes = 16 + 16 + boxBytes
}

/// The result for carried data that the engine did not pass on to be stored.
public enum BundleItemResult: Hashable, Sendable {
  /// The number of frames that are stored already.
  case knownFrames(Int)
  case refusedFrames(BundleRefusal, Int)
  case knownRecord
  case refusedRecord(BundleRefusal)
  /// A chain that is not valid, or evidence with an invalid signature.
  case refusedChain
  /// A unit of a photo that is stored already, or is not fetched here.
  case knownUnit
  case refusedUnit(BundleRefusal)
}

extension BundleItem {
  /// The first byte of a piece. Numbers are append-only and listed in docs/wire.md.
  private enum Kind: UInt8 {
    case end = 0
    case packet = 1
    case chain = 2
    case keys = 3
    case evidence = 4
    case unit = 5
  }

  /// Returns the plaintext of one piece. Frames and records MUST fit
  /// `BundleForm.largestPieceBytes`.
  func encoded() -> [UInt8] {
    switch self {
    case .frames(let frames):
      var packet = Packet()
      // The run has its previous hash, so that a reader can store it whatever it has of the log.
      packet.runs = [Run(frames, of: frames[0].log, after: frames[0].previous)]
      return [Kind.packet.rawValue] + packet.encoded()
    case .records(let records):
      var packet = Packet()
      packet.records = records
      return [Kind.packet.rawValue] + packet.encoded()
    case .chain(let certificates):
      return [Kind.chain.rawValue] + HandshakePayload.chain(certificates).encoded(rules: .unstated)
    case .keys(let keys):
      var writer = ByteWriter()
      writer.append(Kind.keys.rawValue)
      for key in keys {
        writer.append(key.epoch)
        writer.append(key.device)
        writer.append(fixed: key.box)
      }
      return writer.bytes
    case .evidence(let item):
      return [Kind.evidence.rawValue, item.kind.rawValue] + item.content
    case .unit(let unit): return [Kind.unit.rawValue] + unit.encoded()
    case .end: return [Kind.end.rawValue]
    }
  }

  /// Parses the plaintext of a piece. Returns an empty list for a kind of a later version.
  static func decode(
    _ plaintext: [UInt8], operation: OperationID
  ) throws(WireError) -> [BundleItem] {
    guard let first = plaintext.first else { throw .malformed("piece") }
    let content = Array(plaintext.dropFirst())
    switch Kind(rawValue: first) {
    case nil: return []
    case .end: return [.end]
    case .packet:
      let packet = try Packet(decoding: content, operation: operation)
      var carried: [BundleItem] = []
      for run in packet.runs { carried.append(.frames(try run.frames(operation: operation))) }
      if !packet.records.isEmpty { carried.append(.records(packet.records)) }
      return carried
    case .chain:
      guard case .chain(let chain) = try HandshakePayload.decode(content).payload else {
        throw .malformed("chain")
      }
      return [.chain(chain)]
    case .keys: return [.keys(try keys(in: content))]
    case .unit: return [.unit(try BlobUnit(decoding: content))]
    case .evidence:
      guard let kind = content.first.flatMap(EvidenceKind.init) else { return [] }
      let item = try EvidenceItem(
        kind: kind, content: Array(content.dropFirst()), operation: operation)
      return [.evidence(item)]
    }
  }

  private static func keys(in bytes: [UInt8]) throws(WireError) -> [BundledKey] {
    guard bytes.count.isMultiple(of: BundledKey.encodedBytes) else { throw .malformed("keys") }
    var reader = ByteReader(bytes)
    var keys: [BundledKey] = []
    do {
      while reader.remaining > 0 {
        keys.append(
          BundledKey(
            epoch: try reader.identifier(EpochID.self),
            device: try reader.identifier(DeviceID.self),
            box: try reader.fixed(BundledKey.boxBytes)))
      }
    } catch {
      throw .malformed("keys")
    }
    return keys
  }
}

extension Run {
  /// Returns the frames with their computed hashes. Throws `malformed` for a run with an origin, or
  /// without a previous hash where one is required.
  fileprivate func frames(operation: OperationID) throws(WireError) -> [Frame] {
    guard origin == nil, (previous == nil) == (first == 0) else { throw .malformed("run") }
    var chain: [Frame] = []
    chain.reserveCapacity(frames.count)
    var before = previous ?? .none
    for (sequence, part) in zip(first..., frames) {
      var frame = Frame(
        log: log, sequence: sequence, previous: before, epoch: part.epoch, body: part.body,
        hash: .none, signature: part.signature)
      frame.blobs = part.blobs
      frame.hash = frame.computedHash(operation: operation)
      before = frame.hash
      chain.append(frame)
    }
    return chain
  }
}

extension BlobUnit {
  /// Address, length, number, the hashes of the path, and the bytes.
  func encoded() -> [UInt8] {
    var writer = ByteWriter(reservingCapacity: bytes.count + 512)
    writer.append(blob)
    writer.append(UInt32(length))
    writer.append(UInt16(number))
    writer.append(UInt8(path.count))
    for hash in path { writer.append(hash) }
    writer.append(fixed: bytes)
    return writer.bytes
  }

  /// Parses a unit, which is verified when its blob is known.
  init(decoding bytes: [UInt8]) throws(WireError) {
    do {
      var reader = ByteReader(bytes)
      let blob = try reader.identifier(BlobID.self)
      let length = Int(try reader.integer(UInt32.self))
      let number = Int(try reader.integer(UInt16.self))
      var path: [Bytes32] = []
      for _ in 0..<(try reader.integer(UInt8.self)) { path.append(try reader.bytes32()) }
      self.init(
        blob: blob, length: length, number: number, path: path,
        bytes: try reader.fixed(reader.remaining))
    } catch {
      throw .malformed("unit")
    }
  }
}
