internal import MusterModel

/// The logs that changed last: announces name each change a few times.
///
/// Invariant: at most `limit` logs.
struct RecentHeads: Sendable {
  /// Newest last.
  private var logs: [LogID] = []
  /// How often each of them was named.
  private var namings: [LogID: Int] = [:]

  private static let limit = 12

  mutating func note(_ log: LogID) {
    logs.removeAll { $0 == log }
    logs.append(log)
    if logs.count > Self.limit { namings[logs.removeFirst()] = nil }
    namings[log] = 0
  }

  /// Returns the logs to name now, newest first, and counts that they are named.
  mutating func takeNamed() -> [LogID] {
    let named = Array(logs.reversed())
    for log in logs { namings[log, default: 0] += 1 }
    logs.removeAll { namings[$0, default: 0] >= Timing.announceNamings }
    namings = namings.filter { $0.value < Timing.announceNamings }
    return named
  }
}

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
