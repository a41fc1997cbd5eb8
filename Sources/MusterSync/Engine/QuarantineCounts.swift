internal import MusterModel

/// The number of stored frames in quarantine.
///
/// Invariant: the count of a certificate is the sum over its logs; neither holds zeros.
struct QuarantineCounts: Sendable {
  private var ofLog: [LogID: Int] = [:]
  private var ofCertificate: [CertificateHash: Int] = [:]

  func contains(_ log: LogID) -> Bool { ofLog[log] != nil }

  func count(by certificate: CertificateHash) -> Int { ofCertificate[certificate] ?? 0 }

  mutating func set(_ frames: Int, of log: LogID, by certificate: CertificateHash) {
    let count = (ofCertificate[certificate] ?? 0) + frames - (ofLog[log] ?? 0)
    ofLog[log] = frames > 0 ? frames : nil
    ofCertificate[certificate] = count > 0 ? count : nil
  }
}
