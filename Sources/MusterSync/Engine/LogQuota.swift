internal import MusterModel

/// The logs that count against the quota of a certificate and lane: those with accepted frames
/// beyond the opening.
struct LogQuota: Sendable {
  private var counting: Set<LogID> = []
  private var ofOwner: [Owner: Int] = [:]

  private struct Owner: Hashable, Sendable {
    let certificate: CertificateHash
    let lane: Lane
  }

  func count(of certificate: CertificateHash, in lane: Lane) -> Int {
    ofOwner[Owner(certificate: certificate, lane: lane)] ?? 0
  }

  mutating func count(_ log: LogSummary, isCounting: Bool) {
    let owner = Owner(certificate: log.opening.certificate, lane: log.opening.lane)
    if isCounting {
      if counting.insert(log.head.log).inserted { ofOwner[owner, default: 0] += 1 }
    } else if counting.remove(log.head.log) != nil {
      ofOwner[owner, default: 1] -= 1
      if ofOwner[owner] == 0 { ofOwner[owner] = nil }
    }
  }
}
