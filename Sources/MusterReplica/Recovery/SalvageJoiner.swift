internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Salvaged frames are held again once they follow held frames and a signature proves them, as if a
/// peer had sent them. Which logs may have such frames is in `RecoveryState`.
enum SalvageJoiner {
  /// Joins salvaged frames: in all logs at the start, and later in logs that have grown.
  static func join(into core: inout ReplicaCore, now: ClockReading) throws {
    while let next = core.recovery.takeJoinable() {
      let roster = core.control.roster()
      while try joinNext(of: next, roster: roster, into: &core, now: now) {}
      // An unknown author may be certified by the joined frames.
      if core.control.roster() != roster { try core.findJoinable() }
    }
  }

  private static func salvaged(in core: ReplicaCore) -> SalvagedFrames {
    SalvagedFrames(context: core.context)
  }

  /// Holds the next possible run of a log, whichever of its strands it continues. Returns whether
  /// there may be more to join.
  private static func joinNext(
    of log: LogID, roster: Roster, into core: inout ReplicaCore, now: ClockReading
  ) throws -> Bool {
    let strands = try core.store.strands(of: log)
    var found = strands.first?.opening
    if found == nil { found = try salvaged(in: core).openingSetAside(of: log) }
    guard let opening = found,
      let key = roster.signingKey(of: opening.certificate, rootKey: core.local.rootKey)
    else { return false }
    guard let frames = try salvaged(in: core).nextRun(of: log, strands: strands, key: key) else {
      let done = try strands.map(\.head.sequence).max().map {
        try salvaged(in: core).processed(of: log, upTo: $0 + 1, in: strands)
      }
      if let done { try settle(log, done, in: &core, now: now) }
      return false
    }
    var isHeld = true
    if strands.isEmpty {
      try core.hold(frames, opening: opening, now: now)
      try core.commit(now: now)
      try core.run(.appended(opening, frames), now: now)
    } else {
      isHeld = try BranchAttacher.attach(
        frames, opening: opening, from: core.local.device, to: &core, now: now)
    }
    core.transaction.batch.settled += frames.map {
      ProcessedFrame(log: log, sequence: $0.sequence, hash: $0.hash)
    }
    if isHeld { try core.commit(now: now) } else { core.transaction.batch.settled = [] }
    return isHeld
  }

  /// Deletes copies of held frames, and copies that follow nothing once all their possible
  /// predecessors are held.
  private static func settle(
    _ log: LogID, _ done: [ProcessedFrame], in core: inout ReplicaCore, now: ClockReading
  ) throws {
    core.transaction.batch.settled += done
    try core.commit(now: now)
    if try core.store.framesSetAside(of: log, from: 0, limit: 1).isEmpty {
      core.recovery.noteJoined(log)
    }
  }
}
