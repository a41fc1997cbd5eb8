public import MusterModel

extension SyncEngine {
  /// Checks with each heartbeat whether a peer has stalled.
  mutating func watchForWithholding(by device: DeviceID) {
    guard let peer = context.peers[device], peer.isReachable,
      !context.roster.revoked.contains(device),
      let roots = peer.holdings.roots, roots.differs(from: context.logs.roots(), inRecords: false)
    else {
      context.peers[device]?.stall.end()
      return
    }
    var stall = peer.stall
    let kind = stall.check(peer, logs: context.logs, now: context.now)
    context.peers[device]?.stall = stall
    if let kind { context.effects.append(.notice(.peerWithholds(device, kind))) }
  }

  /// Returns the peers that are stalled now, and for how many seconds, by device.
  public func stalls(
    now: Instant
  ) -> [(device: DeviceID, kind: StallKind, seconds: Int64)] {
    context.peers.connected.compactMap { device in
      guard let stall = context.peers[device]?.stall.stall, stall.isTold else {
        return nil
      }
      let seconds = now.milliseconds(since: stall.since) / 1000
      return (device, stall.kind, max(0, seconds))
    }
  }

  /// Returns all devices with stored data that are not revoked, and how long ago new data of theirs
  /// arrived by any path; by device.
  public func silences(now: Instant) -> [(device: DeviceID, seconds: Int64)] {
    var newest: [DeviceID: Instant] = [:]
    for summary in context.logs.summaries.values {
      guard let device = context.roster.device(of: summary.opening.certificate),
        device != context.local.device, !context.roster.revoked.contains(device)
      else { continue }
      let news = context.activity[summary.opening.certificate] ?? context.clock.startedAt
      newest[device] = max(newest[device] ?? context.clock.startedAt, news)
    }
    return newest.keys.sorted().map { device in
      let last = max(
        newest[device] ?? context.clock.startedAt,
        context.peers[device]?.presence.lastHeard ?? context.clock.startedAt)
      return (device, max(0, now.milliseconds(since: last) / 1000))
    }
  }
}
