internal import MusterCRDT
public import MusterModel
internal import MusterStore
internal import MusterSync

/// Performs many commands at once. Separately, each would need a frame, a signature and a commit.
extension Replica {
  /// Performs commands in one transaction, with their writes packed into few frames. On return all
  /// are durable; if `work` throws, nothing has changed. The commands themselves return empty
  /// outcomes: this method returns the common one.
  ///
  /// `work` MUST only write rows: reports, fences, and the user's own.
  public mutating func gather(
    now: ClockReading, _ work: (inout Replica) throws -> Void
  ) throws -> Outcome {
    try transact(now: now) { replica in
      replica.transaction.writeGroup = WriteGroup()
      defer { replica.transaction.writeGroup = nil }
      try work(&replica)
      try replica.sealGathered(now: now)
      let runs = replica.transaction.writeGroup?.runs ?? []
      try replica.commit(now: now)
      replica.passOn(runs, now: now)
    }
  }

  /// Seals the gathered writes into frames, so that later writes can name them.
  private mutating func sealGathered(now: ClockReading) throws {
    guard let taken = transaction.writeGroup?.take() else { return }
    for (lane, groups) in taken {
      let run = try seal(groups, lane: lane, now: now)
      let before = transaction.batch.frames.count
      try hold(run.frames, opening: run.opening, isOwn: true, now: now)
      transaction.writeGroup?.keep(run)
      let known = try run.frames.first.flatMap { try store.number(of: $0.log) }
      let log = known ?? WriteGroup.number(ofNewLogIn: lane)
      for held in transaction.batch.frames[before...] {
        guard case .applied(let writes, _) = held.application else { continue }
        let place = LogPosition(log: log, sequence: UInt32(held.frame.sequence))
        for write in writes { try apply(write, at: place) }
      }
    }
  }

  private mutating func apply(_ write: AuthoredWrite, at place: LogPosition) throws {
    let key = write.write.key
    let stored = transaction.writeGroup?.rows[key] == nil ? try store.row(key) : nil
    transaction.writeGroup?.apply(write, at: place, to: stored)
  }

  /// Seals the gathered writes of a row, so that `seen` is complete.
  mutating func settle(_ key: RowKey, now: ClockReading) throws {
    if transaction.writeGroup?.unsealed.contains(key) == true { try sealGathered(now: now) }
  }

  /// Returns the rows of a kind after the previous commands.
  mutating func settledRows(_ kind: EntityKind, now: ClockReading) throws -> [RowState] {
    if transaction.writeGroup?.unsealed.contains(where: { $0.kind == kind }) == true {
      try sealGathered(now: now)
    }
    var rows = Dictionary(uniqueKeysWithValues: try store.rows(kind).map { ($0.key, $0) })
    for (key, row) in transaction.writeGroup?.rows ?? [:] where key.kind == kind { rows[key] = row }
    return rows.values.sorted { $0.key.id < $1.key.id }
  }

  /// Returns the row that a command is about to change.
  mutating func settled(_ kind: EntityKind, _ id: RowID, now: ClockReading) throws -> RowState {
    try settle(RowKey(kind: kind, id: id), now: now)
    return try context.existing(kind, id)
  }
}
