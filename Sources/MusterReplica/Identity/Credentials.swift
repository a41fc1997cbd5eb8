package import MusterCrypto
public import MusterModel
internal import MusterStore
package import MusterSync
internal import SQLiteSeal

/// All secrets and certificates that make a device part of an operation: the contents of its key
/// file.
public struct Credentials: Sendable, Redacted {
  package private(set) var local: LocalDevice

  init(_ local: LocalDevice) { self.local = local }

  /// A hash of the root key at the end of the certificate chain.
  public var operation: OperationID { local.operation }
  /// The name that the root's holder gave; not unique.
  public var operationName: String { local.operationName }
  /// A hash of the signing key in the key file.
  public var device: DeviceID { local.device }
  /// The certificate that opens this device's logs.
  package var certificate: CertificateHash { local.certificate.hash }
  /// The key that verifies this device's signatures.
  package var verifyingKey: VerifyingKey { local.signingKey.publicKey }
  /// The user that this device writes for.
  public var user: UserID { local.author.user }
  /// Whether the user was enrolled with this device, and not with another one.
  public var isFirstOfUser: Bool {
    user == UserID(operation: operation, firstDeviceKey: local.signingKey.publicKey)
  }
  /// The role of the certificate; the replica determines whether it was revoked since.
  public var role: Role { local.author.role }
}

extension Credentials {
  /// The same credentials for a simulation, in which devices share verification results.
  package func sharing(_ findings: any VerificationCache) -> Credentials {
    var shared = self
    shared.local.findings = findings
    return shared
  }

  /// The same credentials for a test, with other rules.
  package func following(_ rules: RulesVersion) -> Credentials {
    var other = self
    other.local.rulesVersion = rules
    return other
  }
}

extension Credentials {
  /// Returns the key that seals the pages of this device's database.
  ///
  /// - Parameter seed: 32 bytes for nonces, used nowhere else.
  func pageSeal(seed: [UInt8]) -> PageSeal {
    PageSeal(key: PageKey(of: local.signingKey), seed: seed)
  }
}

// MARK: - The key file

extension Credentials {
  /// Returns the contents of the key file, sealed with a key derived from the passphrase, if one is
  /// given; otherwise anyone who can read the file can read the keys.
  ///
  /// - Parameter seed: 32 bytes for the salt and the nonce, used nowhere else.
  public func keyFile(passphrase: [UInt8]?, seed: [UInt8]) throws(SecretFileFault) -> [UInt8] {
    try SecretFile.deviceKey.encode(
      content, passphrase: passphrase, cost: .interactive, seed: seed)
  }

  /// Reads a key file and verifies its certificate chain up to the root. `passphrase` is ignored if
  /// the file is not wrapped.
  public init(keyFile bytes: [UInt8], passphrase: [UInt8]?) throws(SecretFileFault) {
    try self.init(content: SecretFile.deviceKey.decode(bytes, passphrase: passphrase))
  }

  private var content: [UInt8] {
    var writer = ByteWriter()
    writer.append(local.operationName)
    writer.append(local.rootKey.raw)
    writer.append(fixed: local.networkKey.export())
    writer.append(fixed: local.signingKey.exportSeed())
    writer.append(fixed: local.agreementKey.exportSecret())
    writer.append(UInt8(local.chain.certificates.count))
    for certificate in local.chain.certificates {
      writer.append(lengthPrefixed: certificate.content)
      writer.append(fixed: certificate.signature.bytes)
    }
    return writer.bytes
  }

  private init(content: [UInt8]) throws(SecretFileFault) {
    do {
      var reader = ByteReader(content)
      let name = try reader.text()
      let rootKey = VerifyingKey(raw: try reader.bytes32())
      guard let networkKey = SealingKey(bytes: try reader.fixed(32)) else {
        throw DecodingFault.invalid("network key")
      }
      let signingKey = try SigningKey(seed: try reader.fixed(SigningKey.seedBytes))
      let agreementKey = try AgreementKey(secret: try reader.fixed(AgreementKey.secretBytes))
      var chain: [SignedCertificate] = []
      for _ in 0..<(try reader.integer(UInt8.self)) {
        let certificate = try reader.lengthPrefixed()
        chain.append(
          try SignedCertificate(
            content: certificate, signature: try reader.fixed(Signature.byteCount)))
      }
      try reader.expectEnd()
      guard
        let local = LocalDevice(
          operationName: name, rootKey: rootKey, networkKey: networkKey, signingKey: signingKey,
          agreementKey: agreementKey, chain: chain)
      else { throw DecodingFault.invalid("chain") }
      self.init(local)
    } catch {
      throw .malformed
    }
  }
}
