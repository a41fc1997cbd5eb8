internal import MusterModel
internal import MusterSync

/// What one transaction stores: everything in it is verified.
struct ArchiveBatch: Sendable {
  private(set) var runs: [VerifiedRun] = []
  private(set) var certificates: [SignedCertificate] = []
  private(set) var evidence: [EvidenceItem] = []
  private(set) var keys: [BundledKey] = []
  private(set) var units: [BlobUnit] = []
  /// Frames that were sent, archived ones included, and those that were rejected.
  private(set) var offered = 0
  private(set) var refused = 0
  private var bytes = 0

  /// The size at which a batch is stored.
  private static let fullBytes = 4 << 20
  /// What a frame takes besides its body.
  private static let frameBytes = 200

  var isEmpty: Bool { offered == 0 && hasOnlyFrames }

  /// Whether nothing has to be stored besides frames.
  var hasOnlyFrames: Bool {
    certificates.isEmpty && evidence.isEmpty && keys.isEmpty && units.isEmpty
  }

  var isFull: Bool { bytes >= Self.fullBytes }

  /// The number of verified frames.
  var frameCount: Int { runs.reduce(0) { $0 + $1.frames.count } }

  mutating func add(_ certificates: [SignedCertificate]) { self.certificates += certificates }

  mutating func add(_ item: EvidenceItem) { evidence.append(item) }

  mutating func add(_ some: some Sequence<BundledKey>) { keys += some }

  mutating func add(_ unit: BlobUnit) {
    units.append(unit)
    bytes += unit.bytes.count
  }

  mutating func count(offered frames: Int) { offered += frames }

  mutating func count(refused frames: Int) { refused += frames }

  mutating func add(_ run: VerifiedRun) {
    runs.append(run)
    bytes += run.frames.reduce(0) { $0 + $1.body.count + Self.frameBytes }
  }
}
