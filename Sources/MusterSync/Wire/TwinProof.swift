public import MusterModel

internal import MusterCrypto

/// A proof that the key of a certificate signed two different records with one order, which no
/// program does: a modified one, or two copies of the key.
///
/// It holds what the signatures are over, which of a body is its hash, so it reveals nothing of the
/// records and has one size.
public struct TwinProof: Hashable, Sendable {
  /// The certificate and those of its issuers, leaf first.
  public let chain: [SignedCertificate]
  /// The kind of both records.
  public let kind: RecordKind
  /// The order of both records.
  public let order: RecordOrder
  /// What differs, ascending.
  let twins: [Twin]

  /// What differs between two records of one kind and order.
  struct Twin: Hashable, Comparable, Sendable {
    let epoch: EpochID
    let body: Bytes32
    let signature: [UInt8]

    init(epoch: EpochID, body: Bytes32, signature: [UInt8]) {
      (self.epoch, self.body, self.signature) = (epoch, body, signature)
    }

    static func < (left: Twin, right: Twin) -> Bool {
      (left.epoch.raw, left.body) < (right.epoch.raw, right.body)
    }
  }

  /// The certificate whose key signed both.
  public var certificate: CertificateHash { chain[0].hash }

  /// Returns nil unless both have one certificate, kind and order, and another content.
  ///
  /// - Parameter chain: of the certificate, leaf first, not empty.
  public init?(_ records: [LatestRecord], chain: [SignedCertificate]) {
    guard records.count == 2, records[0].certificate == records[1].certificate,
      chain.first?.hash == records[0].certificate, records[0].kind == records[1].kind,
      records[0].order == records[1].order
    else { return nil }
    self.init(
      chain: chain, kind: records[0].kind, order: records[0].order,
      twins: records.map {
        Twin(epoch: $0.epoch, body: Blake2b.hash256($0.body), signature: $0.signature)
      }.sorted())
  }

  /// Returns nil unless the contents differ and ascend.
  private init?(
    chain: [SignedCertificate], kind: RecordKind, order: RecordOrder, twins: [Twin]
  ) {
    guard twins[0] < twins[1] else { return nil }
    (self.chain, self.kind, self.order, self.twins) = (chain, kind, order, twins)
  }

  /// Whether every signature holds, up to the root key.
  func holds(operation: OperationID, rootKey: VerifyingKey) -> Bool {
    guard let proved = CertificateChain(chain, operation: operation, rootKey: rootKey) else {
      return false
    }
    let key = proved.leaf.certificate.signingKey
    return twins.allSatisfy { twin in
      let signed = LatestRecord.signedHash(
        LatestRecord.additionalData(
          operation: operation, kind: kind, certificate: certificate, order: order,
          epoch: twin.epoch), bodyHash: twin.body)
      return Signature(bytes: twin.signature).map { key.isValid($0, for: signed.bytes) } ?? false
    }
  }

  // MARK: Encoding

  /// What it proves: one proof for each certificate is enough.
  var identity: [UInt8] { certificate.bytes }

  /// chain ‖ kind ‖ order ‖ epoch, body hash and signature of each
  var content: [UInt8] {
    var writer = ByteWriter()
    writer.append(chain: chain)
    writer.append(kind.rawValue)
    writer.append(order)
    for twin in twins {
      writer.append(twin.epoch)
      writer.append(twin.body)
      writer.append(fixed: twin.signature)
    }
    return writer.bytes
  }

  init(content: [UInt8]) throws(WireError) {
    do {
      var reader = ByteReader(content)
      let chain = try reader.chain()
      guard !chain.isEmpty, let kind = RecordKind(rawValue: try reader.integer(UInt8.self)) else {
        throw WireError.malformed("twin proof")
      }
      let order = RecordOrder(
        generation: try reader.integer(UInt32.self),
        incarnation: try reader.identifier(Incarnation.self),
        counter: try reader.integer(UInt64.self))
      var twins: [Twin] = []
      for _ in 0..<2 {
        twins.append(
          Twin(
            epoch: try reader.identifier(EpochID.self), body: try reader.bytes32(),
            signature: try reader.fixed(Signature.byteCount)))
      }
      try reader.expectEnd()
      guard let proof = TwinProof(chain: chain, kind: kind, order: order, twins: twins) else {
        throw WireError.malformed("twin proof")
      }
      self = proof
    } catch let error as WireError {
      throw error
    } catch {
      throw .malformed("twin proof")
    }
  }
}
