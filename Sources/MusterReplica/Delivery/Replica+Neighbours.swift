internal import MusterCrypto
internal import MusterModel
internal import MusterSync

/// Each device publishes its neighbours. See `NeighbourPublisher` for the schedule.
extension Replica {
  /// Signs this device's neighbour record when due, commits it, and only then sends it.
  mutating func tellNeighbours(now: ClockReading) throws {
    guard local.author.role.reads, schedules.neighbours.mayLook(now: now.instant) else { return }
    // Little room is left for users' data.
    guard engine.hasRoom else { return schedules.neighbours.putOff() }
    if schedules.neighbours.told == nil { schedules.neighbours.remember(lastTold()) }
    let heard = engine.neighbours(now: now.instant)
    let paths = NeighbourPublisher.Heard(uniqueKeysWithValues: heard.map { ($0.device, $0.path) })
    let jitter = Int64(own.random.uniform(below: UInt64(NeighbourPublisher.settleMilliseconds)))
    guard schedules.neighbours.look(at: paths, jitter: jitter, now: now.instant) else { return }
    guard let epoch = currentEpoch else { return schedules.neighbours.putOff() }
    let record = LatestRecord.neighbours(
      NeighbourRecord(toldAt: now.wall, neighbours: heard.map { Neighbour($0, now: now.instant) }),
      operation: local.operation, certificate: local.certificate.hash,
      order: own.nextRecordOrder(), epoch: epoch.id, key: epoch.key, nonce: own.random.nonce24(),
      signedBy: local.signingKey)
    transaction.batch.records.append(record)
    try commit(now: now)
    schedules.neighbours.noteTold(paths, now: now.instant)
    transaction.outcome.hasMeshChanged = true
    try run(.recorded([record]), now: now)
  }

  /// Returns what this device published before the start; nothing if it cannot be read.
  private func lastTold() -> NeighbourPublisher.Heard {
    let topic = RecordTopic(
      operation: local.operation, certificate: local.certificate.hash, kind: .neighbours)
    let mesh = MeshReader(context: context, engine: engine, keyring: epochKeys.keyring)
    guard let neighbourhood = engine.record(topic).flatMap(mesh.neighbourhood) else { return [:] }
    let known = mesh.knownDevices()
    var told: NeighbourPublisher.Heard = [:]
    for neighbour in neighbourhood.neighbours {
      if let device = known[neighbour.device] { told[device] = neighbour.path }
    }
    return told
  }
}

extension Neighbour {
  fileprivate init(_ heard: ReceivedNeighbour, now: Instant) {
    let minutes = max(0, now.milliseconds(since: heard.since) / 60_000)
    self.init(
      device: DevicePrefix(heard.device), path: heard.path, minutes: UInt16(clamping: minutes))
  }
}
