public import MusterCrypto
public import MusterModel

/// Binds a user to a device's two keys and a role, signed by the root or by a `command` device.
/// It only ever grants; what it grants is taken away by revocation.
public struct Certificate: Hashable, Sendable {
  /// A certificate counts in this operation only.
  public let operation: OperationID
  /// The certificate of who signed this one; `.root` for the operation's root key.
  public let issuer: CertificateHash
  /// Whom the device writes as.
  public let user: UserID
  /// What the device's logs are signed with.
  public let signingKey: VerifyingKey
  /// What the device's handshakes prove; keys are sealed to it.
  public let agreementKey: AgreementPublicKey
  /// What it entitles the device to, for as long as it is not revoked.
  public let role: Role
  /// A hash of the operation and the signing key: a new key is a new device.
  public let device: DeviceID

  /// Grants nothing until it is signed by the holder of `issuer`.
  public init(
    operation: OperationID, issuer: CertificateHash, user: UserID, signingKey: VerifyingKey,
    agreementKey: AgreementPublicKey, role: Role
  ) {
    self.operation = operation
    self.issuer = issuer
    self.user = user
    self.signingKey = signingKey
    self.agreementKey = agreementKey
    self.role = role
    device = DeviceID(operation: operation, key: signingKey)
  }

  /// What a write in a log of this certificate is judged by.
  public var author: Author { Author(user: user, device: device, role: role) }
}

/// A certificate with its signature, the signed bytes kept verbatim.
public struct SignedCertificate: Hashable, Sendable {
  /// What the signed bytes say.
  public let certificate: Certificate
  /// The signed bytes, verbatim: what is hashed, sent and stored.
  public let content: [UInt8]
  /// Ed25519 over `content`, by the issuer.
  public let signature: Signature
  /// BLAKE2b-256 of `content`: what openings, records and certificates issued under it name.
  public let hash: CertificateHash

  /// Issues it: `issuerKey` MUST be the key that `certificate.issuer` names.
  public init(_ certificate: Certificate, signedBy issuerKey: SigningKey) {
    self.certificate = certificate
    content = certificate.content
    signature = issuerKey.sign(content)
    hash = CertificateHash(raw: Blake2b.hash256(content))
  }

  /// Parses; the signature is not checked here, since only the issuer's key can.
  public init(content: [UInt8], signature: [UInt8]) throws(WireError) {
    guard let signature = Signature(bytes: signature) else {
      throw .malformed("certificate signature")
    }
    do {
      certificate = try Certificate(content: content)
    } catch {
      throw .malformed("certificate")
    }
    self.content = content
    self.signature = signature
    hash = CertificateHash(raw: Blake2b.hash256(content))
  }

  /// Whether this key issued it; whether it was entitled to is the chain's or the control plane's
  /// to say.
  public func isSigned(by issuerKey: VerifyingKey) -> Bool {
    issuerKey.isValid(signature, for: content)
  }
}

extension Certificate {
  /// tag ‖ operation ‖ issuer ‖ user ‖ signing key ‖ agreement key ‖ role
  var content: [UInt8] {
    var writer = ByteWriter()
    writer.append(fixed: Tag.certificate)
    writer.append(operation)
    writer.append(issuer)
    writer.append(user)
    writer.append(signingKey.raw)
    writer.append(agreementKey.raw)
    writer.append(role.rawValue)
    return writer.bytes
  }

  init(content: [UInt8]) throws(DecodingFault) {
    var reader = ByteReader(content)
    guard try reader.fixed(Tag.certificate.count) == Tag.certificate else {
      throw .invalid("tag")
    }
    let operation = try reader.identifier(OperationID.self)
    let issuer = CertificateHash(raw: try reader.bytes32())
    let user = try reader.identifier(UserID.self)
    let signingKey = VerifyingKey(raw: try reader.bytes32())
    let agreementKey = AgreementPublicKey(raw: try reader.bytes32())
    guard let role = Role(rawValue: try reader.integer(UInt8.self)) else { throw .invalid("role") }
    try reader.expectEnd()
    self.init(
      operation: operation, issuer: issuer, user: user, signingKey: signingKey,
      agreementKey: agreementKey, role: role)
  }
}

/// A device's certificate and those of everyone between it and the root: leaf first.
public struct CertificateChain: Hashable, Sendable {
  /// One to `Limits.certificateChain`, each issued by the next, the last by the root.
  public let certificates: [SignedCertificate]

  /// Nil unless every signature holds, every issuer is a `command` device of this operation, and
  /// the chain ends at the root within `Limits.certificateChain`.
  public init?(
    _ certificates: [SignedCertificate], operation: OperationID, rootKey: VerifyingKey
  ) {
    guard (1...Limits.certificateChain).contains(certificates.count) else { return nil }
    for (index, signed) in certificates.enumerated() {
      guard signed.certificate.operation == operation else { return nil }
      if index + 1 < certificates.count {
        let issuer = certificates[index + 1]
        guard signed.certificate.issuer == issuer.hash, issuer.certificate.role == .command,
          signed.isSigned(by: issuer.certificate.signingKey)
        else { return nil }
      } else {
        guard signed.certificate.issuer == .root, signed.isSigned(by: rootKey) else { return nil }
      }
    }
    self.certificates = certificates
  }

  /// The certificate of the device whose chain it is.
  public var leaf: SignedCertificate { certificates[0] }
}
