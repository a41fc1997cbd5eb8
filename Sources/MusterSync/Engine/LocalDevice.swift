public import MusterCrypto
public import MusterModel

/// Who this node is: its operation, its keys and its certificate chain.
public struct LocalDevice: Sendable {
  public let operation: OperationID
  public let operationName: String
  public let rootKey: VerifyingKey
  /// Every certified device's, relays' too; never rotated.
  public let networkKey: SealingKey
  public let signingKey: SigningKey
  public let agreementKey: AgreementKey
  public let chain: CertificateChain

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
  }

  public var certificate: SignedCertificate { chain.leaf }
  public var author: Author { certificate.certificate.author }
  public var device: DeviceID { author.device }
}
