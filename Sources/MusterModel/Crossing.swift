/// Whether a subject came in or went out.
public enum CrossingType: UInt8, Sendable, Hashable {
  case enter = 1
  case exit = 2

  /// `ENTER` or `EXIT`, as other systems write it.
  public var name: String { self == .enter ? "ENTER" : "EXIT" }
}

/// The hash of the dots of a fence's shown geometry and active flag: which fence was crossed.
public struct FenceVersion: Identifier {
  public let raw: Bytes16
  public init(raw: Bytes16) { self.raw = raw }
}

/// One ENTER or EXIT: an immutable event, authored by the subject's own node.
public struct Crossing: Hashable, Sendable {
  public var type: CrossingType
  public var fence: RowID
  public var fenceVersion: FenceVersion
  /// The device that crossed.
  public var subject: DeviceID
  /// Counts this subject's transitions of this fence in one incarnation, from 1.
  public var transition: UInt32
  public var fix: Fix
  /// A first fix that was already inside.
  public var isBaseline: Bool

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
  public let id: CrossingID
  public let crossing: Crossing
  public let author: Author
  public let writtenAt: Timestamp

  public init(id: CrossingID, crossing: Crossing, author: Author, writtenAt: Timestamp) {
    self.id = id
    self.crossing = crossing
    self.author = author
    self.writtenAt = writtenAt
  }
}
