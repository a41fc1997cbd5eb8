public import MusterModel

/// A position in a log that one side holds and the other keeps missing.
struct Standstill: Sendable {
  let kind: StandstillKind
  let log: LogID
  let sequence: UInt64
  let since: Instant
  var isTold = false
}

/// What shows whether a peer has stalled.
struct StallWatch: Sendable {
  /// Data that one side holds and the other keeps missing.
  var standstill: Standstill?
  /// When it last requested frames, and when it last delivered any.
  var lastAsked: Instant?
  var lastHanded: Instant?
}

/// Stall detection: a peer that withholds data is noticed where another path shows more.
///
/// For each reachable peer with different roots, one difference is watched at a time. With an
/// honest peer it disappears within seconds, or frames are in flight. A difference that lasts for
/// minutes, while the peer is received without a gap and nothing is requested or delivered, is
/// reported. What a peer advertised before it fell silent is no evidence: of two peers that are
/// partitioned from each other but both connected to a third, each would suspect the other.
extension SyncEngine {
  /// Checks for a stall with each heartbeat.
  mutating func watchForWithholding(by device: DeviceID) {
    guard let peer = context.peers[device], peer.isReachable,
      !context.roster.revoked.contains(device),
      let roots = peer.holdings.roots, roots.differs(from: context.logs.roots(), inRecords: false)
    else {
      context.peers[device]?.stall.standstill = nil
      return
    }
    guard var standstill = peer.stall.standstill, stands(standstill, with: peer) else {
      let next = nextDifference(with: peer)
      context.peers[device]?.stall.standstill = next
      return
    }
    let moved = standstill.kind == .keepsToItself ? peer.stall.lastHanded : peer.stall.lastAsked
    let since = max(standstill.since, peer.presence.heardSince, moved ?? standstill.since)
    guard !standstill.isTold, !peer.presence.isGap(until: context.now),
      context.now.milliseconds(since: since) >= Timing.standstillMilliseconds
    else { return }
    standstill.isTold = true
    context.peers[device]?.stall.standstill = standstill
    context.effects.append(.notice(.peerWithholds(device, standstill.kind)))
  }

  /// Returns the peers that are stalled now, and for how many seconds, by device.
  public func standstills(
    now: Instant
  ) -> [(device: DeviceID, kind: StandstillKind, seconds: Int64)] {
    context.peers.connected.compactMap { device in
      guard let standstill = context.peers[device]?.stall.standstill, standstill.isTold else {
        return nil
      }
      let seconds = now.milliseconds(since: standstill.since) / 1000
      return (device, standstill.kind, max(0, seconds))
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

  private func stands(_ standstill: Standstill, with peer: PeerState) -> Bool {
    switch standstill.kind {
    case .keepsToItself: context.logs.isBehind(of: standstill.log, by: standstill.sequence)
    case .asksForNothing:
      claim(of: standstill.log, by: peer).map { $0 < standstill.sequence } ?? false
    }
  }

  /// Returns how much of a log a peer proved to hold.
  private func claim(of log: LogID, by peer: PeerState) -> UInt64? {
    guard let held = context.logs[log] else { return nil }
    return peer.holdings.confirmations.claim(
      of: log, held: held, change: context.logs.change(of: log)
    )
    .map { UInt64($0.number) }
  }

  /// Returns the next difference in the ring of logs, so that every log gets its turn.
  private func nextDifference(with peer: PeerState) -> Standstill? {
    var nearest: Standstill?
    func consider(_ kind: StandstillKind, _ log: LogID, _ sequence: UInt64) {
      if let nearest, !comes(log, before: nearest.log, after: peer.stall.standstill?.log) { return }
      nearest = Standstill(kind: kind, log: log, sequence: sequence, since: context.now)
    }
    for (log, summary) in context.logs.summaries where !summary.isParted {
      let head = summary.head.sequence
      guard !context.logs.isQuarantined(log, head), let claim = claim(of: log, by: peer),
        claim < head
      else { continue }
      consider(.asksForNothing, log, head)
    }
    for (log, known) in peer.holdings.logs
    where known.set != .quarantine && known.sequence > 0 && !peer.branches.refused.contains(log)
      && context.logs.isBehind(of: log, by: known.sequence)
    {
      consider(.keepsToItself, log, known.sequence)
    }
    return nearest
  }

  private func comes(_ log: LogID, before other: LogID, after last: LogID?) -> Bool {
    guard let last else { return log < other }
    return (log > last ? 0 : 1, log) < (other > last ? 0 : 1, other)
  }
}
