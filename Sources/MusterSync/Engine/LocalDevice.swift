public import MusterCrypto
public import MusterModel

/// The identity of this node: its operation, its keys and its certificate chain.
public struct LocalDevice: Sendable {
  /// A hash of `rootKey`. Every handshake and every frame hash is bound to it.
  public let operation: OperationID
  /// A display name; not unique.
  public let operationName: String
  /// The root of every certificate chain, including this device's.
  public let rootKey: VerifyingKey
  /// Shared by all certified devices, including relays; never rotated.
  public let networkKey: SealingKey
  /// Signs this device's frames, records, announces, and the certificates that it issues.
  public let signingKey: SigningKey
  /// The static key of handshakes. Grants and epoch keys are sealed to its public key.
  public let agreementKey: AgreementKey
  /// This device's certificate and its issuers up to the root, used to authenticate in handshakes.
  public let chain: CertificateChain
  /// The author that peers derive from this device's certificate.
  public let author: Author
  /// Shared by all devices of a simulation; nil in a node.
  package var findings: (any VerificationCache)?
  /// The rules version by which this node derives its state. Only tests override it.
  package var rulesVersion = RulesVersion.current

  /// Returns nil unless the chain belongs to this device and this operation.
  public init?(
    operationName: String, rootKey: VerifyingKey, networkKey: SealingKey, signingKey: SigningKey,
    agreementKey: AgreementKey, chain: [SignedCertificate]
  ) {
    let operation = OperationID(rootKey: rootKey)
    guard let chain = CertificateChain(chain, operation: operation, rootKey: rootKey),
      chain.leaf.certificate.signingKey == signingKey.publicKey,
      chain.leaf.certificate.agreementKey == agreementKey.publicKey
    else { return nil }
    self.operation = operation
    self.operationName = operationName
    self.rootKey = rootKey
    self.networkKey = networkKey
    self.signingKey = signingKey
    self.agreementKey = agreementKey
    self.chain = chain
    author = chain.leaf.certificate.author
  }

  /// The leaf of the chain, with which this device opens its logs.
  public var certificate: SignedCertificate { chain.leaf }
  /// A hash of the signing key.
  public var device: DeviceID { author.device }
}
