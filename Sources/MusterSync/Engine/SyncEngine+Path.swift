public import MusterModel

/// The way that words to a peer take at present.
public struct PeerPath: Hashable, Sendable {
  /// By which it was heard last on its session.
  public let link: LinkID
  /// Since the session was opened; never negative.
  public let connectedSeconds: Int64
  /// Smoothed; nil before the first was measured.
  public let roundTripMicroseconds: Int64?
}

extension SyncEngine {
  /// Nil while there is no session with the peer.
  public func path(to device: DeviceID, now: Instant) -> PeerPath? {
    guard let session = liveSession(of: device).flatMap({ sessions[$0] }) else { return nil }
    return PeerPath(
      link: session.link,
      connectedSeconds: max(0, now.milliseconds(since: session.establishedAt) / 1000),
      roundTripMicroseconds: outbox.flows[device]?.roundTrip.smoothed)
  }
}
