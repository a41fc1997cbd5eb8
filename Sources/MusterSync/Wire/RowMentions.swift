public import MusterModel

/// The rows that frames of one log, under one epoch, name in full, so that later frames can refer
/// to them in three bytes. It belongs to the writer of the log.
///
/// It is a cache: a row that it does not contain is named in full again, so it can be cleared at
/// any time.
public struct RowMentions: Sendable {
  private var mentions: [RowID: Mention] = [:]

  struct Mention: Hashable, Sendable {
    let sequence: UInt64
    let index: UInt16
    /// Whether the origin of the row is included.
    let hasOrigin: Bool
  }

  /// Creates an empty cache, for a log or epoch without writes.
  public init() {}

  /// Returns nil for a row that no frame has named, or that none has named with the required
  /// origin.
  func mention(of row: RowID, withOrigin needsOrigin: Bool) -> Mention? {
    guard let known = mentions[row], known.hasOrigin || !needsOrigin else { return nil }
    return known
  }

  mutating func note(_ row: RowID, _ mention: Mention) {
    if mentions.count >= Limits.rowMentions { mentions.removeAll(keepingCapacity: true) }
    mentions[row] = mention
  }
}

/// A row that a frame names in full, and the operation that names it.
public struct NamedRow: Hashable, Sendable {
  /// The index of the operation in the frame, from 0, as in a dot.
  public let index: UInt16
  /// The row that later frames of the log mean when they refer to this operation.
  public let row: RowID
}

/// The result of resolving a reference to an operation of an earlier frame of the log.
public enum RowReference: Hashable, Sendable {
  case row(RowID)
  /// The operation names no row, or its frame is under another epoch. The write is invalid.
  case none
  /// The frame waits for a later version of this program, so the referring frame waits too.
  case unknown
}
