public import MusterCrypto
public import MusterModel

/// One member's decision, in one council, that a member's device is revoked.
///
/// It revokes once a majority of the council has voted so. It is never withdrawn: a further vote of
/// the same member about the same device can only exclude more.
public struct Vote: Hashable, Sendable {
  /// A vote counts in this operation only.
  public let operation: OperationID
  /// The council in which it is cast, and which lists the voter and the device.
  public let council: CouncilHash
  /// The voter's certificate.
  public let voter: CertificateHash
  /// The device to revoke, the last frames of its logs that count, and the certificates that it
  /// issued which still count.
  public let revocation: Revocation

  /// `revocation.keeps` MUST be present.
  public init(
    operation: OperationID, council: CouncilHash, voter: CertificateHash, revocation: Revocation
  ) {
    precondition(revocation.keeps != nil, "a vote names the certificates that it keeps")
    self.operation = operation
    self.council = council
    self.voter = voter
    self.revocation = revocation
  }

  /// Whose frames are excluded past the cuts.
  public var device: DeviceID { revocation.device }

  /// tag ‖ operation ‖ council ‖ voter ‖ device ‖ count ‖ cuts ‖ count ‖ kept certificates
  var content: [UInt8] {
    var writer = ByteWriter()
    writer.append(fixed: Tag.vote)
    writer.append(operation)
    writer.append(council)
    writer.append(voter)
    writer.append(revocation.device)
    writer.append(UInt16(revocation.cuts.count))
    for cut in revocation.cuts {
      writer.append(cut.log)
      writer.append(UInt32(cut.sequence))
      writer.append(cut.hash)
    }
    let keeps = revocation.keeps ?? []
    writer.append(UInt16(keeps.count))
    for certificate in keeps { writer.append(certificate) }
    return writer.bytes
  }

  init(reading reader: inout ByteReader) throws(DecodingFault) {
    guard try reader.fixed(Tag.vote.count) == Tag.vote else { throw .invalid("tag") }
    let operation = try reader.identifier(OperationID.self)
    let council = CouncilHash(raw: try reader.bytes32())
    let voter = CertificateHash(raw: try reader.bytes32())
    let device = try reader.identifier(DeviceID.self)
    var cuts: [Head] = []
    for _ in 0..<(try reader.integer(UInt16.self)) {
      let log = try reader.identifier(LogID.self)
      let sequence = UInt64(try reader.integer(UInt32.self))
      let head = Head(
        log: log, sequence: sequence, hash: FrameHash(raw: try reader.bytes32()))
      guard cuts.last.map({ $0.isBefore(head) }) ?? true else { throw .invalid("cuts") }
      cuts.append(head)
    }
    var keeps: [CertificateHash] = []
    for _ in 0..<(try reader.integer(UInt16.self)) {
      let hash = CertificateHash(raw: try reader.bytes32())
      guard keeps.last.map({ $0 < hash }) ?? true else { throw .invalid("kept certificates") }
      keeps.append(hash)
    }
    guard cuts.count <= Limits.cutsPerVote, keeps.count <= Limits.keptCertificates else {
      throw .invalid("count")
    }
    self.init(
      operation: operation, council: council, voter: voter,
      revocation: Revocation(device: device, cuts: cuts, keeps: keeps))
  }
}

/// A vote with its voter's signature and certificates.
public struct SignedVote: Hashable, Sendable {
  /// What was signed.
  public let vote: Vote
  /// Ed25519 over the vote's content, by the voter.
  public let signature: Signature
  /// The voter's, with those of its issuers.
  public let certificates: CarriedCertificates
  /// BLAKE2b-256 of `identity`: of several votes of one member, the lowest are kept.
  public let id: Bytes32

  /// Signs: `key` MUST be the key of the voter's certificate.
  ///
  /// - Parameter chain: the voter's, leaf first.
  public init(_ vote: Vote, signedBy key: SigningKey, chain: [SignedCertificate]) {
    self.vote = vote
    let content = vote.content
    signature = key.sign(content)
    certificates = CarriedCertificates([chain])
    id = Blake2b.hash256(signature.bytes, content)
  }

  /// Parses; signatures are not checked here.
  public init(content: [UInt8]) throws(WireError) {
    do {
      var reader = ByteReader(content)
      guard let signature = Signature(bytes: try reader.fixed(Signature.byteCount)) else {
        throw DecodingFault.invalid("signature")
      }
      self.signature = signature
      vote = try Vote(reading: &reader)
      certificates = try CarriedCertificates(reading: &reader)
      try reader.expectEnd()
    } catch {
      throw .malformed("vote")
    }
    id = Blake2b.hash256(signature.bytes, vote.content)
  }

  /// identity ‖ carried certificates
  public var content: [UInt8] { identity + certificates.content }

  /// signature ‖ content of the vote
  public var identity: [UInt8] { signature.bytes + vote.content }

  /// Whether it and the certificates that it carries are signed as they should be.
  public func holds(operation: OperationID, rootKey: VerifyingKey) -> Bool {
    guard vote.operation == operation,
      certificates.hold(operation: operation, rootKey: rootKey),
      let voter = certificates[vote.voter]
    else { return false }
    return voter.certificate.signingKey.isValid(signature, for: vote.content)
  }
}

extension FrameHash {
  /// What an epoch names in order to exclude a device that a council revoked, in place of a frame
  /// that revokes it.
  public init(votedBy council: CouncilHash, against device: DeviceID) {
    self.init(raw: Blake2b.hash256(Tag.voted, council.bytes, device.bytes))
  }
}
