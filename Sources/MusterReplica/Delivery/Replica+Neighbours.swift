internal import MusterCrypto
internal import MusterModel
internal import MusterSync

/// Each device publishes its neighbours. See `NeighbourPublisher` for the schedule.
extension Replica {
  /// Signs this device's neighbour record when due, commits it, and only then sends it.
  mutating func publishNeighbours(now: ClockReading) throws {
    guard local.author.role.reads, schedules.neighbours.mayLook(now: now.instant) else { return }
    // Little room is left for users' data.
    guard engine.hasRoom else { return schedules.neighbours.putOff() }
    if schedules.neighbours.published == nil {
      schedules.neighbours.remember(queries.meshReader.publishedPaths())
    }
    let neighbours = engine.neighbours(now: now.instant)
    let paths = NeighbourPublisher.Paths(
      uniqueKeysWithValues: neighbours.map { ($0.device, $0.path) })
    let jitter = Int64(own.random.uniform(below: UInt64(NeighbourPublisher.settleMilliseconds)))
    guard schedules.neighbours.look(at: paths, jitter: jitter, now: now.instant) else { return }
    guard let epoch = currentEpoch else { return schedules.neighbours.putOff() }
    let record = own.neighbours(
      NeighbourRecord(
        sentAt: now.wall, neighbours: neighbours.map { Neighbour($0, now: now.instant) }),
      under: epoch)
    try publish([record], now: now)
    schedules.neighbours.notePublished(paths, now: now.instant)
    transaction.outcome.hasMeshChanged = true
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
