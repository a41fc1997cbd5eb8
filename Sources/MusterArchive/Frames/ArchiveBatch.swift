internal import MusterModel
internal import MusterSync

/// What one transaction stores: everything in it is verified.
struct ArchiveBatch {
  private(set) var runs: [VerifiedRun] = []
  private(set) var certificates: [SignedCertificate] = []
  private(set) var evidence: [EvidenceItem] = []
  private(set) var keys: [BundledKey] = []
  private(set) var rows = CopyData()
  /// Frames that were sent, archived ones included, and those that were rejected.
  private(set) var offered = 0
  private(set) var refused = 0

  /// The size at which a batch is stored.
  private static let fullBytes = 2 << 20

  var isEmpty: Bool { offered == 0 && certificates.isEmpty && evidence.isEmpty && keys.isEmpty }

  var isFull: Bool { rows.size >= Self.fullBytes }

  mutating func add(_ certificates: [SignedCertificate]) { self.certificates += certificates }

  mutating func add(_ item: EvidenceItem) { evidence.append(item) }

  mutating func add(_ some: some Sequence<BundledKey>) { keys += some }

  mutating func count(offered frames: Int) { offered += frames }

  mutating func count(refused frames: Int) { refused += frames }

  mutating func add(_ run: VerifiedRun, of operation: OperationID) {
    runs.append(run)
    for frame in run.frames {
      rows.beginRow(columns: 9)
      rows.append(column: operation.bytes)
      rows.append(column: frame.log.bytes)
      rows.append(column: Int64(frame.sequence))
      rows.append(column: frame.hash.bytes)
      rows.append(column: frame.previous.bytes)
      rows.append(column: frame.epoch?.bytes)
      rows.append(column: frame.blobs.isEmpty ? nil : BlobListing.encoded(frame.blobs))
      rows.append(column: frame.body)
      rows.append(column: frame.signature)
    }
  }
}
