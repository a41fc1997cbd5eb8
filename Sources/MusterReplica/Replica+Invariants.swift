internal import MusterModel
internal import MusterSync

/// What is wrong in memory. An error and no trap: an optimized build traps without the message.
public struct BrokenInvariant: Error, CustomStringConvertible {
  /// What differs, with both values.
  public let description: String
}

extension Replica {
  /// Traps if the engine's tables contradict one another or exceed their limits: cheap enough for
  /// each input, unlike `checkInvariants`.
  public func checkEngine() { core.engine.checkInvariants() }

  /// Throws `BrokenInvariant` if memory differs from the disk between two calls; some parts trap.
  /// Simulations and tests call it after each step. It reads all heads and records, which is too
  /// slow for a running node.
  public mutating func checkInvariants() throws {
    if core.recovery.isBehind { return }
    try Self.require(core.transaction.batch.isEmpty, "the batch was not committed")
    let logs = try core.store.logs()
    let onDisk = LogWriter(
      local: core.local, incarnation: core.own.writer.incarnation,
      generation: core.own.writer.generation,
      logs: logs)
    try Self.require(
      core.own.writer.heads == onDisk.heads,
      "the writer is at \(core.own.writer.heads), not \(onDisk.heads)")
    let atStart = ClockReading(
      instant: Instant(microseconds: 0), wall: Timestamp(milliseconds: 0), boot: 0,
      entropy: .zero)
    var fresh = SyncEngine(
      of: core.own, roster: try core.control.roster(in: core.store), logs: logs,
      records: try core.context.latestRecords(),
      keys: [], seed: [UInt8](repeating: 0, count: 32), now: atStart)
    let (announced, stored) = (core.engine.rootBytes(), fresh.rootBytes())
    try Self.require(
      announced == stored,
      "the engine announces what the store does not hold: \(announced), not \(stored)")
    let keys = try EpochKeys(in: core.store, of: core.local).keyring
    try Self.require(
      keys.all == core.epochKeys.keyring.all, "the keyring and the store hold different keys")
    try core.records.checkInvariants(in: core.store)
    try checkStatuses()
    try core.derived.checkInvariants(of: core.store)
  }

  private static func require(
    _ holds: Bool, _ description: @autoclosure () -> String
  ) throws(BrokenInvariant) {
    guard holds else { throw BrokenInvariant(description: description()) }
  }

  /// Of a copy, so that checking changes no status.
  private func checkStatuses() throws {
    guard let now = core.derived.statusModel.lastLook else { return }
    var copy = self
    let overlooked = try copy.overlookedStatuses(now: now)
    try Self.require(overlooked.isEmpty, "a status is out of date: \(overlooked)")
  }

  /// The kept statuses that differ from those which are assessed from the store alone: none, unless
  /// a change was overlooked.
  mutating func overlookedStatuses(now: ClockReading) throws -> [String] {
    try refreshStatuses(now: now)
    var fresh = self
    fresh.core.derived.statusModel.markAllStale()
    try fresh.refreshStatuses(now: now)
    return try core.derived.statusModel.differences(from: fresh.core.derived.statusModel).map {
      "\(try core.context.callsign(of: $0.user)): \($0.text)"
    }
  }
}
