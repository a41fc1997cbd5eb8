internal import MusterModel
internal import MusterSync

/// The certificates that devices proved themselves with, or that peers handed over: a set that only
/// grows and that peers reconcile, so that all come to hold the same.
///
/// - Each bears the signatures of its issuers up to the root; the caller MUST have verified that.
/// - Bounded per issuer: of the certificates under one certificate, at any depth, at most
///   `Limits.certificatesPerIssuer` are held. A full share evicts nothing: what does not fit is
///   refused, and `full` names the issuer.
/// - What is issued by the root is not counted against anybody.
struct CertificateSet: Sendable {
  private(set) var certificates: [CertificateHash: SignedCertificate] = [:]
  private var ofIssuer: [CertificateHash: [SignedCertificate]] = [:]
  private var issued: [CertificateHash: Int] = [:]
  /// Issuers for whom a certificate was refused.
  private(set) var full: Set<CertificateHash> = []

  func contains(_ hash: CertificateHash) -> Bool { certificates[hash] != nil }

  /// Those that name an issuer.
  subscript(issuer: CertificateHash) -> [SignedCertificate] { ofIssuer[issuer] ?? [] }

  /// By hash.
  var sorted: [SignedCertificate] { certificates.values.sorted { $0.hash < $1.hash } }

  /// Adds what is new of a chain, leaf first, and for which there is room; returns that, leaf last.
  ///
  /// - Parameter isKnown: whether a certificate is held elsewhere and needs no room here.
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

  /// Takes back what a start finds in the store, in any order.
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
