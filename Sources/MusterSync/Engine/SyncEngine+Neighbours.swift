public import MusterModel

extension SyncEngine {
  /// Returns the devices received here, by device; if there are more than the limit, those received
  /// for longest.
  ///
  /// A device with a short silence stays in the list, so that packet loss does not remove it.
  public func neighbours(now: Instant) -> [ReceivedNeighbour] { context.neighbours(now: now) }

  /// Returns whether new data of a device arrived so recently that only a few relays can be in
  /// between.
  public func hasRecentData(of certificate: CertificateHash, now: Instant) -> Bool {
    context.activity[certificate].map { now.milliseconds(since: $0) <= Timing.steadyMilliseconds }
      ?? false
  }

  /// Whether the links have capacity beyond the highest priorities, and no queue has built up.
  public var hasRoom: Bool { context.outbox.links.hasRoom }
}

extension Context {
  fileprivate func neighbours(now: Instant) -> [ReceivedNeighbour] {
    let received = peers.devices.compactMap { device in
      peers[device].flatMap { ReceivedNeighbour($0, context: self, now: now) }
    }
    guard received.count > Limits.neighbours else { return received }
    let longest = received.sorted { ($0.since, $0.device) < ($1.since, $1.device) }
    return longest.prefix(Limits.neighbours).sorted { $0.device < $1.device }
  }
}

/// A device that is received here.
public struct ReceivedNeighbour: Hashable, Sendable {
  /// Identified by its certificate.
  public let device: DeviceID
  /// The path by which its datagrams arrive.
  public let path: NeighbourPath
  /// Since when, without a gap of minutes.
  public let since: Instant
}

extension ReceivedNeighbour {
  /// Nil for a device that is not received now.
  fileprivate init?(_ peer: PeerState, context: Context, now: Instant) {
    let isAnnounced = context.announcesServe(of: peer)
    guard isAnnounced || !peer.sessions.isEmpty && !peer.presence.isGap(until: now) else {
      return nil
    }
    if isAnnounced {
      path = .multicast
    } else {
      let endpoint = context.liveSession(of: peer.device).flatMap { context.sessions[$0]?.endpoint }
      path = (endpoint ?? peer.presence.endpoint).isUplink ? .uplink : .unicast
    }
    device = peer.device
    since = peer.presence.receivedSince
  }
}
