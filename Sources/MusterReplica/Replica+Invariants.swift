internal import MusterModel
internal import MusterSync

extension Replica {
  /// Traps if the engine's tables contradict one another or exceed their limits: cheap enough for
  /// each input, unlike `checkInvariants`.
  public func checkEngine() { engine.checkInvariants() }

  /// Traps if memory differs from the disk between two calls. Simulations and tests call it after
  /// each step. It reads all heads and records, which is too slow for a running node.
  public mutating func checkInvariants() throws {
    if recovery.isBehind { return }
    precondition(transaction.batch.isEmpty, "the batch was not committed")
    let logs = try store.logs()
    let onDisk = LogWriter(
      local: local, incarnation: own.writer.incarnation, generation: own.writer.generation,
      logs: logs)
    precondition(
      own.writer.heads == onDisk.heads, "the writer is at \(own.writer.heads), not \(onDisk.heads)")
    let atStart = ClockReading(
      instant: Instant(microseconds: 0), wall: Timestamp(milliseconds: 0), boot: 0,
      entropy: .zero)
    var fresh = SyncEngine(
      of: own, roster: try control.roster(in: store), logs: logs,
      records: try context.latestRecords(),
      keys: [], seed: [UInt8](repeating: 0, count: 32), now: atStart)
    let (announced, stored) = (engine.rootBytes(), fresh.rootBytes())
    precondition(
      announced == stored,
      "the engine announces what the store does not hold: \(announced), not \(stored)")
    let keys = try EpochKeys(in: store, operation: local.operation).keyring
    precondition(keys.all == epochKeys.keyring.all, "the keyring and the store hold different keys")
    try records.checkInvariants(in: store)
    try checkStatuses()
    try derived.checkInvariants(of: store)
  }

  /// Of a copy, so that checking changes no status.
  private func checkStatuses() throws {
    guard let now = derived.statusModel.lastLook else { return }
    var copy = self
    let overlooked = try copy.overlookedStatuses(now: now)
    precondition(overlooked.isEmpty, "a status is out of date: \(overlooked)")
  }

  /// The kept statuses that differ from those which are assessed from the store alone: none, unless
  /// a change was overlooked.
  mutating func overlookedStatuses(now: ClockReading) throws -> [String] {
    try refreshStatuses(now: now)
    var fresh = self
    fresh.derived.statusModel.markAllStale()
    try fresh.refreshStatuses(now: now)
    return try derived.statusModel.differences(from: fresh.derived.statusModel).map {
      "\(try context.callsign(of: $0.user)): \($0.text)"
    }
  }
}
