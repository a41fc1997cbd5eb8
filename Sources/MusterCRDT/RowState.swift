public import MusterModel

/// The state of one user, report, geofence or other row: for each field, the values that are not
/// superseded.
///
///     write ──▶ owner known? ──no──▶ waits for the row's origin
///                   │yes
///               authorized? ──no──▶ rejected (held in the log, shown nowhere)
///                   │yes
///               supersede the live dots that it names ─▶ dots not yet applied are awaited
///               and, if it states so, its log's earlier writes ─▶ which is remembered
///                   │
///               is its own dot awaited or overwritten? ──yes──▶ superseded on arrival
///                   │no
///               live
///
/// A row is a function of the *set* of writes applied to it: any order gives the same state, and
/// therefore replicas converge. Correctness needs no clock.
///
/// The caller MUST apply each write once (the log determines which are applied), and MUST have
/// checked that an `origin` hashes to the row's id, because this layer does not hash.
///
/// Superseded values are kept in the log only.
public struct RowState: Hashable, Sendable {
  /// Writes to any other row are a programmer's error.
  public let key: RowKey
  /// Nil until a write that contains it is applied; a user's row has none.
  public internal(set) var origin: RowOrigin?
  /// What the existences that the owner ever wrote claim, superseded or not: edits write the
  /// existence again.
  var creation = Creation()
  /// Sorted by field, then by dot. One array, because synchronization builds and stores hundreds of
  /// thousands of rows.
  var live: [LiveEntry] = []
  /// Superseded dots whose frames are not applied yet, with the authors that superseded them.
  var awaited: [FieldDot: [Author]] = [:]
  /// For each field and log, the newest frame that superseded the log's earlier writes and has no
  /// live value itself. Writes of that log that arrive late are superseded on arrival.
  var overwritten: [FieldLog: UInt32] = [:]
  /// Writes that arrived before the row's origin, sorted by dot.
  var waiting: [PlacedWrite] = []

  /// Creates a row without applied writes.
  public init(key: RowKey) {
    self.key = key
  }

  /// Whether the owner's own existence was ever applied. An authorized writer can invent an origin
  /// that names another user; a row that the named owner did not sign is not shown as theirs.
  public var isCreated: Bool { creation.firstAt != nil }

  /// The person or login that the row was created for, as the owner's device claims; nil for its
  /// own user.
  public var createdOnBehalfOf: Principal? { creation.onBehalfOf }

  /// Nil until the origin is known. Users own their own row and settings.
  public var owner: UserID? { key.kind.hasOrigin ? origin?.owner : UserID(raw: key.id.raw) }

  /// Who created the row, as the owner's device claims; nil until the origin is known.
  public var creator: Writer? { owner.map { Writer($0, onBehalfOf: createdOnBehalfOf) } }

  /// Claims of the existences of a row.
  struct Creation: Hashable, Sendable {
    /// The earliest time.
    var firstAt: Timestamp?
    /// The least principal of the existences that supersede nothing.
    var onBehalfOf: Principal?
  }

  /// The result of applying a write.
  public enum Outcome: Hashable, Sendable {
    case applied
    /// The write waits: the row's origin is not known yet.
    case waits
    /// The author is not authorized, or the field does not accept the value.
    case refused
  }

  /// Applies one write. The writes of one frame MUST be given in the order of their indices.
  ///
  /// - Parameters:
  ///   - place: the place of the frame of `write`.
  ///   - isApplied: whether the frame of a dot is already applied; the frame of `write` itself may
  ///     count either way. It distinguishes a superseded value that is gone from one that has yet
  ///     to arrive, and is called only for dots that are not live.
  @discardableResult
  public mutating func apply(
    _ write: AuthoredWrite, at place: LogPosition, isApplied: (Bytes16) -> Bool
  ) -> Outcome {
    precondition(write.write.key == key, "write for \(write.write.key) given to \(key)")
    let placed = PlacedWrite(authored: write, place: place)
    if owner != nil { return settle(placed) { isApplied($0.frame) } }
    guard let origin = write.write.origin else {
      wait(placed)
      return .waits
    }
    self.origin = origin
    return settleWaiting(after: placed, isApplied: isApplied)
  }

  private mutating func wait(_ write: PlacedWrite) {
    #if Canary
      if Canary.dropEarlyEdit.isPlanted { return }
    #endif
    let index = waiting.firstIndex { $0.dot > write.dot } ?? waiting.endIndex
    waiting.insert(write, at: index)
  }

  /// Applies the write that contains the origin, then the writes that waited for it. The caller
  /// counts their frames as applied, but a dot that still waits has not reached this row. Of the
  /// first write's own frame, only later entries have yet to arrive.
  private mutating func settleWaiting(
    after first: PlacedWrite, isApplied: (Bytes16) -> Bool
  ) -> Outcome {
    let drained = waiting
    waiting = []
    var rest = Set(drained.map(\.dot))
    func hasCome(_ dot: Dot) -> Bool {
      if dot.frame == first.dot.frame, dot.index > first.dot.index { return false }
      return !rest.contains(dot) && (dot.frame == first.dot.frame || isApplied(dot.frame))
    }
    let outcome = settle(first, hasCome: hasCome)
    for write in drained {
      settle(write, hasCome: hasCome)
      rest.remove(write.dot)
    }
    return outcome
  }

  @discardableResult
  private mutating func settle(_ placed: PlacedWrite, hasCome: (Dot) -> Bool) -> Outcome {
    let (authored, place) = (placed.authored, placed.place)
    let (write, author) = (authored.write, authored.author)
    let field = write.field
    let superseders = awaited.removeValue(forKey: FieldDot(field: field, dot: authored.dot))
    guard let owner, Permission.allows(write, by: author, owner: owner), isWellFormed(write) else {
      return .refused
    }
    #if Canary
      if Canary.wallClockWins.isPlanted, field.kind == .lastWriter,
        values(of: field).contains(where: { $0.writtenAt > authored.writtenAt })
      {
        return .refused
      }
      if Canary.lastArrivalWins.isPlanted, field.kind == .lastWriter {
        live.removeAll { $0.field == field }
      }
    #endif
    for dot in write.supersedes {
      supersede(dot, in: field, by: author, hasCome: hasCome)
    }
    let takesEarlier = Self.takesEarlier(write)
    if takesEarlier { takeEarlier(in: field, than: place, by: author) }
    defer { if takesEarlier { remember(in: field, overwriting: place) } }
    guard let value = write.value else { return .applied }
    // Command starts check-ins for others: a write of the existence is authorized already.
    if field == Field.existence(of: key.kind), author.user == owner || key.kind == .checkIn {
      creation.firstAt = min(creation.firstAt ?? authored.writtenAt, authored.writtenAt)
      if let principal = authored.onBehalfOf, !write.takesEarlier, write.supersedes.isEmpty {
        creation.onBehalfOf = min(creation.onBehalfOf ?? principal, principal)
      }
    }
    let isGone = superseders?.contains {
      Permission.allowsSuperseding(field, valueOf: author.user, by: $0)
    }
    if isGone != true, !isOverwritten(in: field, at: place, by: author) {
      insert(
        LiveEntry(
          field: field, place: place, takesEarlier: takesEarlier,
          value: LiveValue(
            dot: authored.dot, value: value, author: author.user, role: author.role,
            writtenAt: authored.writtenAt, onBehalfOf: authored.onBehalfOf)))
    }
    return .applied
  }

  private func isWellFormed(_ write: Write) -> Bool {
    write.supersedes.count <= Limits.supersededDots
      && (write.value.map(write.field.accepts) ?? true)
  }

  private mutating func supersede(
    _ dot: Dot, in field: Field, by author: Author, hasCome: (Dot) -> Bool
  ) {
    let index = place(of: dot, in: field)
    if index < live.endIndex, live[index].field == field, live[index].value.dot == dot {
      let element = live[index].value.author
      guard Permission.allowsSuperseding(field, valueOf: element, by: author) else { return }
      let gone = live.remove(at: index)
      if gone.takesEarlier { remember(in: field, overwriting: gone.place) }
    } else if !hasCome(dot) {
      #if Canary
        if Canary.forgetSuperseded.isPlanted { return }
      #endif
      let name = FieldDot(field: field, dot: dot)
      var superseders = awaited[name] ?? []
      guard !superseders.contains(author) else { return }
      superseders.append(author)
      awaited[name] = superseders.sorted(by: Author.isOrdered)
    }
  }

  private mutating func insert(_ entry: LiveEntry) {
    #if Canary
      if Canary.oneCommentEach.isPlanted, entry.field == .reportComments {
        live.removeAll { $0.field == entry.field && $0.value.author == entry.value.author }
      }
    #endif
    live.insert(entry, at: place(of: entry.value.dot, in: entry.field))
  }

  /// Returns the index at which the value of this dot is, or would be.
  private func place(of dot: Dot, in field: Field) -> Int {
    var (low, high) = (live.startIndex, live.endIndex)
    while low < high {
      let middle = (low + high) / 2
      if live[middle].field < field
        || (live[middle].field == field && live[middle].value.dot < dot)
      {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}

/// A live value, its field, and the frame that wrote it.
struct LiveEntry: Hashable, Sendable {
  let field: Field
  let place: LogPosition
  /// Whether the write superseded its log's earlier writes.
  let takesEarlier: Bool
  let value: LiveValue
}

/// A write and the place of its frame.
struct PlacedWrite: Hashable, Sendable {
  let authored: AuthoredWrite
  let place: LogPosition

  var dot: Dot { authored.dot }
}

/// The name of a value within a row.
struct FieldDot: Hashable, Comparable, Sendable {
  let field: Field
  let dot: Dot

  static func < (left: FieldDot, right: FieldDot) -> Bool {
    left.field != right.field ? left.field < right.field : left.dot < right.dot
  }
}

extension Author {
  /// A fixed order, so that equal sets have equal bytes.
  static func isOrdered(_ left: Author, _ right: Author) -> Bool {
    left.device != right.device
      ? left.device < right.device
      : (left.user, left.role.rawValue) < (right.user, right.role.rawValue)
  }
}
