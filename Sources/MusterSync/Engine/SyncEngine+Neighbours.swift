public import MusterModel

extension SyncEngine {
  /// Whom this device hears: of more than may be told those heard longest, by device.
  ///
  /// A silence that is no gap yet takes nobody out, so that words that are lost do not.
  public func neighbours(now: Instant) -> [HeardNeighbour] {
    let heard = met.compactMap { device in
      peers[device].flatMap { heardNeighbour($0, now: now) }
    }
    guard heard.count > Limits.neighbours else { return heard }
    let longest = heard.sorted { ($0.since, $0.device) < ($1.since, $1.device) }
    return longest.prefix(Limits.neighbours).sorted { $0.device < $1.device }
  }

  private func heardNeighbour(_ peer: PeerState, now: Instant) -> HeardNeighbour? {
    let isAnnounced = announcesServe(of: peer)
    guard isAnnounced || !peer.sessions.isEmpty && !peer.isGap(until: now) else { return nil }
    let path: NeighbourPath
    if isAnnounced {
      path = .multicast
    } else {
      let endpoint = liveSession(of: peer.device).flatMap { sessions[$0]?.endpoint }
      path = (endpoint ?? peer.endpoint).isUplink ? .uplink : .unicast
    }
    return HeardNeighbour(device: peer.device, path: path, since: peer.heardSince)
  }

  /// Whether something new of a device came so lately that it can be no further off than a few
  /// who pass it on.
  public func hasNews(of certificate: CertificateHash, now: Instant) -> Bool {
    heardOf[certificate].map { now.milliseconds(since: $0) <= Timing.steadyMilliseconds } ?? false
  }

  /// Whether the links carry more than what matters most, and nothing on the way is full.
  public var hasRoom: Bool { !outbox.links.isNarrow && !outbox.links.isFull }
}

/// A device that is heard here.
public struct HeardNeighbour: Hashable, Sendable {
  /// By its certificate.
  public let device: DeviceID
  /// By which its words come.
  public let path: NeighbourPath
  /// Since when without a gap of minutes.
  public let since: Instant
}
