internal import MusterModel

/// When new data of a device last arrived, frames or records, by its certificate.
struct AuthorActivity: Sendable {
  private var newest: [CertificateHash: Instant] = [:]

  subscript(certificate: CertificateHash) -> Instant? { newest[certificate] }

  mutating func note(_ certificate: CertificateHash, at now: Instant) { newest[certificate] = now }
}
