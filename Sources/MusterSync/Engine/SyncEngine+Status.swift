public import MusterModel

extension SyncEngine {
  /// The first eight bytes of the root of each set that makes up the state: all but the quarantine.
  public mutating func rootBytes() -> [UInt8] {
    encodedWords(Array(shelf.roots().hashes.prefix(Roots.stateSets)))
  }

  /// Every device that was met since the start, by device.
  public func peerStatus(now: Instant) -> [PeerStatus] {
    var shelf = shelf
    let own = shelf.roots()
    let held = shelf.frameCounts()
    return met.compactMap { device in
      guard let peer = peers[device] else { return nil }
      let session = liveSession(of: device).flatMap { sessions[$0] }
      return PeerStatus(
        device: device, endpoint: session?.endpoint ?? peer.endpoint,
        link: session?.link ?? peer.announced?.link ?? .unknown,
        state: state(of: peer, now: now), rules: peer.otherRules?.version ?? local.rulesVersion,
        lastHeardSeconds: max(0, now.milliseconds(since: peer.lastHeard) / 1000),
        connectedSeconds: peer.connectedSince.map { max(0, now.milliseconds(since: $0) / 1000) },
        isAnnounced: announcesServe(of: peer),
        behindFrames: framesBehind(peer, own: own, held: held),
        bytesIn: peer.bytesIn, bytesOut: peer.bytesOut)
    }
  }

  private func state(of peer: PeerState, now: Instant) -> PeerStatus.State {
    if peer.isReachable { return .connected }
    if peer.otherRules != nil { return peer.isGap(until: now) ? .silent : .heard }
    return !announcesServe(of: peer) || !peer.sessions.isEmpty ? .silent : .heard
  }

  /// Frames held here that the peer lacks, as far as its roots show: lanes whose roots are equal
  /// lack nothing, whatever positions differ. At most what was added since they were last equal.
  private func framesBehind(_ peer: PeerState, own: Roots, held: [Lane: UInt64]) -> UInt64 {
    guard let roots = peer.roots else { return 0 }
    return Lane.allCases.reduce(0) { count, lane in
      guard roots[SetID(lane)] != own[SetID(lane)] else { return count }
      let unknown = framesNotKnown(to: peer, in: lane)
      guard let agreed = peer.agreedFrames[lane] else { return count + unknown }
      let now = held[lane] ?? 0
      return count + min(unknown, now - min(now, agreed))
    }
  }

  /// Frames of a lane that the peer has not shown to hold.
  private func framesNotKnown(to peer: PeerState, in lane: Lane) -> UInt64 {
    var count: UInt64 = 0
    for (log, summary) in shelf.logs where summary.opening.lane == lane {
      let known = peer.known[log].map { max($0.sequence + 1, summary.first) }
      let held = summary.head.sequence + 1
      count += held - min(held, known ?? summary.first)
    }
    return count
  }
}

/// What is known of a device that was met.
public struct PeerStatus: Hashable, Sendable {
  /// Whether words reach it.
  public enum State: String, Hashable, Sendable {
    /// A session is open, and what was said on it was answered.
    case connected
    /// Its announces are heard; in a large mesh not everybody keeps a session with everybody.
    case heard
    /// Nothing has come of late.
    case silent
  }

  /// By its certificate, which its session or its announce proved.
  public let device: DeviceID
  /// Where it was heard from last.
  public let endpoint: Endpoint
  /// By which it was heard last.
  public let link: LinkID
  /// How it stands now.
  public let state: State
  /// By which it derives its state; nothing is synchronized with a device of other rules.
  public let rules: RulesVersion
  /// Since a datagram of it was authenticated; never negative.
  public let lastHeardSeconds: Int64
  /// How long there has been a session; nil while there is none.
  public let connectedSeconds: Int64?
  /// Whether its announces are heard, besides or without a session.
  public let isAnnounced: Bool
  /// Frames held here that it lacks, as far as its roots show; 0 while they are not known.
  public let behindFrames: UInt64
  /// Of its sessions, in datagrams with their headers.
  public let bytesIn: UInt64
  /// Likewise.
  public let bytesOut: UInt64

  /// Whether a session is open and answered.
  public var isConnected: Bool { state == .connected }
}
