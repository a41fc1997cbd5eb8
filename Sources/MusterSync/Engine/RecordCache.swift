internal import MusterModel

/// The newest record of each topic.
///
/// Invariants: a record replaces an older one of its topic only. The counts are those of the stored
/// records, and at most the limits of `Limits` for each certificate.
struct RecordCache: Sendable {
  private var newest: [RecordTopic: LatestRecord] = [:]
  private var receipts: [CertificateHash: Int] = [:]
  private var trackers: [CertificateHash: Int] = [:]
  /// Topics of the records that report a device in use twice.
  private var clones: Set<RecordTopic> = []

  var count: Int { newest.count }

  subscript(topic: RecordTopic) -> LatestRecord? { newest[topic] }

  /// Returns whether a record is newer than the stored one of its topic.
  func isNew(_ record: LatestRecord) -> Bool {
    #if Canary
      if Canary.keepFirstTwin.isPlanted {
        return newest[record.topic].map { $0.order < record.order } ?? true
      }
    #endif
    return newest[record.topic].map { $0.version < record.version } ?? true
  }

  /// Stores a record. The caller has verified it, and that it is news.
  mutating func keep(_ record: LatestRecord) {
    if newest[record.topic] == nil {
      switch record.kind {
      case .receipt, .blobReceipt: receipts[record.certificate, default: 0] += 1
      case .trackerPosition: trackers[record.certificate, default: 0] += 1
      case .clone: clones.insert(record.topic)
      case .position, .neighbours, .otherIncarnations, .presence: break
      }
    }
    newest[record.topic] = record
  }

  /// All records by one certificate's holder, by topic.
  func by(_ certificate: CertificateHash) -> [LatestRecord] {
    sorted { $0.certificate == certificate }
  }

  /// The records of one kind, by topic.
  func of(_ kind: RecordKind) -> [LatestRecord] {
    kind == .clone
      ? clones.sorted().compactMap { newest[$0] } : sorted { $0.kind == kind }
  }

  private func sorted(_ isWanted: (LatestRecord) -> Bool) -> [LatestRecord] {
    newest.values.filter(isWanted).sorted { $0.topic < $1.topic }
  }

  func hasRoomForReceipt(of certificate: CertificateHash) -> Bool {
    receipts[certificate, default: 0] < Limits.receiptsPerDevice
  }

  func hasRoom(forTrackers count: Int, of certificate: CertificateHash) -> Bool {
    #if Canary
      if Canary.globalTrackerBound.isPlanted {
        return trackers.values.reduce(0, +) + count <= Limits.trackersPerDevice
      }
    #endif
    return trackers[certificate, default: 0] + count <= Limits.trackersPerDevice
  }

  func checkInvariants() {
    for (certificate, count) in receipts {
      precondition(count <= Limits.receiptsPerDevice, "\(count) receipts of \(certificate)")
    }
    for (certificate, count) in trackers {
      precondition(count <= Limits.trackersPerDevice, "\(count) trackers of \(certificate)")
    }
  }

  #if Canary
    mutating func forget(_ topic: RecordTopic) { newest[topic] = nil }
  #endif
}
