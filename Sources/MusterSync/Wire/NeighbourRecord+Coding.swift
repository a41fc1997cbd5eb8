public import MusterCrypto
public import MusterModel

/// The encoding of a neighbour record: its time (8 bytes), then eight bytes for each neighbour.
extension NeighbourRecord {
  private static let headBytes = 8
  private static let neighbourBytes = 8
  /// The low bits of a neighbour's last two bytes, which contain the minutes; the bits above them
  /// contain the path.
  private static let minuteBits = 14

  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.append(sentAt.milliseconds)
    for neighbour in neighbours {
      writer.append(UInt16(truncatingIfNeeded: neighbour.device.raw >> 32))
      writer.append(UInt32(truncatingIfNeeded: neighbour.device.raw))
      writer.append(UInt16(neighbour.path.rawValue) << Self.minuteBits | neighbour.minutes)
    }
    return writer.bytes
  }

  /// Parses the plaintext. Skips neighbours whose path is unknown to this version. Throws
  /// `malformed` for a wrong length, or if the neighbours are not in ascending order.
  init(decoding bytes: [UInt8]) throws(WireError) {
    guard Self.isLength(bytes.count) else { throw .malformed("length of a neighbourhood") }
    do {
      var reader = ByteReader(bytes)
      let sentAt = Timestamp(milliseconds: try reader.integer(Int64.self))
      var neighbours: [Neighbour] = []
      var last: DevicePrefix?
      while reader.remaining > 0 {
        let high = UInt64(try reader.integer(UInt16.self))
        let low = UInt64(try reader.integer(UInt32.self))
        let word = try reader.integer(UInt16.self)
        guard let device = DevicePrefix(raw: high << 32 | low), last.map({ $0 < device }) ?? true
        else { throw DecodingFault.invalid("order of neighbours") }
        last = device
        guard let path = NeighbourPath(rawValue: UInt8(word >> UInt16(Self.minuteBits))) else {
          continue
        }
        neighbours.append(
          Neighbour(device: device, path: path, minutes: word & Neighbour.mostMinutes))
      }
      self.init(sentAt: sentAt, neighbours: neighbours)
    } catch {
      throw .malformed("neighbourhood")
    }
  }

  /// Returns whether a plaintext of so many bytes is valid.
  private static func isLength(_ count: Int) -> Bool {
    count >= headBytes && (count - headBytes).isMultiple(of: neighbourBytes)
      && (count - headBytes) / neighbourBytes <= Limits.neighbours
  }

  /// Returns whether a sealed body of so many bytes is valid.
  static func isSealedLength(_ count: Int) -> Bool { isLength(count - Limits.sealOverheadBytes) }
}

extension LatestRecord {
  /// Seals and signs the neighbours that this device receives from. `nonce` MUST be fresh, and
  /// `order` greater than every order that this incarnation has used.
  public static func neighbours(
    _ neighbourhood: NeighbourRecord, operation: OperationID, certificate: CertificateHash,
    order: RecordOrder, epoch: EpochID, key: SealingKey, nonce: Nonce24,
    signedBy signer: SigningKey
  ) -> LatestRecord {
    let body = key.sealBody(
      neighbourhood.encoded(), drawn: nonce,
      additionalData: additionalData(
        operation: operation, kind: .neighbours, certificate: certificate, order: order,
        epoch: epoch))
    return LatestRecord(
      topic: RecordTopic(operation: operation, certificate: certificate, kind: .neighbours),
      kind: .neighbours, certificate: certificate, order: order, epoch: epoch, body: body,
      signature: []
    ).signed(by: signer, operation: operation)
  }

  /// Decrypts the neighbour record. Returns nil for other kinds, for another epoch's key, and for
  /// malformed content.
  public func neighbourhood(operation: OperationID, key: SealingKey) -> NeighbourRecord? {
    guard kind == .neighbours,
      let plaintext = key.openBody(body, additionalData: additionalData(operation: operation))
    else { return nil }
    do {
      return try NeighbourRecord(decoding: plaintext)
    } catch {
      return nil
    }
  }
}
