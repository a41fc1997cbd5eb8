internal import MusterModel

/// Of the writes of one strand to one field, how many of the newest count: an earlier one is
/// superseded for good, whatever becomes of the later ones. So an author cannot make a row dear,
/// and it does not matter in which order the writes arrive.
struct StrandBound: Hashable {
  /// The number of writes that count.
  let most: Int
  /// Whether a write without a value counts as well: it supersedes what its strand wrote before.
  let countsRemovals: Bool

  /// Nil where every write counts: command adds any number of elements to a set.
  init?(of field: Field, role: Role) {
    switch field {
    case .fenceDeleted, .permitRevoked: (most, countsRemovals) = (1, false)
    case _ where !field.isSetOfElements: (most, countsRemovals) = (1, true)
    default:
      guard role != .command else { return nil }
      (most, countsRemovals) = (field.elementsOfStrand, false)
    }
  }
}

extension Field {
  /// Whether elements are added one beside the other; an existence is one value, written again by
  /// each edit.
  var isSetOfElements: Bool { kind == .addWinsSet && self != Field.existence(of: entity) }

  /// The elements of one strand that a row keeps, by an author below command.
  var elementsOfStrand: Int {
    switch self {
    case .reportComments: Limits.commentsOfStrand
    case .reportPhotoMarks: Limits.photoMarksOfStrand
    case .directiveTrackerReplies: Limits.trackerRepliesOfStrand
    default: Limits.elementsOfStrand
    }
  }
}

/// A write that has no live value, and is among those of its strand that count.
struct GoneWrite: Hashable, Comparable, Sendable {
  let field: Field
  /// The store's number of the strand.
  let log: UInt32
  let sequence: UInt32
  /// Within the frame.
  let index: UInt16

  init(field: Field, place: LogPosition, index: UInt16) {
    (self.field, log, sequence) = (field, place.log, place.sequence)
    self.index = index
  }

  static func < (left: GoneWrite, right: GoneWrite) -> Bool {
    (left.field.rawValue, left.log, left.sequence, left.index)
      < (right.field.rawValue, right.log, right.sequence, right.index)
  }

  /// Whether both are writes of one strand to one field.
  func isBeside(_ other: GoneWrite) -> Bool { field == other.field && log == other.log }
}

extension LiveEntry {
  /// The write as it is once it is superseded.
  fileprivate var gone: GoneWrite {
    GoneWrite(field: field, place: place, index: value.dot.index)
  }
}

extension RowState {
  /// Takes a write whose effects on others are done.
  ///
  /// - Parameters:
  ///   - entry: nil without a value, or if the write is superseded already.
  ///   - hasValue: whether the write has a value, superseded or not.
  mutating func keep(
    _ entry: LiveEntry?, of write: GoneWrite, within bound: StrandBound?, hasValue: Bool
  ) {
    #if Canary
      if Canary.everyWriteCounts.isPlanted, write.field.isSetOfElements {
        if let entry { insert(entry) }
        return
      }
    #endif
    guard let bound else {
      if let entry { insert(entry) }
      return
    }
    guard hasValue || bound.countsRemovals else { return }
    var later = 0
    eachKept(beside: write) { if $0 > write { later += 1 } }
    guard later < bound.most else { return }
    if let entry { insert(entry) } else { insert(write) }
    removeOldest(beside: write, beyond: bound.most)
  }

  /// Removes a live value that another write supersedes by name.
  mutating func removeLive(at index: Int) {
    let entry = live.remove(at: index)
    if StrandBound(of: entry.field, role: entry.value.role) != nil { insert(entry.gone) }
  }

  private mutating func insert(_ entry: LiveEntry) {
    #if Canary
      if Canary.oneCommentEach.isPlanted, entry.field == .reportComments {
        live.removeAll { $0.field == entry.field && $0.value.author == entry.value.author }
      }
    #endif
    live.insert(entry, at: place(of: entry.value.dot, in: entry.field))
  }

  private mutating func insert(_ write: GoneWrite) {
    let index = gone.firstIndex { $0 > write } ?? gone.endIndex
    gone.insert(write, at: index)
  }

  private mutating func removeOldest(beside write: GoneWrite, beyond most: Int) {
    var (count, oldest) = (0, write)
    eachKept(beside: write) {
      count += 1
      oldest = min(oldest, $0)
    }
    guard count > most else { return }
    if let index = gone.firstIndex(of: oldest) {
      gone.remove(at: index)
    } else {
      live.removeAll { $0.field == oldest.field && $0.gone == oldest }
    }
  }

  /// Calls `body` with each write of a strand to a field that is kept.
  private func eachKept(beside write: GoneWrite, _ body: (GoneWrite) -> Void) {
    var index = place(of: Dot(frame: .zero, index: 0), in: write.field)
    while index < live.endIndex, live[index].field == write.field {
      if live[index].place.log == write.log { body(live[index].gone) }
      index += 1
    }
    for other in gone where other.isBeside(write) { body(other) }
  }
}
