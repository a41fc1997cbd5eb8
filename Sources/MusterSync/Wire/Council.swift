public import MusterCrypto
public import MusterModel

/// The commanders who decide by majority which of them is revoked.
///
/// A council counts if the root key signed it, or if more than half of the members of its parent,
/// which counts, endorse it. Its members are revoked by the root key or by their votes only.
public struct Council: Hashable, Sendable {
  /// A council counts in this operation only.
  public let operation: OperationID
  /// The council whose members endorse this one; `.root` where the root key signs it.
  public let parent: CouncilHash
  /// Of the councils that the root key signed, those of the greatest serial replace the others. A
  /// child has its parent's.
  public let serial: UInt32
  /// The members' certificates, one for each user, in ascending order.
  public let members: [CertificateHash]
  /// Devices that earlier councils revoked and that stay revoked, in ascending order. Empty in a
  /// child, which replaces nothing.
  public let stays: [DeviceID]

  /// Nil where a number of members or devices is out of bounds, or one is named twice.
  public init?(
    operation: OperationID, parent: CouncilHash, serial: UInt32, members: [CertificateHash],
    stays: [DeviceID] = []
  ) {
    guard Limits.councilMembers.contains(members.count), Set(members).count == members.count,
      !members.contains(.root), stays.count <= Limits.councilStays,
      Set(stays).count == stays.count, parent == .root || stays.isEmpty
    else { return nil }
    self.operation = operation
    self.parent = parent
    self.serial = serial
    self.members = members.sorted()
    self.stays = stays.sorted()
  }

  /// More than half of the members: so many voices revoke a device or endorse a child.
  public var quorum: Int { members.count / 2 + 1 }

  /// BLAKE2b-256 of the content.
  public var hash: CouncilHash { CouncilHash(raw: Blake2b.hash256(content)) }

  /// tag ‖ operation ‖ parent ‖ serial ‖ count ‖ members ‖ count ‖ stays
  var content: [UInt8] {
    var writer = ByteWriter()
    writer.append(fixed: Tag.council)
    writer.append(operation)
    writer.append(parent)
    writer.append(serial)
    writer.append(UInt8(members.count))
    for member in members { writer.append(member) }
    writer.append(UInt8(stays.count))
    for device in stays { writer.append(device) }
    return writer.bytes
  }

  init(reading reader: inout ByteReader) throws(DecodingFault) {
    guard try reader.fixed(Tag.council.count) == Tag.council else { throw .invalid("tag") }
    let operation = try reader.identifier(OperationID.self)
    let parent = CouncilHash(raw: try reader.bytes32())
    let serial = try reader.integer(UInt32.self)
    var members: [CertificateHash] = []
    for _ in 0..<(try reader.integer(UInt8.self)) {
      members.append(CertificateHash(raw: try reader.bytes32()))
    }
    var stays: [DeviceID] = []
    for _ in 0..<(try reader.integer(UInt8.self)) {
      stays.append(try reader.identifier(DeviceID.self))
    }
    let council = Council(
      operation: operation, parent: parent, serial: serial, members: members, stays: stays)
    guard let council, council.members == members, council.stays == stays else {
      throw .invalid("council")
    }
    self = council
  }
}

/// A council as the root key signed it, or as a member of its parent endorses it.
///
/// Each endorsement carries the whole council with its members' certificates, so that these are
/// available as long as one endorsement is, and count whatever becomes of their issuers.
public struct Endorsement: Hashable, Sendable {
  /// What is endorsed.
  public let council: Council
  /// The certificate of the member of `council.parent` who signed; `.root` for the root key.
  public let signer: CertificateHash
  /// Ed25519 over tag ‖ signer ‖ content of the council.
  public let signature: Signature
  /// The certificates of the members and of the signer, with those of their issuers.
  public let certificates: CarriedCertificates
  /// The council's.
  public let hash: CouncilHash
  /// BLAKE2b-256 of `identity`.
  public let id: Bytes32

  /// Signs: `key` MUST be the key that `signer` names.
  ///
  /// - Parameter chains: of the members and the signer, leaf first.
  public init(
    _ council: Council, by signer: CertificateHash, signedBy key: SigningKey,
    chains: [[SignedCertificate]]
  ) {
    self.council = council
    self.signer = signer
    signature = key.sign(Self.signed(council, signer))
    certificates = CarriedCertificates(chains)
    hash = council.hash
    id = Blake2b.hash256(Self.identity(council, signer, signature))
  }

  /// Parses; signatures are not checked here.
  public init(content: [UInt8]) throws(WireError) {
    do {
      var reader = ByteReader(content)
      signer = CertificateHash(raw: try reader.bytes32())
      guard let signature = Signature(bytes: try reader.fixed(Signature.byteCount)) else {
        throw DecodingFault.invalid("signature")
      }
      self.signature = signature
      council = try Council(reading: &reader)
      certificates = try CarriedCertificates(reading: &reader)
      try reader.expectEnd()
    } catch {
      throw .malformed("council")
    }
    guard (signer == .root) == (council.parent == .root) else { throw .malformed("council") }
    hash = council.hash
    id = Blake2b.hash256(Self.identity(council, signer, signature))
  }

  /// identity ‖ carried certificates
  public var content: [UInt8] { identity + certificates.content }

  /// signer ‖ signature ‖ content of the council
  public var identity: [UInt8] { Self.identity(council, signer, signature) }

  private static func identity(
    _ council: Council, _ signer: CertificateHash, _ signature: Signature
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(signer)
    writer.append(fixed: signature.bytes)
    writer.append(fixed: council.content)
    return writer.bytes
  }

  private static func signed(_ council: Council, _ signer: CertificateHash) -> [UInt8] {
    Tag.endorsement + signer.bytes + council.content
  }

  /// Whether it and the certificates that it carries are signed as they should be, and its members
  /// are as many users.
  public func holds(operation: OperationID, rootKey: VerifyingKey) -> Bool {
    guard council.operation == operation,
      certificates.hold(operation: operation, rootKey: rootKey)
    else { return false }
    let users = council.members.compactMap { certificates[$0]?.certificate.user }
    guard users.count == council.members.count, Set(users).count == users.count else {
      return false
    }
    let key = signer == .root ? rootKey : certificates[signer]?.certificate.signingKey
    return key.map { $0.isValid(signature, for: Self.signed(council, signer)) } ?? false
  }
}
