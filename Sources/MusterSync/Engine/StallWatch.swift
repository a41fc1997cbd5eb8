internal import MusterModel

/// A position in a log that one side holds and the other keeps missing.
struct StalledPosition: Sendable {
  let kind: StallKind
  let log: LogID
  let sequence: UInt64
  let since: Instant
  var isReported = false
}

/// Stall detection: a peer that withholds data is noticed where another path shows more.
///
/// For each reachable peer with different roots, one difference is watched at a time. With an
/// honest peer it disappears within seconds, or frames are in flight. A difference that lasts for
/// minutes, while the peer is received without a gap and nothing is requested or delivered, is
/// reported. What a peer advertised before it fell silent is no evidence: of two peers that are
/// partitioned from each other but both connected to a third, each would suspect the other.
struct StallWatch: Sendable {
  /// Data that one side holds and the other keeps missing.
  private(set) var stall: StalledPosition?
  /// When the peer last requested frames, and when it last delivered any.
  private var lastRequest: Instant?
  private var lastDelivery: Instant?

  mutating func noteRequest(at now: Instant) { lastRequest = now }
  mutating func noteDelivery(at now: Instant) { lastDelivery = now }

  /// Records that the peer did not deliver what it advertised.
  mutating func noteUnanswered(_ log: LogID, through sequence: UInt64, at now: Instant) {
    stall = StalledPosition(kind: .keepsToItself, log: log, sequence: sequence, since: now)
  }

  /// Ends the watch, since the peer shows no difference.
  mutating func end() { stall = nil }

  /// Checks with each heartbeat of a peer whose roots differ.
  ///
  /// - Parameter patience: how long a difference with an honest peer may last, in milliseconds.
  /// - Returns: how it has stalled, when that is first known.
  mutating func check(
    _ peer: PeerState, logs: LogIndex, patience: Int64, now: Instant
  ) -> StallKind? {
    guard let watched = stall, stands(watched, with: peer, logs: logs) else {
      stall = nextDifference(with: peer, logs: logs, now: now)
      return nil
    }
    let moved = watched.kind == .keepsToItself ? lastDelivery : lastRequest
    let since = max(watched.since, peer.presence.receivedSince, moved ?? watched.since)
    guard !watched.isReported, !peer.presence.isGap(until: now),
      // What it stated last may be older than what it requested by other paths.
      peer.holdings.rootsAt.milliseconds(since: since) >= patience
    else { return nil }
    stall?.isReported = true
    return watched.kind
  }

  private func stands(_ stall: StalledPosition, with peer: PeerState, logs: LogIndex) -> Bool {
    switch stall.kind {
    case .keepsToItself: logs.isBehind(of: stall.log, by: stall.sequence)
    case .asksForNothing:
      claim(of: stall.log, by: peer, logs: logs).map { $0 < stall.sequence } ?? false
    }
  }

  /// Returns how much of a log a peer proved to hold.
  private func claim(of log: LogID, by peer: PeerState, logs: LogIndex) -> UInt64? {
    guard let held = logs[log] else { return nil }
    return peer.holdings.confirmations.claim(
      of: log, held: held, change: logs.change(of: log)
    )
    .map { UInt64($0.number) }
  }

  /// Returns the next difference in the ring of logs, so that every log gets its turn.
  private func nextDifference(with peer: PeerState, logs: LogIndex, now: Instant)
    -> StalledPosition?
  {
    var nearest: StalledPosition?
    func consider(_ kind: StallKind, _ log: LogID, _ sequence: UInt64) {
      if let nearest, !comes(log, before: nearest.log, after: stall?.log) { return }
      nearest = StalledPosition(kind: kind, log: log, sequence: sequence, since: now)
    }
    for (log, summary) in logs.summaries where !summary.isParted {
      let head = summary.head.sequence
      guard !logs.isQuarantined(log, head), let claim = claim(of: log, by: peer, logs: logs),
        claim < head
      else { continue }
      consider(.asksForNothing, log, head)
    }
    for (log, known) in peer.holdings.logs
    where known.set != .quarantine && known.sequence > 0 && !peer.branches.refused.contains(log)
      && logs.isBehind(of: log, by: known.sequence)
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

extension Context {
  /// Checks with each heartbeat whether a peer has stalled.
  mutating func watchForStall(of device: DeviceID) {
    let peer = peers[known: device]
    guard peer.isReachable, !roster.revoked.contains(device),
      let roots = peer.holdings.roots, roots.differs(from: logs.roots(), inRecords: false)
    else { return peers[known: device].stall.end() }
    // What a full channel delays is no evidence.
    let crowd = outbox.links.airtimeMilliseconds(of: peers.crowd)
    let patience = Timing.stallMilliseconds + Timing.stallDatagrams * crowd
    let kind = peers[known: device].stall.check(peer, logs: logs, patience: patience, now: now)
    if let kind { effects.append(.notice(.peerWithholds(device, kind))) }
  }
}
