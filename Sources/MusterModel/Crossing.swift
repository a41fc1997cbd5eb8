/// Whether a subject entered or left a zone.
public enum CrossingType: UInt8, Codable, Sendable, Hashable {
  case enter = 1
  case exit = 2

  /// `ENTER` or `EXIT`, the names that other systems use.
  public var name: String { self == .enter ? "ENTER" : "EXIT" }
}

/// The version of a fence at a crossing: a hash of the dots of its geometry and active flag.
public struct FenceVersion: Identifier {
  /// A hash (BLAKE2b-128) of the two dots.
  public let raw: Bytes16
  /// Wraps a version that was stored or received; a new one is computed from dots.
  public init(raw: Bytes16) { self.raw = raw }
}

/// One ENTER or EXIT: an immutable event, authored by the subject's own node.
public struct Crossing: Hashable, Sendable {
  /// What the subject did, relative to the fence.
  public var type: CrossingType
  /// The fence's row, which may arrive later than its crossings.
  public var fence: RowID
  /// The outline and the active flag that the author evaluated; both may have changed since.
  public var fenceVersion: FenceVersion
  /// The device that crossed.
  public var subject: DeviceID
  /// Counts this subject's transitions of this fence in one incarnation, from 1.
  public var transition: UInt32
  /// The fix that caused the event; its sample time is the time of the crossing.
  public var fix: Fix
  /// Whether the subject's first fix was already inside.
  public var isBaseline: Bool

  /// Creates a crossing. The caller counts `transition` and MUST NOT reuse a number: the crossing's
  /// id depends on it.
  public init(
    type: CrossingType, fence: RowID, fenceVersion: FenceVersion, subject: DeviceID,
    transition: UInt32, fix: Fix, isBaseline: Bool
  ) {
    self.type = type
    self.fence = fence
    self.fenceVersion = fenceVersion
    self.subject = subject
    self.transition = transition
    self.fix = fix
    self.isBaseline = isBaseline
  }
}

/// A stored crossing with its id and author.
public struct RecordedCrossing: Hashable, Sendable {
  /// A hash, so that a crossing that arrives twice is stored once.
  public let id: CrossingID
  /// The signed content.
  public let crossing: Crossing
  /// The author of the signature; only the subject's own device is authorized.
  public let author: Author
  /// When the author claims to have written it; the time of the event is the fix's sample time.
  public let writtenAt: Timestamp

  /// The caller MUST derive `id` from this crossing and the incarnation that wrote it.
  public init(id: CrossingID, crossing: Crossing, author: Author, writtenAt: Timestamp) {
    self.id = id
    self.crossing = crossing
    self.author = author
    self.writtenAt = writtenAt
  }
}
