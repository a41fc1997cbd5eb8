public import MusterModel

/// The state of one user, report, geofence or other row: for each field, the values that are not
/// superseded.
///
///     write ──▶ owner known? ──no──▶ waits for the row's origin
///                   │yes
///               authorized? ──no──▶ rejected (held in the log, shown nowhere)
///                   │yes
///               supersede the live dots that it names ─▶ of those not yet applied it is noted
///                   │
///               was it superseded, or has its strand as many later writes as count?
///                   │no                    └──yes──▶ superseded on arrival
///               live; earlier ones of its strand beyond the bound are superseded
///
/// A row is a function of the *set* of writes applied to it: any order gives the same state, and
/// therefore replicas converge. Correctness needs no clock.
///
/// The caller MUST apply each write once (the log determines which are applied), and MUST have
/// checked that an `origin` hashes to the row's id, because this layer does not hash.
///
/// Superseded values are kept in the log only. What waits for other writes is kept beside the row
/// (`PendingWrites`), and of each strand the row keeps a bounded number of writes (`StrandBound`).
/// So what a row costs follows from its strands, and not from the number of its writes.
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
  /// Sorted: writes that have no live value and are among the newest of their strand, so that
  /// earlier ones that arrive late are superseded on arrival.
  var gone: [GoneWrite] = []
  /// The number of superseders beside the row, of writes that are not applied yet.
  public internal(set) var superseders = 0
  /// The number of writes beside the row, which arrived before its origin.
  public internal(set) var waiting = 0

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
  ///   - pending: what waits beside this row.
  @discardableResult
  public mutating func apply<Pending: PendingWrites>(
    _ write: AuthoredWrite, at place: LogPosition, beside pending: inout Pending
  ) throws(Pending.Failure) -> Outcome {
    precondition(write.write.key == key, "write for \(write.write.key) given to \(key)")
    let placed = PlacedWrite(authored: write, place: place)
    if owner != nil { return try settle(placed, in: nil, beside: &pending) }
    guard let origin = write.write.origin else {
      #if Canary
        if Canary.dropEarlyEdit.isPlanted { return .waits }
      #endif
      try pending.keep(placed)
      waiting += 1
      return .waits
    }
    self.origin = origin
    return try settleWaiting(after: placed, beside: &pending)
  }

  /// Applies the write that contains the origin, then the writes that waited for it.
  private mutating func settleWaiting<Pending: PendingWrites>(
    after first: PlacedWrite, beside pending: inout Pending
  ) throws(Pending.Failure) -> Outcome {
    let drained = waiting == 0 ? [] : try pending.takeWrites(of: key)
    waiting = 0
    var drain = Drain(first: first.dot, rest: Set(drained.map(\.dot)))
    let outcome = try settle(first, in: drain, beside: &pending)
    for write in drained {
      try settle(write, in: drain, beside: &pending)
      drain.rest.remove(write.dot)
    }
    return outcome
  }

  @discardableResult
  private mutating func settle<Pending: PendingWrites>(
    _ placed: PlacedWrite, in drain: Drain?, beside pending: inout Pending
  ) throws(Pending.Failure) -> Outcome {
    let (authored, write) = (placed.authored, placed.authored.write)
    let (author, field) = (authored.author, write.field)
    let isSuperseded = try takeSuperseders(of: authored, beside: &pending)
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
    if let superseder = Permission.superseder(in: field, by: author) {
      for dot in write.supersedes {
        try supersede(dot, in: field, by: superseder, in: drain, beside: &pending)
      }
    }
    note(authored, createdBy: owner)
    let entry = write.value.map {
      LiveEntry(
        field: field, place: placed.place,
        value: LiveValue(
          dot: authored.dot, value: $0, author: author.user, role: author.role,
          writtenAt: authored.writtenAt, onBehalfOf: authored.onBehalfOf))
    }
    keep(
      isSuperseded ? nil : entry,
      of: GoneWrite(field: field, place: placed.place, index: authored.dot.index),
      within: StrandBound(of: field, role: author.role), hasValue: entry != nil)
    return .applied
  }

  /// Notes what an existence states about the creation of the row. Command starts check-ins for
  /// others: a write of the existence is authorized already.
  private mutating func note(_ authored: AuthoredWrite, createdBy owner: UserID) {
    let write = authored.write
    guard write.value != nil, write.field == Field.existence(of: key.kind),
      authored.author.user == owner || key.kind == .checkIn
    else { return }
    creation.firstAt = min(creation.firstAt ?? authored.writtenAt, authored.writtenAt)
    if let principal = authored.onBehalfOf, !write.takesEarlier, write.supersedes.isEmpty {
      creation.onBehalfOf = min(creation.onBehalfOf ?? principal, principal)
    }
  }

  private func isWellFormed(_ write: Write) -> Bool {
    write.supersedes.count <= Limits.supersededDots
      && (write.value.map(write.field.accepts) ?? true)
  }

  /// Returns whether the write was superseded before it arrived.
  private mutating func takeSuperseders<Pending: PendingWrites>(
    of write: AuthoredWrite, beside pending: inout Pending
  ) throws(Pending.Failure) -> Bool {
    guard superseders > 0 else { return false }
    let name = FieldDot(field: write.write.field, dot: write.dot)
    let found = try pending.takeSuperseders(of: name, in: key)
    superseders -= found.count
    return found.contains { $0.covers(write.author.user) }
  }

  private mutating func supersede<Pending: PendingWrites>(
    _ dot: Dot, in field: Field, by superseder: Superseder, in drain: Drain?,
    beside pending: inout Pending
  ) throws(Pending.Failure) {
    let index = place(of: dot, in: field)
    if index < live.endIndex, live[index].field == field, live[index].value.dot == dot {
      if superseder.covers(live[index].value.author) { removeLive(at: index) }
    } else if try !hasArrived(dot, in: drain, beside: pending) {
      #if Canary
        if Canary.forgetSuperseded.isPlanted { return }
      #endif
      if try pending.keep(superseder, of: FieldDot(field: field, dot: dot), in: key) {
        superseders += 1
      }
    }
  }

  /// While waiting writes are applied, their frames count as applied, but a dot that still waits
  /// has not reached this row. Of the first write's own frame, only later entries have yet to
  /// arrive.
  private func hasArrived<Pending: PendingWrites>(
    _ dot: Dot, in drain: Drain?, beside pending: Pending
  ) throws(Pending.Failure) -> Bool {
    if let drain {
      if drain.rest.contains(dot) { return false }
      if dot.frame == drain.first.frame { return dot.index <= drain.first.index }
    }
    return try pending.isApplied(dot.frame)
  }

  /// Returns the index at which the value of this dot is, or would be.
  func place(of dot: Dot, in field: Field) -> Int {
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
  let value: LiveValue
}

/// Writes that waited for the origin of their row and are applied now.
private struct Drain {
  /// The write with the origin.
  let first: Dot
  /// Those that are not applied yet.
  var rest: Set<Dot>
}
