public import MusterModel

/// What a bundle on a memory stick holds, one piece of it: the things that travel on the wire too,
/// in their form there.
public enum Carried: Hashable, Sendable {
  /// Consecutive frames of one log, the last of them signed, with the hashes that their contents
  /// give. Of a strand of a forked log, too, `log` is the log itself: where they belong shows by
  /// what they follow.
  case frames([Frame])
  case records([LatestRecord])
  /// The certificates by which a device proved itself, leaf first, where no control log that is in
  /// the bundle may carry them.
  case chain([SignedCertificate])
  case keys([CarriedKey])
  /// There is no more for now: others may be told.
  case end
}

/// An epoch's key for one device that may have it, and that nobody else can open.
public struct CarriedKey: Hashable, Sendable {
  let epoch: EpochID
  let device: DeviceID
  /// The 32 bytes of the key in a `crypto_box_seal` to the device's agreement key.
  let box: [UInt8]

  static let boxBytes = 80
  static let encodedBytes = 16 + 16 + boxBytes
}

/// What came of something carried that the engine did not ask to be stored.
public enum CarriedResult: Hashable, Sendable {
  /// So many frames are held already.
  case knownFrames(Int)
  case refusedFrames(BundleRefusal, Int)
  case knownRecord
  case refusedRecord(BundleRefusal)
  /// A chain that does not end at the root.
  case refusedChain
}

extension Carried {
  /// What stands before the content: append-only, listed in docs/wire.md.
  private enum Kind: UInt8 {
    case end = 0
    case packet = 1
    case chain = 2
    case keys = 3
  }

  /// The plaintext of one piece of the file. Frames and records MUST fit
  /// `BundleForm.largestPieceBytes`.
  func encoded() -> [UInt8] {
    switch self {
    case .frames(let frames):
      var packet = Packet()
      // It says what it follows, so that it can be filed whatever is held of its log.
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
    case .end: return [Kind.end.rawValue]
    }
  }

  /// What a piece says; nothing, where a later version says what this one does not know.
  static func decode(
    _ plaintext: [UInt8], operation: OperationID
  ) throws(WireError) -> [Carried] {
    guard let first = plaintext.first else { throw .malformed("piece") }
    let content = Array(plaintext.dropFirst())
    switch Kind(rawValue: first) {
    case nil: return []
    case .end: return [.end]
    case .packet:
      let packet = try Packet(decoding: content, operation: operation)
      var carried: [Carried] = []
      for run in packet.runs { carried.append(.frames(try run.frames(operation: operation))) }
      if !packet.records.isEmpty { carried.append(.records(packet.records)) }
      return carried
    case .chain:
      guard case .chain(let chain) = try HandshakePayload.decode(content).payload else {
        throw .malformed("chain")
      }
      return [.chain(chain)]
    case .keys: return [.keys(try keys(in: content))]
    }
  }

  private static func keys(in bytes: [UInt8]) throws(WireError) -> [CarriedKey] {
    guard bytes.count.isMultiple(of: CarriedKey.encodedBytes) else { throw .malformed("keys") }
    var reader = ByteReader(bytes)
    var keys: [CarriedKey] = []
    do {
      while reader.remaining > 0 {
        keys.append(
          CarriedKey(
            epoch: try reader.identifier(EpochID.self),
            device: try reader.identifier(DeviceID.self),
            box: try reader.fixed(CarriedKey.boxBytes)))
      }
    } catch {
      throw .malformed("keys")
    }
    return keys
  }
}

extension Run {
  /// The frames, with the hashes that their contents give.
  fileprivate func frames(operation: OperationID) throws(WireError) -> [Frame] {
    guard origin == nil, (previous == nil) == (first == 0) else { throw .malformed("run") }
    var chain: [Frame] = []
    var before = previous ?? .none
    for (sequence, part) in zip(first..., frames) {
      var frame = Frame(
        log: log, sequence: sequence, previous: before, epoch: part.epoch, body: part.body,
        hash: .none, signature: part.signature)
      frame.hash = frame.computedHash(operation: operation)
      before = frame.hash
      chain.append(frame)
    }
    return chain
  }
}
