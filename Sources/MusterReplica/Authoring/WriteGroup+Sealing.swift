internal import MusterCRDT
internal import MusterModel
internal import MusterStore

/// Sealing of the gathered writes of the current call, if any are gathered.
extension WriteGroup {
  /// Seals the gathered writes into frames, so that later writes can name them.
  static func seal(in core: inout ReplicaCore, now: ClockReading) throws {
    guard let taken = core.transaction.writeGroup?.take() else { return }
    for (lane, groups) in taken {
      let run = try core.seal(groups, lane: lane, now: now)
      let before = core.transaction.batch.frames.count
      try core.hold(run.frames, opening: run.opening, isOwn: true, now: now)
      core.transaction.writeGroup?.keep(run)
      let known = try run.frames.first.flatMap { try core.store.number(of: $0.log) }
      let log = known ?? number(ofNewLogIn: lane)
      for held in core.transaction.batch.frames[before...] {
        guard case .applied(let writes, _) = held.application else { continue }
        let place = LogPosition(log: log, sequence: UInt32(held.frame.sequence))
        for write in writes { try apply(write, at: place, in: &core) }
      }
    }
  }

  private static func apply(
    _ write: AuthoredWrite, at place: LogPosition, in core: inout ReplicaCore
  ) throws {
    let key = write.write.key
    let stored = core.transaction.writeGroup?.rows[key] == nil ? try core.store.row(key) : nil
    core.transaction.writeGroup?.apply(write, at: place, to: stored)
  }

  /// Seals the gathered writes of a row, so that what a command has seen of it is complete.
  static func settle(_ key: RowKey, in core: inout ReplicaCore, now: ClockReading) throws {
    if core.transaction.writeGroup?.unsealed.contains(key) == true {
      try seal(in: &core, now: now)
    }
  }

  /// Returns the row that a command is about to change.
  static func settled(
    _ kind: EntityKind, _ id: RowID, in core: inout ReplicaCore, now: ClockReading
  ) throws -> RowState {
    try settle(RowKey(kind: kind, id: id), in: &core, now: now)
    return try core.context.existing(kind, id)
  }

  /// Returns the rows of a kind after the previous commands.
  static func settledRows(
    _ kind: EntityKind, in core: inout ReplicaCore, now: ClockReading
  ) throws -> [RowState] {
    if core.transaction.writeGroup?.unsealed.contains(where: { $0.kind == kind }) == true {
      try seal(in: &core, now: now)
    }
    var rows = Dictionary(uniqueKeysWithValues: try core.store.rows(kind).map { ($0.key, $0) })
    for (key, row) in core.transaction.writeGroup?.rows ?? [:] where key.kind == kind {
      rows[key] = row
    }
    return rows.values.sorted { $0.key.id < $1.key.id }
  }

  /// Seals the gathered writes of records, and returns those of a user that are not committed.
  static func uncommittedRecords(
    of owner: UserID, in core: inout ReplicaCore, now: ClockReading
  ) throws -> [RowState] {
    if core.transaction.writeGroup?.unsealed.contains(where: { $0.kind == .record }) == true {
      try seal(in: &core, now: now)
    }
    return (core.transaction.writeGroup?.rows ?? [:]).values
      .filter { $0.key.kind == .record && $0.owner == owner }.sorted { $0.key.id < $1.key.id }
  }
}
