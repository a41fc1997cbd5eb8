public import MusterModel

/// What a commit keeps of stamps and arrivals, so that ages and deadlines outlive a restart of the
/// program.
///
/// Times are milliseconds of this machine's boot clock; the boot that they belong to is named by
/// its number, since a reading means nothing in another boot.
public struct AgeChanges: Hashable, Sendable {
  /// The present boot, where it is another than at the last start. The anchors that are kept belong
  /// to the boot before, and go.
  public var boot: KnownBoot?
  /// Anchors that arrived or were made, in that order; one that is kept stays.
  public var anchors: [StoredAnchor] = []
  /// The places of anchors that are too old, or too many of one author.
  public var forgottenAnchors: [Int64] = []
  /// Each replaces the one of its subject and source.
  public var stamps: [StoredStamp] = []
  /// Of frames in the urgent lane; one that is kept stays.
  public var frames: [FrameArrival] = []

  /// Changes nothing, to be filled.
  public init() {}

  /// Whether committing it would change nothing.
  public var isEmpty: Bool {
    boot == nil && anchors.isEmpty && forgottenAnchors.isEmpty && stamps.isEmpty && frames.isEmpty
  }
}

/// A boot of this machine in which the node ran.
public struct KnownBoot: Hashable, Sendable {
  /// Grows by one with each.
  public let number: Int64
  /// What the device's stamps call it.
  public let id: BootID

  /// The caller draws the number: one more than the greatest that is kept.
  public init(number: Int64, id: BootID) {
    self.number = number
    self.id = id
  }
}

/// What is known of when something was made, by this machine's boot clock in one of its boots.
public struct ArrivalSpan: Hashable, Sendable {
  /// `KnownBoot.number`.
  public let boot: Int64
  /// It was made not earlier; nil where no echo led back.
  public let earliest: Int64?
  /// It was made not later: when it arrived, or what other stamps of its author show.
  public let latest: Int64

  /// Of one boot; `earliest` MUST NOT be above `latest`.
  public init(boot: Int64, earliest: Int64?, latest: Int64) {
    self.boot = boot
    self.earliest = earliest
    self.latest = latest
  }
}

/// An anchor of the last 24 hours, in the present boot of this machine.
public struct StoredAnchor: Hashable, Sendable {
  /// Its number in the order of arrival; the tracker assigns it, and none twice.
  public let place: Int64
  /// What others echo it by.
  public let id: StampedRecordID
  /// Whose record it is.
  public let author: DeviceID
  /// Whether this program made it.
  public let isOwn: Bool
  /// As its author signed it.
  public let stated: RecordStamp
  /// When it arrived; of an own one, when it was made.
  public let arrived: Int64

  /// `stated` MUST be an anchor's.
  public init(
    place: Int64, id: StampedRecordID, author: DeviceID, isOwn: Bool, stated: RecordStamp,
    arrived: Int64
  ) {
    self.place = place
    self.id = id
    self.author = author
    self.isOwn = isOwn
    self.stated = stated
    self.arrived = arrived
  }
}

/// Where the newest stamp of a subject comes from. Numbers are stored and append-only.
public enum StampSource: UInt8, Hashable, Sendable {
  /// A position record, of a device or of a tracker.
  case position = 1
  case presence = 2
  /// A frame in the urgent lane.
  case frame = 3
}

/// The newest record of a subject from one source: when it was made, as far as is known.
public struct StoredStamp: Hashable, Sendable {
  /// A device, or what a tracker's row is called as one.
  public let subject: DeviceID
  /// What sort of record it is.
  public let source: StampSource
  /// Whose record it is: of a tracker, the device that listens to it.
  public let author: DeviceID
  /// What others echo it by, if it is an anchor.
  public let id: StampedRecordID
  /// As its author signed it; nil where it has no stamp that is well-formed.
  public let stated: RecordStamp?
  /// When it was made, as far as was known when it arrived.
  public let made: ArrivalSpan

  /// What is known of one record.
  public init(
    subject: DeviceID, source: StampSource, author: DeviceID, id: StampedRecordID,
    stated: RecordStamp?, made: ArrivalSpan
  ) {
    self.subject = subject
    self.source = source
    self.author = author
    self.id = id
    self.stated = stated
    self.made = made
  }
}

/// When a frame of the urgent lane was made, as far as was known when it arrived.
public struct FrameArrival: Hashable, Sendable {
  /// The first half of the frame's hash, as dots have it.
  public let name: Bytes16
  /// By its log's certificate.
  public let author: DeviceID
  /// Nil where it has none that is well-formed.
  public let stamp: Stamp?
  /// When it was made.
  public let made: ArrivalSpan

  /// What is known of one frame.
  public init(name: Bytes16, author: DeviceID, stamp: Stamp?, made: ArrivalSpan) {
    self.name = name
    self.author = author
    self.stamp = stamp
    self.made = made
  }
}

/// The moment at which a batch arrived, or was written, here: for the journal of arrivals.
public struct ArrivalTime: Hashable, Sendable {
  /// `KnownBoot.number`.
  public let boot: Int64
  /// Of the boot clock.
  public let milliseconds: Int64
  /// As the wall clock showed it: a label.
  public let wall: Timestamp

  /// By the clocks of one moment.
  public init(boot: Int64, milliseconds: Int64, wall: Timestamp) {
    self.boot = boot
    self.milliseconds = milliseconds
    self.wall = wall
  }
}

/// One entry of the journal of arrivals: that something arrived, or was written, here.
public struct JournalEntry: Hashable, Sendable {
  /// What arrived. Numbers are stored and append-only.
  public enum Kind: UInt8, Hashable, Sendable {
    case frame = 1
    /// The newest `Limits.journaledRecords` are kept.
    case record = 2
  }

  /// On whose authority, as the first eight bytes of the certificate's hash.
  public let author: UInt64
  /// What arrived.
  public let kind: Kind
  /// The first half of the hash that its author signed.
  public let name: Bytes16
  /// When.
  public let time: ArrivalTime

  /// An entry to append.
  public init(certificate: CertificateHash, kind: Kind, name: Bytes16, time: ArrivalTime) {
    self.init(author: certificate.raw.prefix.high, kind: kind, name: name, time: time)
  }

  init(author: UInt64, kind: Kind, name: Bytes16, time: ArrivalTime) {
    self.author = author
    self.kind = kind
    self.name = name
    self.time = time
  }
}
