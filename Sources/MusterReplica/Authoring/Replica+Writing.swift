internal import MusterCRDT
internal import MusterCrypto
public import MusterModel
internal import MusterStore
internal import MusterSync

/// Local writes. Each is acknowledged only after its frame is committed.
extension Replica {
  /// Writes what a user requests.
  public mutating func write(
    _ request: WriteRequest<Void>, now: ClockReading
  ) throws -> Outcome {
    try write(RequestContext.draft(of: request, by: &self, now: now), now: now)
  }

  /// Writes what a user requests, and returns the answer, such as the id of a new row.
  public mutating func write<Answer>(
    _ request: WriteRequest<Answer>, now: ClockReading
  ) throws -> (answer: Answer, outcome: Outcome) {
    let draft = try RequestContext.draft(of: request, by: &self, now: now)
    return (draft.answer, try write(draft, now: now))
  }

  /// Writes a draft. Other devices apply each row as a whole, except long texts, which follow: a
  /// call for evacuation does not wait for its description.
  mutating func write<Answer>(_ draft: Draft<Answer>, now: ClockReading) throws -> Outcome {
    let writes = draft.rows.flatMap { $0 }
    guard !writes.isEmpty else { return Outcome() }
    for write in writes { try write.requireAcceptable() }
    var groups = EntryGroups()
    for row in draft.rows { groups.add(try context.withOrigins(row, lane: draft.lane)) }
    guard transaction.writeGroup == nil else {
      transaction.batch.units += draft.units
      transaction.writeGroup?.add(groups, lane: draft.lane, of: writes.map(\.key))
      return Outcome()
    }
    return try transact(now: now) { replica in
      replica.transaction.batch.units += draft.units
      try replica.append(groups, lane: draft.lane, now: now)
    }
  }

  /// Seals groups of entries into this device's log, each to be applied as a whole, and broadcasts
  /// the frames once they are durable.
  mutating func append(_ groups: EntryGroups, lane: Lane, now: ClockReading) throws {
    let run = try seal(groups, lane: lane, now: now)
    try hold(run.frames, opening: run.opening, isOwn: true, now: now)
    try commit(now: now)
    passOn([run], now: now)
  }

  mutating func append(_ groups: [[Operation]], lane: Lane, now: ClockReading) throws {
    try append(EntryGroups(groups), lane: lane, now: now)
  }

  /// Seals groups of entries into frames of this device's log, which are not stored yet.
  mutating func seal(
    _ groups: EntryGroups, lane: Lane, now: ClockReading
  ) throws -> LogWriter.Run {
    let earlier = try ownFrames(among: groups.supersededFrames, in: lane)
    if lane != .control { try ensureEpoch(now: now) }
    let stamp = lane == .urgent ? try makeStamp(.always, now: now) : nil
    do {
      return try own.writer.write(
        groups, lane: lane, at: now.wall, stamp: stamp, earlier: earlier,
        epoch: currentEpoch, random: &own.random)
    } catch {
      throw Refusal(error)
    }
  }

  /// Returns this log's own frames among those that entries supersede.
  private func ownFrames(
    among names: Set<Bytes16>, in lane: Lane
  ) throws(StoreError) -> Set<Bytes16> {
    guard let log = own.writer.heads[lane]?.log, !names.isEmpty else { return [] }
    let sealed = transaction.writeGroup?.frames(among: names, in: log) ?? []
    return try sealed.union(store.frames(among: names, in: log))
  }
}
