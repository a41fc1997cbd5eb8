/// Whether a subject came in or went out.
public enum CrossingType: UInt8, Codable, Sendable, Hashable {
  case enter = 1
  case exit = 2

  /// `ENTER` or `EXIT`, as other systems write it.
  public var name: String { self == .enter ? "ENTER" : "EXIT" }
}

/// The hash of the dots of a fence's shown geometry and active flag: which fence was crossed.
public struct FenceVersion: Identifier {
  /// A hash (BLAKE2b-128) of the two dots.
  public let raw: Bytes16
  /// Takes a version as it was stored or received; a new one is made from dots.
  public init(raw: Bytes16) { self.raw = raw }
}

/// One ENTER or EXIT: an immutable event, authored by the subject's own node.
public struct Crossing: Hashable, Sendable {
  /// What the subject did, seen from the fence.
  public var type: CrossingType
  /// The fence's row, which may arrive later than its crossings.
  public var fence: RowID
  /// The outline and the active flag that the author decided by, since both may have changed since.
  public var fenceVersion: FenceVersion
  /// The device that crossed.
  public var subject: DeviceID
  /// Counts this subject's transitions of this fence in one incarnation, from 1.
  public var transition: UInt32
  /// The fix that decided it: its sample time is when the subject crossed.
  public var fix: Fix
  /// A first fix that was already inside.
  public var isBaseline: Bool

  /// The caller counts `transition` and MUST not give a number twice: the crossing's id depends on
  /// it.
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

/// A crossing as it is kept: its id, and who signed it.
public struct RecordedCrossing: Hashable, Sendable {
  /// A hash, so that a crossing that arrives twice is kept once.
  public let id: CrossingID
  /// What was signed.
  public let crossing: Crossing
  /// Whoever signed it: only the subject's own device may.
  public let author: Author
  /// When the author claims to have written it; when it happened is the fix's sample time.
  public let writtenAt: Timestamp

  /// The caller MUST have made `id` from this very crossing and the incarnation that wrote it.
  public init(id: CrossingID, crossing: Crossing, author: Author, writtenAt: Timestamp) {
    self.id = id
    self.crossing = crossing
    self.author = author
    self.writtenAt = writtenAt
  }
}
