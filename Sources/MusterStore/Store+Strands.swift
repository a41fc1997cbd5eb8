internal import GRDB
public import MusterModel

/// Where verified frames belong that may be another branch of a log.
public enum Attachment: Hashable, Sendable {
  /// Every one of them is held.
  case known
  /// What they follow is not held.
  case unattached
  /// There are more strands of the log than are held.
  case refused
  /// These frames go on from a strand that nothing else goes on from.
  case grows(LogID, [Frame])
  /// These frames begin a strand after a place; where that is not its strand's newest, the frame
  /// after it is given, since the strand has to part there.
  case branches(after: FramePosition, before: FrameHash?, [Frame])
}

extension Store {
  /// Finds where consecutive frames go on from what is held of their log, whichever strand that is.
  ///
  /// - Parameter frames: not empty, with verified hashes; not the opening.
  public func attachment(of frames: [Frame]) throws(StoreError) -> Attachment {
    try read { database in
      guard let first = frames.first, first.sequence > 0 else { return .unattached }
      let strands = try FrameTable.strands(of: first.log, in: database)
      guard var walk = try StrandWalk(to: first.previous, in: strands, database) else {
        return .unattached
      }
      for (index, frame) in frames.enumerated() {
        guard try walk.step(to: frame.hash, database) else {
          return try walk.attachment(of: Array(frames[index...]), database)
        }
      }
      return .known
    }
  }

  /// The strands of a log, the log's own among them, in the order in which they came to be.
  public func strands(of log: LogID) throws(StoreError) -> [LogSummary] {
    try read { try FrameTable.strands(of: log, in: $0).map(\.summary) }
  }

  /// Which strand of a log holds a frame; nil where none does.
  public func strand(of hash: FrameHash, in log: LogID) throws(StoreError) -> FramePosition? {
    try read { database in
      let strands = try FrameTable.strands(of: log, in: database)
      return try StrandWalk(to: hash, in: strands, database)?.place
    }
  }
}

/// A walk over the tree of a log's strands.
private struct StrandWalk {
  private let strands: [HeldLog]
  private var strand: HeldLog
  private var sequence: UInt64

  var place: FramePosition { FramePosition(log: strand.head.log, sequence: sequence) }

  /// Begins at the frame with a hash; nil where no strand holds it.
  init?(to hash: FrameHash, in strands: [HeldLog], _ database: Database) throws {
    self.strands = strands
    for place in try FrameTable.places(of: hash.raw.prefix, in: database) {
      guard let strand = strands.first(where: { $0.ref == place >> 32 }),
        try FrameTable.hash(at: place, in: database) == hash
      else { continue }
      self.strand = strand
      sequence = UInt64(place & 0xFFFF_FFFF)
      return
    }
    return nil
  }

  private var isAtHead: Bool { sequence == strand.head.sequence }

  /// Goes on to the next frame if it has this hash.
  mutating func step(to hash: FrameHash, _ database: Database) throws -> Bool {
    if !isAtHead {
      guard try FrameTable.hash(at: strand.place(sequence + 1), in: database) == hash else {
        return false
      }
      sequence += 1
      return true
    }
    for child in strands where child.base?.parent == strand.head.log {
      guard try FrameTable.hash(at: child.place(sequence + 1), in: database) == hash else {
        continue
      }
      strand = child
      sequence += 1
      return true
    }
    return false
  }

  /// Where frames belong that follow the one that was come to, and are not held.
  func attachment(of frames: [Frame], _ database: Database) throws -> Attachment {
    if isAtHead, !strand.isParted { return .grows(strand.head.log, frames) }
    guard strands.count + 2 <= Limits.strandsPerLog else { return .refused }
    let next =
      isAtHead ? nil : try FrameTable.hash(at: strand.place(sequence + 1), in: database)
    return .branches(after: place, before: next, frames)
  }
}
