public import MusterModel

extension SyncEngine {
  /// The first eight bytes of each set's root.
  public mutating func rootBytes() -> [UInt8] { shelf.roots().bytes }

  /// Every device that was met since the start, by device.
  public func peerStatus(now: Instant) -> [PeerStatus] {
    peers.keys.sorted().compactMap { device in
      guard let peer = peers[device] else { return nil }
      return PeerStatus(
        device: device, endpoint: peer.endpoint, isConnected: !peer.sessions.isEmpty,
        lastHeardSeconds: max(0, now.milliseconds(since: peer.lastHeard) / 1000),
        behindFrames: framesNotKnown(to: peer))
    }
  }

  /// Frames held here that the peer is not known to hold: none while its roots are ours.
  private func framesNotKnown(to peer: PeerState) -> UInt64 {
    var shelf = shelf
    if peer.roots == shelf.roots() { return 0 }
    var count: UInt64 = 0
    for (log, summary) in shelf.logs {
      let known = peer.known[log].map { $0.sequence + 1 }
      let held = summary.head.sequence + 1
      count += held - min(held, known ?? 0)
    }
    return count
  }
}

/// What is known of a device that was met.
public struct PeerStatus: Hashable, Sendable {
  /// By its certificate, which its session proved.
  public let device: DeviceID
  /// Where it was heard from last.
  public let endpoint: Endpoint
  /// Whether a session is open.
  public let isConnected: Bool
  /// Since a datagram of it was authenticated; never negative.
  public let lastHeardSeconds: Int64
  /// Frames held here that it is not known to hold: it may hold them and not have said so.
  public let behindFrames: UInt64
}
