public import MusterModel

/// Where frames of one log, under one epoch, name rows in full, so that later ones can name the
/// same rows in three bytes. It belongs to who writes the log.
///
/// What is not known here is named in full again, so it may be forgotten at any time.
public struct RowMentions: Sendable {
  private var mentions: [RowID: Mention] = [:]

  struct Mention: Hashable, Sendable {
    let sequence: UInt64
    let index: UInt16
    /// Whether the row's origin was said as well.
    let hasOrigin: Bool
  }

  /// Of a log, or an epoch, that nothing was written to yet.
  public init() {}

  /// Nil for a row that no frame named, or none that said the origin where it is asked for.
  func mention(of row: RowID, withOrigin needsOrigin: Bool) -> Mention? {
    guard let known = mentions[row], known.hasOrigin || !needsOrigin else { return nil }
    return known
  }

  mutating func note(_ row: RowID, _ mention: Mention) {
    if mentions.count >= Limits.rowMentions { mentions.removeAll(keepingCapacity: true) }
    mentions[row] = mention
  }
}

/// A row that a frame names in full, and the operation that does.
public struct NamedRow: Hashable, Sendable {
  /// Counts the frame's operations from 0, as in a dot.
  public let index: UInt16
  /// What later frames of the log mean by this place.
  public let row: RowID
}

/// What an earlier frame of the same log says of a row that is named by its place there.
public enum RowReference: Hashable, Sendable {
  case row(RowID)
  /// No row is named there, or the frame is under another epoch: the write is nobody's.
  case none
  /// The frame waits for a later version of this program, and so must whoever refers to it.
  case unknown
}
