internal import MusterModel

/// When new data of a device last arrived, frames or records, by its certificate.
struct AuthorActivity: Sendable {
  private var heard: [CertificateHash: Instant] = [:]

  subscript(certificate: CertificateHash) -> Instant? { heard[certificate] }

  mutating func note(_ certificate: CertificateHash, at now: Instant) { heard[certificate] = now }
}
