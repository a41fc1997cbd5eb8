internal import MusterModel
internal import MusterStore
internal import MusterSync

/// The records that this device signs when they are due: receipts of a command device or an archive
/// for logs and for blobs, its neighbours, its presence, and what it knows of its clones. Each is
/// committed, and only then sent. `ReceiptTracker`, `NeighbourPublisher`, `PresenceSchedule` and
/// `CloneDetector` decide when.
enum DueRecords {
  /// Signs due receipts.
  static func giveReceipts(in core: inout ReplicaCore, now: ClockReading) throws {
    var given: [LatestRecord] = []
    for log in core.schedules.takeReceipts(now: now.instant) {
      let state = core.receiptState
      guard !state.isReceipted(log), state.hasRoom(for: log) else { continue }
      given.append(state.receipt(for: log, order: core.own.nextRecordOrder()))
    }
    try core.publish(given, now: now)
  }

  /// Signs due receipts for blobs.
  static func giveBlobReceipts(in core: inout ReplicaCore, now: ClockReading) throws {
    var given: [LatestRecord] = []
    for log in core.schedules.takeBlobReceipts(now: now.instant) {
      let receipts = core.queries.photoReader.receipts
      guard let receipt = try receipts.outdated(log) else { continue }
      given.append(receipts.signed(receipt, order: core.own.nextRecordOrder()))
    }
    try core.publish(given, now: now)
  }

  /// Signs this device's neighbours when due.
  static func publishNeighbours(in core: inout ReplicaCore, now: ClockReading) throws {
    guard core.local.author.role.reads, core.schedules.neighbours.mayLook(now: now.instant)
    else { return }
    // Little room is left for users' data.
    guard core.engine.hasRoom else { return core.schedules.neighbours.putOff() }
    if core.schedules.neighbours.published == nil {
      core.schedules.neighbours.remember(core.queries.meshReader.publishedPaths())
    }
    let neighbours = core.engine.neighbours(now: now.instant)
    let paths = NeighbourPublisher.Paths(
      uniqueKeysWithValues: neighbours.map { ($0.device, $0.path) })
    let jitter = Int64(
      core.own.random.uniform(below: UInt64(NeighbourPublisher.settleMilliseconds)))
    guard core.schedules.neighbours.look(at: paths, jitter: jitter, now: now.instant)
    else { return }
    guard let epoch = core.currentEpoch else { return core.schedules.neighbours.putOff() }
    let record = core.own.neighbours(
      NeighbourRecord(
        sentAt: now.wall, neighbours: neighbours.map { Neighbour($0, now: now.instant) }),
      under: epoch)
    try core.publish([record], now: now)
    core.schedules.neighbours.notePublished(paths, now: now.instant)
    core.transaction.outcome.hasMeshChanged = true
  }

  /// Signs a presence record, if this device has sent no other stamp for a while.
  static func sendPresence(
    in core: inout ReplicaCore, batteryPercent: UInt8?, now: ClockReading
  ) throws {
    guard core.records.presence.isDue(now: now.instant) else { return }
    // At a start peers first compare what they hold: equal records make that fast.
    guard core.own.mayWrite(by: core.engine, now: now.instant) else {
      return core.records.putOffPresence(
        byMilliseconds: PresenceSchedule.lookMilliseconds, now: now.instant)
    }
    guard let epoch = core.currentEpoch, !core.context.isRevoked else {
      return core.records.putOffPresence(now: now.instant)
    }
    let stamp = try core.makeStamp(.presence, now: now)
    let record = core.own.presence(
      batteryPercent: batteryPercent, stamp: stamp, under: epoch, now: now.wall)
    try core.noteOwn(record, from: .presence, stamp, now: now)
    core.records.notePresenceSent(now: now.instant)
    try core.publish([record], now: now)
  }

  /// Publishes that other incarnations are known, and that this device has a live clone.
  static func publishClones(in core: inout ReplicaCore, now: ClockReading) throws {
    guard !core.own.cloneDetector.owes.isEmpty else { return }
    let owed = core.own.cloneDetector.owes
    var records = core.own.cloneRecords(beside: core.engine, now: now.wall)
    if records.contains(where: { $0.kind == .clone }) {
      core.transaction.outcome.remarks.append(
        "this device has a live clone: its home was copied, or its key was stolen")
    }
    // The record of a greater incarnation stays.
    records.removeAll { record in
      core.engine.record(record.topic).map { $0.order >= record.order } ?? false
    }
    try core.publish(records, now: now)
    core.own.cloneDetector.notePublished(owed)
  }
}

extension Neighbour {
  fileprivate init(_ received: ReceivedNeighbour, now: Instant) {
    let minutes = max(0, now.milliseconds(since: received.since) / 60_000)
    self.init(
      device: DevicePrefix(received.device), path: received.path,
      minutes: UInt16(clamping: minutes))
  }
}
