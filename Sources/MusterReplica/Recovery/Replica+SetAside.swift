internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Salvaged frames are held again once they follow held frames and a signature proves them, as if a
/// peer had sent them.
extension Replica {
  private var salvaged: SalvagedFrames { SalvagedFrames(context: context) }

  /// Joins salvaged frames: in all logs at the start, and later in logs that have grown.
  mutating func joinSetAside(now: ClockReading) throws {
    while let next = recovery.takeJoinable() {
      let roster = control.roster()
      while try joinNext(of: next, roster: roster, now: now) {}
      // An unknown author may be certified by the joined frames.
      if control.roster() != roster { try findJoinable() }
    }
  }

  /// Marks all salvaged frames to be tried.
  mutating func findJoinable() throws(StoreError) {
    recovery.setAside(try salvaged.logs())
  }

  /// Holds the next possible run of a log, whichever of its strands it continues. Returns whether
  /// there may be more to join.
  private mutating func joinNext(
    of log: LogID, roster: Roster, now: ClockReading
  ) throws -> Bool {
    let strands = try store.strands(of: log)
    var found = strands.first?.opening
    if found == nil { found = try salvaged.openingSetAside(of: log) }
    guard let opening = found,
      let key = roster.signingKey(of: opening.certificate, rootKey: local.rootKey)
    else { return false }
    guard let frames = try salvaged.nextRun(of: log, strands: strands, key: key) else {
      try settle(log, strands: strands, now: now)
      return false
    }
    var isHeld = true
    if strands.isEmpty {
      try hold(frames, opening: opening, now: now)
      try commit(now: now)
      try run(.appended(opening, frames), now: now)
    } else {
      isHeld = try attach(frames, opening: opening, from: local.device, now: now)
    }
    transaction.batch.settled += frames.map {
      ProcessedFrame(log: log, sequence: $0.sequence, hash: $0.hash)
    }
    if isHeld { try commit(now: now) } else { transaction.batch.settled = [] }
    return isHeld
  }

  /// Deletes copies of held frames, and copies that follow nothing once all their possible
  /// predecessors are held.
  private mutating func settle(
    _ log: LogID, strands: [LogSummary], now: ClockReading
  ) throws {
    guard let reach = strands.map(\.head.sequence).max() else { return }
    transaction.batch.settled += try salvaged.processed(of: log, upTo: reach + 1, in: strands)
    try commit(now: now)
    if try store.framesSetAside(of: log, from: 0, limit: 1).isEmpty { recovery.noteJoined(log) }
  }
}
