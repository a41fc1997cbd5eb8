/// One boot of one device. It means nothing without its device.
public struct BootID: Identifier {
  /// Sixteen random bytes, or a hash of the system's boot id.
  public let raw: Bytes16
  /// Wraps an id that the shell drew, or that was received.
  public init(raw: Bytes16) { self.raw = raw }
}

/// The name of a stamped record: the first half of its 32-byte hash.
///
/// Sixteen bytes are enough: to make an old echo name a later record, an attacker needs a second
/// preimage (2^128 attempts). A collision (2^64) yields two records that were both complete when
/// the name was first used, so neither can contain the name of a record that was made afterwards.
public struct StampedRecordID: Identifier {
  /// The first sixteen bytes of the hash. The hash MUST cover at least 16 secret or random bytes of
  /// the author, else the name could be guessed before the record exists.
  public let raw: Bytes16
  /// Wraps a name that was computed or received.
  public init(raw: Bytes16) { self.raw = raw }
}

/// The reading of a device's boot clock when it made a record.
///
/// Invariant: `0 <= milliseconds <= Stamp.last`, so that sums and differences cannot overflow.
public struct Stamp: Hashable, Sendable {
  /// The boot that the reading counts from.
  public let boot: BootID
  /// Milliseconds since that boot, including sleep.
  public let milliseconds: Int64

  /// 8,900 years: no honest device runs so long without a restart.
  public static let last: Int64 = 1 << 48

  /// Returns nil if the reading is out of range: such a record counts as one without a stamp.
  public init?(boot: BootID, milliseconds: Int64) {
    guard (0...Self.last).contains(milliseconds) else { return nil }
    self.boot = boot
    self.milliseconds = milliseconds
  }
}

/// What a signed record or frame states about the time at which it was made: the stamp and, if it
/// is an anchor, the names of anchors that its author held.
///
/// Invariant: at most `echoLimit` echoes.
public struct RecordStamp: Hashable, Sendable {
  /// Read before the record was signed.
  public let stamp: Stamp
  /// Nil in a record that is not an anchor: it is dated, but neither echoed nor remembered.
  public let echoes: [StampedRecordID]?

  /// Most names that one record echoes.
  public static let echoLimit = 4

  /// Returns nil if there are more echoes than `echoLimit`.
  public init?(_ stamp: Stamp, echoes: [StampedRecordID]?) {
    guard (echoes ?? []).count <= Self.echoLimit else { return nil }
    (self.stamp, self.echoes) = (stamp, echoes)
  }

  /// Whether others may echo it.
  public var isAnchor: Bool { echoes != nil }
}
