public import MusterModel

extension SyncEngine {
  /// Returns the peers that are stalled now, and for how many seconds, by device.
  public func stalls(now: Instant) -> [(device: DeviceID, kind: StallKind, seconds: Int64)] {
    context.peers.stalls(now: now)
  }

  /// Returns all devices with stored data that are not revoked, and how long ago new data of theirs
  /// arrived by any path, with whether they were met directly since the start; by device.
  public func silences(now: Instant) -> [(device: DeviceID, seconds: Int64, wasMet: Bool)] {
    context.newestData().sorted { $0.key < $1.key }.map { device, newest in
      let met = context.peers[device]?.presence.lastReceived
      let seconds = now.milliseconds(since: max(newest, met ?? newest)) / 1000
      return (device, max(0, seconds), met != nil)
    }
  }
}

extension PeerDirectory {
  fileprivate func stalls(now: Instant) -> [(device: DeviceID, kind: StallKind, seconds: Int64)] {
    connected.compactMap { device in
      guard let stall = self[device]?.stall.stall, stall.isReported else { return nil }
      let seconds = now.milliseconds(since: stall.since) / 1000
      return (device, stall.kind, max(0, seconds))
    }
  }
}

extension Context {
  /// Returns when new data of each other device with stored data arrived, or else when this process
  /// started. Without revoked devices.
  fileprivate func newestData() -> [DeviceID: Instant] {
    var newest: [DeviceID: Instant] = [:]
    for summary in logs.summaries.values {
      guard let device = roster.device(of: summary.opening.certificate),
        device != local.device, !roster.revoked.contains(device)
      else { continue }
      let moment = activity[summary.opening.certificate] ?? clock.startedAt
      newest[device] = max(newest[device] ?? clock.startedAt, moment)
    }
    return newest
  }
}
