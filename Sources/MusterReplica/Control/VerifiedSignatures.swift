internal import MusterCrypto
internal import MusterModel
internal import MusterSync

/// Which certificates bear their issuer's signature, each verified once.
struct VerifiedSignatures: Sendable {
  private struct Claim: Hashable, Sendable {
    let certificate: CertificateHash
    let signature: Signature
    let issuer: VerifyingKey
  }

  private var known: [Claim: Bool] = [:]

  mutating func holds(_ certificate: SignedCertificate, by issuer: VerifyingKey) -> Bool {
    let claim = Claim(
      certificate: certificate.hash, signature: certificate.signature, issuer: issuer)
    if let known = known[claim] { return known }
    let holds = certificate.isSigned(by: issuer)
    known[claim] = holds
    return holds
  }
}
