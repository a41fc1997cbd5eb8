internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Frames of this device's own logs.
extension ReplicaCore {
  /// Seals groups of entries into this device's log, each to be applied as a whole, and broadcasts
  /// the frames once they are durable.
  mutating func append(_ groups: EntryGroups, lane: Lane, now: ClockReading) throws {
    guard !groups.isEmpty else { return }
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
  func ownFrames(
    among names: Set<Bytes16>, in lane: Lane
  ) throws(StoreError) -> Set<Bytes16> {
    guard let log = own.writer.heads[lane]?.log, !names.isEmpty else { return [] }
    let sealed = transaction.writeGroup?.frames(among: names, in: log) ?? []
    return try sealed.union(store.frames(among: names, in: log))
  }

  /// Broadcasts frames of this device that are now durable, long texts last: receivers delay frames
  /// until the last of those sent together has arrived. A failure does not affect the write.
  ///
  /// - Parameter runs: at most one of each log: the engine takes the last frame for the log's head.
  mutating func passOn(_ runs: [LogWriter.Run], now: ClockReading) {
    do {
      for run in runs {
        try self.run(.appended(run.opening, Array(run.frames.prefix(run.leading))), now: now)
      }
      for run in runs where run.leading < run.frames.count {
        try self.run(.appended(run.opening, Array(run.frames.dropFirst(run.leading))), now: now)
      }
    } catch {
      fail(afterWriting: error, now: now)
    }
  }
}
