public import MusterModel

/// What one transaction of replication changes; all of it is kept or none.
///
/// Taken in the order of the properties: a frame may be held as waiting and released in one batch.
public struct Batch: Sendable {
  /// Keys that came to this node; one that is held stays.
  public var epochKeys: [StoredEpochKey] = []
  /// Certificates that devices showed; one that is held stays.
  public var certificates: [StoredCertificate] = []
  /// Forks that were found: strands to be ended, before any frame is taken.
  public var partings: [Parting] = []
  /// Each log's frames in sequence.
  public var frames: [HeldFrame] = []
  /// Frames that waited, and what becomes of them now.
  public var released: [ReleasedFrame] = []
  /// Each is kept if it is newer than the one held of its topic.
  public var records: [LatestRecord] = []
  /// Each is kept if its order is no older than that of the position held of its device.
  public var positions: [DevicePosition] = []
  /// This node's own track.
  public var fixes: [PositionReport] = []
  /// The ways of trackers; one that is held of a tracker and a sample time stays.
  public var trackerFixes: [TrackerFix] = []
  /// Small local facts to set, by name.
  public var local: [String: [UInt8]] = [:]
  /// Names of small local facts to forget.
  public var forgotten: Set<String> = []

  /// Stamps and arrivals, by which ages outlive a restart.
  public var ages = AgeChanges()
  /// What arrived or was written here, to be appended to the journal.
  public var journal: [JournalEntry] = []

  /// Frames that were set aside and are done with.
  public var settled: [SettledFrame] = []

  /// A batch that changes nothing, to be filled.
  public init() {}

  /// Whether committing it would change nothing.
  public var isEmpty: Bool {
    epochKeys.isEmpty && certificates.isEmpty && partings.isEmpty && frames.isEmpty
      && released.isEmpty && records.isEmpty
      && positions.isEmpty && fixes.isEmpty && trackerFixes.isEmpty && local.isEmpty
      && forgotten.isEmpty && settled.isEmpty && ages.isEmpty && journal.isEmpty
  }
}

/// A fix of a phone or another tracker that this node speaks for.
public struct TrackerFix: Hashable, Sendable {
  /// Its row.
  public var tracker: RowID
  /// The fix, and when this node took it in.
  public var report: PositionReport

  /// A fix to keep.
  public init(tracker: RowID, report: PositionReport) {
    self.tracker = tracker
    self.report = report
  }
}

/// A frame that was verified and is to be held, with what it does to the view.
public struct HeldFrame: Sendable {
  /// The next of its log, or one that is held already.
  public var frame: Frame
  /// What frame 0 of the log says, with the first frame of a log or a strand; nil for every other.
  public var opening: Opening?
  /// With the first frame of a strand, where that begins; nil for every other.
  public var base: StrandBase?
  /// What it does to the view.
  public var application: Application

  /// A frame to hold; the opening goes with the first frame of a log or a strand.
  public init(
    frame: Frame, opening: Opening? = nil, base: StrandBase? = nil, application: Application
  ) {
    self.frame = frame
    self.opening = opening
    self.base = base
    self.application = application
  }
}

/// A strand that ends where two branches part: what it held beyond becomes a strand of its own.
public struct Parting: Hashable, Sendable {
  /// The strand, and the last of its frames that both branches share; it is not its newest.
  public var place: FramePlace
  /// What the strand behind is called.
  public var tail: LogID

  /// `tail` MUST be the name that the frame after `place` gives.
  public init(place: FramePlace, tail: LogID) {
    self.place = place
    self.tail = tail
  }
}

/// What becomes of a frame that was waiting.
public struct ReleasedFrame: Sendable {
  /// Of a frame that is held; one that does not wait is left alone.
  public var place: FramePlace
  /// What it does to the view.
  public var application: Application

  /// A frame that waits no longer, or for something else.
  public init(place: FramePlace, application: Application) {
    self.place = place
    self.application = application
  }
}

/// What a held frame does to the view.
public enum Application: Sendable {
  case applied(writes: [AuthoredWrite], crossings: [RecordedCrossing])
  /// Held, forwarded, and not applied yet.
  case waiting(WaitReason)
  /// Openings, control frames, refused operations: held for good, and nothing to apply.
  case nothing
}

/// What a held frame that is not applied waits for.
public enum WaitReason: Hashable, Sendable {
  case key(EpochID)
  /// A later version of this program.
  case unknownOperation
  /// The other parts of an operation that did not fit one frame.
  case part
  /// Control frames that say who its author is.
  case certificate
}

/// The key of an epoch. It is never printed.
public struct StoredEpochKey: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  /// A hash of the key.
  public let id: EpochID
  /// The secret itself.
  public let key: Bytes32

  /// The caller has checked that the id is the hash of the key.
  public init(id: EpochID, key: Bytes32) {
    self.id = id
    self.key = key
  }

  /// Names the epoch and withholds the key.
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

/// A device's last known place, opened from its newest readable position record.
public struct DevicePosition: Hashable, Sendable {
  /// Whose place it is.
  public var device: DeviceID
  /// Who carried the device, by its certificate.
  public var user: UserID
  /// That of the record.
  public var order: RecordOrder
  /// The fix, and when the device took it in.
  public var report: PositionReport

  /// The caller has verified and opened the record.
  public init(device: DeviceID, user: UserID, order: RecordOrder, report: PositionReport) {
    self.device = device
    self.user = user
    self.order = order
    self.report = report
  }
}
