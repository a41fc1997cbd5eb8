internal import MusterCrypto
internal import MusterSync
internal import MusterModel

/// Which certificates bear their issuer's signature, each verified once.
struct VerifiedSignatures: Sendable {
  private struct Claim: Hashable, Sendable {
    let certificate: SignedCertificate
    let issuer: VerifyingKey
  }

  private var known: [Claim: Bool] = [:]

  mutating func holds(_ certificate: SignedCertificate, by issuer: VerifyingKey) -> Bool {
    let claim = Claim(certificate: certificate, issuer: issuer)
    if let known = known[claim] { return known }
    let holds = certificate.isSigned(by: issuer)
    known[claim] = holds
    return holds
  }
}
