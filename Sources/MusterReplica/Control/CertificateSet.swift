internal import MusterModel
internal import MusterSync

/// The shown certificates: those that devices authenticated with or that peers sent. The set only
/// grows, and peers reconcile it, so all nodes converge to the same set.
///
/// - The caller MUST have verified the signatures of each chain up to the root.
/// - The set is bounded per issuer: it holds at most `Limits.certificatesPerIssuer` certificates
///   below one certificate, at any depth. A full issuer evicts nothing: a further certificate is
///   rejected, and `full` names the issuer.
/// - Certificates that the root issued are not limited.
struct CertificateSet: Sendable {
  private(set) var certificates: [CertificateHash: SignedCertificate] = [:]
  private var ofIssuer: [CertificateHash: [SignedCertificate]] = [:]
  private var issued: [CertificateHash: Int] = [:]
  /// Issuers below which a certificate was rejected.
  private(set) var full: Set<CertificateHash> = []

  func contains(_ hash: CertificateHash) -> Bool { certificates[hash] != nil }

  /// The certificates of an issuer.
  subscript(issuer: CertificateHash) -> [SignedCertificate] { ofIssuer[issuer] ?? [] }

  /// All certificates, in ascending order of hash.
  var sorted: [SignedCertificate] { certificates.values.sorted { $0.hash < $1.hash } }

  /// Adds the new certificates of a chain as far as there is room; returns these, leaf last.
  ///
  /// - Parameters:
  ///   - chain: certificates up to the root, leaf first.
  ///   - isKnown: whether a certificate is stored elsewhere and needs no room here.
  mutating func insert(
    chain: [SignedCertificate], unless isKnown: (CertificateHash) -> Bool
  ) -> [SignedCertificate] {
    var added: [SignedCertificate] = []
    var issuers: [CertificateHash] = []
    for signed in chain.reversed() {
      if !contains(signed.hash), !isKnown(signed.hash) {
        let exhausted = issuers.filter {
          issued[$0, default: 0] >= Limits.certificatesPerIssuer
        }
        full.formUnion(exhausted)
        guard exhausted.isEmpty else { break }
        for issuer in issuers { issued[issuer, default: 0] += 1 }
        hold(signed)
        added.append(signed)
      }
      issuers.append(signed.hash)
    }
    return added
  }

  private mutating func hold(_ signed: SignedCertificate) {
    guard !contains(signed.hash) else { return }
    certificates[signed.hash] = signed
    ofIssuer[signed.certificate.issuer, default: []].append(signed)
  }

  /// Restores the stored certificates at the start, in any order.
  mutating func restore(_ stored: [SignedCertificate]) {
    for signed in stored { hold(signed) }
    for signed in stored {
      var issuer = signed.certificate.issuer
      for _ in 0..<Limits.certificateChain where issuer != .root {
        issued[issuer, default: 0] += 1
        guard let next = certificates[issuer] else { break }
        issuer = next.certificate.issuer
      }
    }
  }
}
