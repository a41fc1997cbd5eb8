internal import MusterCrypto
internal import MusterModel
internal import MusterSync

/// The certificates of an operation that descend from its root key. Whether one was revoked does
/// not matter here: what its holder signed stays signed, and the projection decides what counts.
struct KnownCertificates: Sendable {
  private let operation: OperationID
  private let rootKey: VerifyingKey
  private var all: [CertificateHash: SignedCertificate] = [:]
  /// Not stored yet, in the order of arrival.
  private var new: [SignedCertificate] = []

  init(operation: OperationID, rootKey: VerifyingKey) {
    self.operation = operation
    self.rootKey = rootKey
  }

  /// Returns the key that verifies what the holder of a certificate signs; nil if it is not known.
  /// The root key signs one log, which admits the first device.
  func key(of certificate: CertificateHash) -> VerifyingKey? {
    certificate == .root ? rootKey : all[certificate]?.certificate.signingKey
  }

  /// Returns the number of certificates up to the root; nil if it is not known.
  func rank(of certificate: CertificateHash) -> Int? {
    var (rank, next) = (0, certificate)
    while next != .root {
      guard let signed = all[next] else { return nil }
      (rank, next) = (rank + 1, signed.certificate.issuer)
    }
    return rank
  }

  /// Returns a certificate and its issuers up to the root; empty if it is not known.
  func chain(of certificate: CertificateHash) -> [SignedCertificate] {
    var chain: [SignedCertificate] = []
    var next = certificate
    while next != .root, let signed = all[next] {
      chain.append(signed)
      next = signed.certificate.issuer
    }
    return chain
  }

  /// Every certificate, issuers first.
  var ordered: [SignedCertificate] {
    all.values.sorted {
      (rank(of: $0.hash) ?? 0, $0.hash) < (rank(of: $1.hash) ?? 0, $1.hash)
    }
  }

  /// Adds a certificate that its issuer, a commander or the root, has signed. Ignores others.
  ///
  /// - Returns: whether it is known now.
  @discardableResult
  mutating func add(_ signed: SignedCertificate, isStored: Bool = false) -> Bool {
    guard all[signed.hash] == nil else { return true }
    let certificate = signed.certificate
    guard certificate.operation == operation else { return false }
    if certificate.issuer == .root {
      guard signed.isSigned(by: rootKey) else { return false }
    } else {
      guard let issuer = all[certificate.issuer], issuer.certificate.role == .command,
        (rank(of: issuer.hash) ?? .max) < Limits.certificateChain,
        signed.isSigned(by: issuer.certificate.signingKey)
      else { return false }
    }
    all[signed.hash] = signed
    if !isStored { new.append(signed) }
    return true
  }

  /// Returns the certificates that were added since the last call.
  mutating func takeNew() -> [SignedCertificate] {
    defer { new = [] }
    return new
  }
}
