public import MusterCrypto
public import MusterModel

/// Who this node is: its operation, its keys and its certificate chain.
public struct LocalDevice: Sendable {
  /// A hash of `rootKey`; every handshake and every hash of a frame is bound to it.
  public let operation: OperationID
  /// For people; not unique.
  public let operationName: String
  /// Where every certificate chain ends, this device's too.
  public let rootKey: VerifyingKey
  /// Every certified device's, relays' too; never rotated.
  public let networkKey: SealingKey
  /// Signs this device's frames, records, announces, and the certificates that it issues.
  public let signingKey: SigningKey
  /// The static key of its handshakes; grants and epoch keys are sealed to its public half.
  public let agreementKey: AgreementKey
  /// This device's certificate and those up to the root: what it proves itself with in a handshake.
  public let chain: CertificateChain
  /// As everybody else reads it from the certificate.
  public let author: Author
  /// In simulations, of all devices together; nil in a node.
  package var findings: SharedFindings?
  /// By which this node derives its state; only tests set another one.
  package var rulesVersion = RulesVersion.current

  /// Nil unless the chain is this device's own, in this operation.
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

  /// The chain's leaf: what this device's logs are opened with.
  public var certificate: SignedCertificate { chain.leaf }
  /// A hash of the signing key.
  public var device: DeviceID { author.device }
}
