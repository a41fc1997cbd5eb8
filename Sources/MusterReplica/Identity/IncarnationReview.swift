internal import MusterModel
internal import MusterSync

/// Reviews what arrives of this device itself: its database yields to another incarnation that has
/// written, and a live clone is detected (`CloneDetector`).
///
/// Only this program may write this device's own logs. A copy of its database that writes to the
/// same log creates a fork; one that writes in a later incarnation proves that this one was
/// restored.
enum IncarnationReview {
  /// Checks frames that other devices sent.
  static func review(
    _ frames: [Frame], opening: Opening, in core: inout ReplicaCore, now: ClockReading
  ) throws {
    guard opening.certificate == core.local.certificate.hash else { return }
    if opening.incarnation == core.own.writer.incarnation {
      guard !core.own.hasWritten(frames, in: opening.lane) else { return }
      try startIncarnation("a copy of this device's database has written", in: &core, now: now)
    } else {
      let name = IncarnationName(
        generation: opening.generation, incarnation: opening.incarnation)
      try observe(name, in: &core, now: now)
    }
  }

  /// Checks a record, which may be the first evidence of another incarnation whose records count as
  /// newer, or may prove that the other one is live now.
  static func review(
    _ record: LatestRecord, in core: inout ReplicaCore, now: ClockReading
  ) throws {
    guard record.certificate == core.local.certificate.hash else { return }
    guard record.order.incarnation != core.own.writer.incarnation else {
      guard core.own.isBehind(record.order) else { return }
      return try startIncarnation(
        "a copy of this device's database has published a record", in: &core, now: now)
    }
    let author = IncarnationName(record.order)
    core.own.cloneDetector.take(record.otherIncarnations, by: author)
    try observe(author, in: &core, now: now)
  }

  private static func observe(
    _ name: IncarnationName, in core: inout ReplicaCore, now: ClockReading
  ) throws {
    core.own.cloneDetector.observe(name)
    guard name.generation >= core.own.writer.generation, core.own.cloneDetector.mayYield else {
      return
    }
    core.own.cloneDetector.noteYield()
    try startIncarnation(
      "this device has written in another incarnation of its database", above: name.generation,
      in: &core, now: now)
  }

  private static func startIncarnation(
    _ reason: String, above generation: UInt32 = 0, in core: inout ReplicaCore, now: ClockReading
  ) throws {
    try core.commit(now: now)
    let logs = try core.store.logs()
    let newest = max(
      generation,
      OwnDevice.newestGeneration(in: logs, try core.context.latestRecords(), of: core.local))
    core.own.startIncarnation(above: newest, logs: logs)
    core.own.keepIncarnation(in: &core.transaction.batch)
    try core.store.withdrawInvite(nil, at: now.wall)
    try core.commit(now: now)
    try core.run(.startedIncarnation(core.own.writer.incarnation), now: now)
    core.transaction.outcome.remarks.append("\(reason): this one starts a new incarnation")
  }
}
