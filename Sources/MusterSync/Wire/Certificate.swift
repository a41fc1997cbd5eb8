public import MusterCrypto
public import MusterModel

/// A binding of a user to a device's two keys and a role, signed by the root or by a `command`
/// device. It only grants; a revocation removes what it grants.
public struct Certificate: Hashable, Sendable {
  /// The operation in which the certificate counts.
  public let operation: OperationID
  /// The hash of the signer's certificate; `.root` for the root key of the operation.
  public let issuer: CertificateHash
  /// The user who is the author of what the device writes.
  public let user: UserID
  /// The key that verifies the signatures of the device's logs.
  public let signingKey: VerifyingKey
  /// The static key of the device's handshakes; epoch keys are sealed to it.
  public let agreementKey: AgreementPublicKey
  /// The permissions of the device until it is revoked.
  public let role: Role
  /// The hash of the operation and the signing key. A device with a new key is a new device.
  public let device: DeviceID

  /// Creates an unsigned certificate. It grants nothing until the holder of `issuer` signs it.
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

  /// The user, device and role by which writes in a log of this certificate are authorized.
  public var author: Author { Author(user: user, device: device, role: role) }
}

/// A certificate with its signature and its signed bytes.
public struct SignedCertificate: Hashable, Sendable {
  /// The parsed content.
  public let certificate: Certificate
  /// The signed bytes, verbatim, as they are hashed, sent and stored.
  public let content: [UInt8]
  /// The issuer's Ed25519 signature over `content`.
  public let signature: Signature
  /// BLAKE2b-256 of `content`. Openings, records and issued certificates refer to it.
  public let hash: CertificateHash

  /// Signs a certificate. `issuerKey` MUST be the key that `certificate.issuer` identifies.
  public init(_ certificate: Certificate, signedBy issuerKey: SigningKey) {
    self.certificate = certificate
    content = certificate.content
    signature = issuerKey.sign(content)
    hash = CertificateHash(raw: Blake2b.hash256(content))
  }

  /// Parses a certificate. Throws `malformed` for another form. Does not verify the signature,
  /// because that requires the issuer's key.
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

  /// Returns whether this key signed the certificate. The chain or the control plane decides
  /// whether its holder was authorized to.
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

/// A verified certificate chain from a device up to the root, leaf first.
public struct CertificateChain: Hashable, Sendable {
  /// 1 to `Limits.certificateChain` certificates, each issued by the next, the last by the root.
  public let certificates: [SignedCertificate]

  /// Returns nil unless every signature is valid, every issuer has the role `command`, all
  /// certificates name this operation, and the last one is issued by the root.
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

  /// The certificate of the device itself.
  public var leaf: SignedCertificate { certificates[0] }
}

extension ByteWriter {
  /// Appends their number, and each with its signature.
  mutating func append(chain: [SignedCertificate]) {
    append(UInt8(chain.count))
    for signed in chain {
      append(lengthPrefixed: signed.content)
      append(fixed: signed.signature.bytes)
    }
  }
}

extension ByteReader {
  /// Reads what `append(chain:)` wrote; nothing is verified.
  mutating func chain() throws -> [SignedCertificate] {
    let length = try integer(UInt8.self)
    guard length <= Limits.certificateChain else { throw WireError.overLimit("chain") }
    return try (0..<length).map { _ in
      try SignedCertificate(
        content: try lengthPrefixed(), signature: try fixed(Signature.byteCount))
    }
  }
}
