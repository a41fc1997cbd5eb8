public import MusterModel

/// The changes of one replication transaction, committed as a whole or not at all.
///
/// Applied in the order of the properties: one batch may store a frame as waiting and release it.
public struct Batch: Sendable {
  /// Epoch keys that arrived. A stored one is kept.
  public var epochKeys: [StoredEpochKey] = []
  /// Certificates that devices presented. A stored one is kept.
  public var certificates: [StoredCertificate] = []
  /// Membership evidence that arrived or was made here. A stored item is kept.
  public var evidence: [StoredEvidence] = []
  /// Items that stronger evidence replaces.
  public var replacedEvidence: [EvidenceID] = []
  /// Detected forks: strands to be ended before any frame is stored.
  public var strandSplits: [StrandSplit] = []
  /// The frames of each log, in sequence.
  public var frames: [HeldFrame] = []
  /// Waiting frames, and what they do to the view now.
  public var released: [ReleasedFrame] = []
  /// Each is stored if it is newer than the stored one of its topic.
  public var records: [LatestRecord] = []
  /// Records of other devices to append to the staged ones.
  public var staged: [StagedRecord] = []
  /// Replaces all records that were staged before; nil leaves them staged.
  public var fold: RecordFold?
  /// Each is stored if its order is not older than that of the stored position of its device.
  public var positions: [DevicePosition] = []
  /// This node's own track.
  public var fixes: [PositionReport] = []
  /// The tracks of trackers. A stored fix of the same tracker and sample time is kept.
  public var trackerFixes: [TrackerFix] = []
  /// Trackers whose stored tracks are deleted, before new fixes are stored.
  public var clearedTracks: Set<RowID> = []
  /// Local settings to store, by name.
  public var local: [String: [UInt8]] = [:]
  /// Names of local settings to delete.
  public var forgotten: Set<String> = []
  /// Replies to requests with an idempotency key.
  public var replies: [StoredReply] = []

  /// Stamps and arrivals, which preserve ages across a restart.
  public var ages = AgeChanges()
  /// When the frames arrived or were written here; nil if that is not known.
  public var arrival: ArrivalTime?
  /// Records that arrived or were written here, to be appended to the journal.
  public var journal: [JournalEntry] = []

  /// Verified units of listed blobs: written and synced before the transaction that records them.
  public var units: [BlobUnit] = []
  /// Units that turned out to be damaged, to be fetched again.
  public var damagedUnits: [StoredUnit] = []
  /// When blobs stopped being referenced, or nil for those that are referenced again.
  public var unreferenced: [BlobID: Timestamp?] = [:]
  /// Blobs whose ciphertext is deleted. They stay listed and are not fetched again.
  public var deletedBlobs: [BlobID] = []

  /// Whether the outcome has the zones and reports as they were before.
  public var keepsReplaced = false

  /// Salvaged frames that are settled.
  public var settled: [ProcessedFrame] = []

  /// Creates an empty batch.
  public init() {}

  /// Whether committing it would change nothing.
  public var isEmpty: Bool {
    epochKeys.isEmpty && certificates.isEmpty && strandSplits.isEmpty && frames.isEmpty
      && released.isEmpty && records.isEmpty
      && positions.isEmpty && fixes.isEmpty && trackerFixes.isEmpty && clearedTracks.isEmpty
      && local.isEmpty
      && evidence.isEmpty && replacedEvidence.isEmpty
      && forgotten.isEmpty && settled.isEmpty && ages.isEmpty && journal.isEmpty
      && staged.isEmpty && fold == nil && units.isEmpty && damagedUnits.isEmpty
      && unreferenced.isEmpty && deletedBlobs.isEmpty && replies.isEmpty
  }
}

/// A record of another device with its moment of arrival, until it is folded into the tables of
/// newest records, positions and stamps.
public struct StagedRecord: Hashable, Sendable {
  /// The record. The caller has verified it.
  public let record: LatestRecord
  /// `KnownBoot.number` of the boot in which it arrived.
  public let boot: Int64
  /// Milliseconds of the boot clock at its arrival.
  public let arrived: Int64

  /// Creates a record to stage.
  public init(record: LatestRecord, boot: Int64, arrived: Int64) {
    self.record = record
    self.boot = boot
    self.arrived = arrived
  }
}

/// What the staged records amount to, by topic and device.
public struct RecordFold: Hashable, Sendable {
  /// The newest record of each topic.
  public var records: [LatestRecord]
  /// The newest position of each device among them.
  public var positions: [DevicePosition]
  /// Their stamps and anchors.
  public var ages: AgeChanges
  /// Journal entries of earlier arrivals are deleted: the number of a boot, and milliseconds of its
  /// boot clock.
  public var journalStart: JournalStart

  /// Creates a fold.
  public init(
    records: [LatestRecord] = [], positions: [DevicePosition] = [], ages: AgeChanges = AgeChanges(),
    journalStart: JournalStart = JournalStart(boot: 0, arrived: 0)
  ) {
    self.records = records
    self.positions = positions
    self.ages = ages
    self.journalStart = journalStart
  }
}

/// The moment at which the kept part of the journal of arrivals begins.
public struct JournalStart: Hashable, Sendable {
  /// `KnownBoot.number`; entries of earlier boots are older.
  public let boot: Int64
  /// Milliseconds of that boot's clock.
  public let arrived: Int64

  /// Creates a moment.
  public init(boot: Int64, arrived: Int64) {
    self.boot = boot
    self.arrived = arrived
  }
}

/// A fix of a phone or another tracker for which this node publishes.
public struct TrackerFix: Hashable, Sendable {
  /// The tracker's row.
  public var tracker: RowID
  /// The fix, and when this node received it.
  public var report: PositionReport

  /// Creates a fix to store.
  public init(tracker: RowID, report: PositionReport) {
    self.tracker = tracker
    self.report = report
  }
}

/// A verified frame to store, with its effect on the view.
public struct HeldFrame: Sendable {
  /// The next frame of its log, or one that is already stored.
  public var frame: Frame
  /// The contents of frame 0 of the log, with the first frame of a log or a strand; nil for every
  /// other.
  public var opening: Opening?
  /// With the first frame of a strand, where the strand begins; nil for every other.
  public var base: StrandBase?
  /// Its effect on the view.
  public var application: Application

  /// Creates a frame to store. The opening goes with the first frame of a log or a strand.
  public init(
    frame: Frame, opening: Opening? = nil, base: StrandBase? = nil, application: Application
  ) {
    self.frame = frame
    self.opening = opening
    self.base = base
    self.application = application
  }
}

/// A strand that ends where two branches diverge: its later frames become a strand of their own.
public struct StrandSplit: Hashable, Sendable {
  /// The strand, and its last frame that both branches share. This is not its newest.
  public var place: FramePosition
  /// The name of the new strand.
  public var tail: LogID

  /// Creates a split. `tail` MUST be the name that the frame after `place` gives.
  public init(place: FramePosition, tail: LogID) {
    self.place = place
    self.tail = tail
  }
}

/// A waiting frame that is processed again.
public struct ReleasedFrame: Sendable {
  /// The frame, which is stored. One that does not wait is left unchanged.
  public var place: FramePosition
  /// Its effect on the view.
  public var application: Application

  /// Creates a frame that no longer waits, or waits for something else.
  public init(place: FramePosition, application: Application) {
    self.place = place
    self.application = application
  }
}

/// The effect of a stored frame on the view.
public enum Application: Sendable {
  case applied(writes: [AuthoredWrite], crossings: [RecordedCrossing])
  /// Stored and forwarded, but not applied yet.
  case waiting(WaitReason)
  /// Openings, control frames, rejected operations: stored, and nothing to apply.
  case nothing
}

/// What a stored frame that is not applied waits for.
public enum WaitReason: Hashable, Sendable {
  case key(EpochID)
  /// A later version of this program.
  case unknownOperation
  /// The other parts of an operation that did not fit one frame.
  case part
  /// Control frames that certify its author.
  case certificate
}

/// The key of an epoch. It is never printed.
public struct StoredEpochKey: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  /// A hash of the key.
  public let id: EpochID
  /// The secret itself.
  public let key: Bytes32

  /// Creates a key. The caller has verified that the id is the hash of the key.
  public init(id: EpochID, key: Bytes32) {
    self.id = id
    self.key = key
  }

  /// The epoch, without the key.
  public var description: String { "key of epoch \(id.short)" }
  /// Keeps the key out of what `dump` and failed tests print.
  public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

/// A certificate as its issuer signed it.
public struct StoredCertificate: Hashable, Sendable {
  /// Of the content.
  public let hash: CertificateHash
  /// The signed bytes.
  public let content: [UInt8]
  /// 64 bytes.
  public let signature: [UInt8]

  /// The caller has verified it.
  public init(hash: CertificateHash, content: [UInt8], signature: [UInt8]) {
    self.hash = hash
    self.content = content
    self.signature = signature
  }
}

/// An item of membership evidence.
public struct StoredEvidence: Hashable, Sendable {
  /// Its name.
  public let id: EvidenceID
  /// Its kind.
  public let kind: EvidenceKind
  /// The signed bytes.
  public let content: [UInt8]

  /// The caller has verified it.
  public init(id: EvidenceID, kind: EvidenceKind, content: [UInt8]) {
    self.id = id
    self.kind = kind
    self.content = content
  }
}

/// A device's last known position, decrypted from its newest readable position record.
public struct DevicePosition: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The user of the device, from its certificate.
  public var user: UserID
  /// The order of the record.
  public var order: RecordOrder
  /// The order of the record that published the fix first: that of this record, unless it is a
  /// contact without a new fix.
  public var fixOrder: RecordOrder
  /// The fix, and when the device received it.
  public var report: PositionReport
  /// Fixes of earlier records that this one does not supersede, the newest last.
  public var earlier: [EarlierFix]

  /// Creates a position. The caller has verified and decrypted the record.
  public init(
    device: DeviceID, user: UserID, order: RecordOrder, fixOrder: RecordOrder? = nil,
    report: PositionReport, earlier: [EarlierFix] = []
  ) {
    self.device = device
    self.user = user
    self.order = order
    self.fixOrder = fixOrder.map { min($0, order) } ?? order
    self.report = report
    self.earlier = earlier
  }
}
