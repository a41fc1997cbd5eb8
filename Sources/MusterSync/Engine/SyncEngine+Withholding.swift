public import MusterModel

/// A place in a log that one side holds and the other goes on lacking.
struct Standstill: Sendable {
  let kind: StandstillKind
  let log: LogID
  let sequence: UInt64
  let since: Instant
  var isTold = false
}

/// Whoever withholds cannot be made to speak, but is noticed where another path shows more.
///
/// Of each peer in reach whose roots differ one difference is watched at a time: with an honest
/// peer it is gone within seconds, or frames are on their way. Where the same one stands for
/// minutes in which it was heard all the time, and nothing was asked for, or handed over, people
/// are told. What was said before it fell silent is no evidence: of two who are cut off from one
/// another, and both hear a third, each would hold the other's last words against it.
extension SyncEngine {
  /// With each heartbeat.
  mutating func watchForWithholding(by device: DeviceID) {
    guard let peer = peers[device], peer.isReachable, !roster.revoked.contains(device),
      let roots = peer.roots, roots.differs(from: shelf.roots(), inRecords: false)
    else {
      peers[device]?.standstill = nil
      return
    }
    guard var standstill = peer.standstill, stands(standstill, with: peer) else {
      let next = nextDifference(with: peer)
      peers[device]?.standstill = next
      return
    }
    let moved = standstill.kind == .keepsToItself ? peer.lastHanded : peer.lastAsked
    let since = max(standstill.since, peer.heardSince, moved ?? standstill.since)
    guard !standstill.isTold, !peer.isGap(until: now),
      now.milliseconds(since: since) >= Timing.standstillMilliseconds
    else { return }
    standstill.isTold = true
    peers[device]?.standstill = standstill
    effects.append(.notice(.peerWithholds(device, standstill.kind)))
  }

  /// It was asked again and again for what it showed that it holds, and handed nothing over. What
  /// it showed is forgotten then, so that it is not asked for ever; that it did not answer is not.
  mutating func noteUnanswered(_ log: LogID, by device: DeviceID) {
    guard let peer = peers[device], peer.standstill == nil, let known = peer.known[log],
      !peer.refused.contains(log), known.set != .quarantine, isBehind(of: log, by: known.sequence)
    else { return }
    peers[device]?.standstill = Standstill(
      kind: .keepsToItself, log: log, sequence: known.sequence, since: now)
  }

  /// Peers that withhold now, and have for minutes, by device.
  public func standstills(
    now: Instant
  ) -> [(device: DeviceID, kind: StandstillKind, seconds: Int64)] {
    connected.compactMap { device in
      guard let standstill = peers[device]?.standstill, standstill.isTold else { return nil }
      let seconds = now.milliseconds(since: standstill.since) / 1000
      return (device, standstill.kind, max(0, seconds))
    }
  }

  /// Everybody whose words are held and who is not revoked, and how long ago anything new of theirs
  /// came, by whatever path; by device.
  public func silences(now: Instant) -> [(device: DeviceID, seconds: Int64)] {
    var newest: [DeviceID: Instant] = [:]
    for summary in shelf.logs.values {
      guard let device = roster.device(of: summary.opening.certificate),
        device != local.device, !roster.revoked.contains(device)
      else { continue }
      let news = heardOf[summary.opening.certificate] ?? startedAt
      newest[device] = max(newest[device] ?? startedAt, news)
    }
    return newest.keys.sorted().map { device in
      let last = max(newest[device] ?? startedAt, peers[device]?.lastHeard ?? startedAt)
      return (device, max(0, now.milliseconds(since: last) / 1000))
    }
  }

  private func stands(_ standstill: Standstill, with peer: PeerState) -> Bool {
    switch standstill.kind {
    case .keepsToItself: isBehind(of: standstill.log, by: standstill.sequence)
    case .asksForNothing:
      claim(of: standstill.log, by: peer).map { $0 < standstill.sequence } ?? false
    }
  }

  /// How far a peer has shown that it holds a log.
  private func claim(of log: LogID, by peer: PeerState) -> UInt64? {
    guard let held = shelf.logs[log] else { return nil }
    return peer.confirmations.claim(of: log, held: held, change: shelf.change(of: log))
      .map { UInt64($0.number) }
  }

  /// The one after the last in the circle of logs, so that each has its turn.
  private func nextDifference(with peer: PeerState) -> Standstill? {
    var nearest: Standstill?
    func consider(_ kind: StandstillKind, _ log: LogID, _ sequence: UInt64) {
      if let nearest, !comes(log, before: nearest.log, after: peer.standstill?.log) { return }
      nearest = Standstill(kind: kind, log: log, sequence: sequence, since: now)
    }
    for (log, summary) in shelf.logs where !summary.isParted {
      let head = summary.head.sequence
      guard !shelf.isQuarantined(log, head), let claim = claim(of: log, by: peer), claim < head
      else { continue }
      consider(.asksForNothing, log, head)
    }
    for (log, known) in peer.known
    where known.set != .quarantine && known.sequence > 0 && !peer.refused.contains(log)
      && isBehind(of: log, by: known.sequence)
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
