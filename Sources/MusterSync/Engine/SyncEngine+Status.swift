public import MusterModel

extension SyncEngine {
  /// Parts and sealed datagrams dropped since startup because a queue was full.
  public var droppedForLackOfRoom: UInt64 { context.outbox.dropped + context.outbox.links.dropped }

  /// Returns the smoothed RTT of the session with a peer; nil before the first sample.
  public func roundTripMicroseconds(to device: DeviceID) -> Int64? {
    context.outbox.sendQueues[device]?.path.roundTrip.smoothed
  }

  /// Returns the first eight bytes of the root of each set that makes up the state: the four lanes
  /// and the records.
  public mutating func rootBytes() -> [UInt8] {
    encodedWords(Array(context.logs.roots().hashes.prefix(Roots.stateSets)))
  }

  /// Returns the status of every device met since startup, by device.
  public func peerStatus(now: Instant) -> [PeerStatus] {
    var logs = context.logs
    let own = logs.roots()
    let held = logs.frameCounts()
    return context.peers.devices.compactMap { device in
      guard let peer = context.peers[device] else { return nil }
      let session = context.liveSession(of: device).flatMap { context.sessions[$0] }
      return PeerStatus(
        device: device, endpoint: session?.endpoint ?? peer.presence.endpoint,
        link: session?.link ?? peer.presence.announced?.link ?? .unknown,
        state: context.state(of: peer, now: now),
        rules: peer.topology.otherRules?.version ?? context.local.rulesVersion,
        lastHeardSeconds: max(0, now.milliseconds(since: peer.presence.lastHeard) / 1000),
        connectedSeconds: peer.presence.connectedSince.map {
          max(0, now.milliseconds(since: $0) / 1000)
        },
        isAnnounced: context.announcesServe(of: peer),
        behindFrames: context.framesBehind(peer, own: own, held: held),
        bytesIn: peer.presence.bytesIn, bytesOut: peer.presence.bytesOut)
    }
  }
}

/// The status of a known device.
public struct PeerStatus: Hashable, Sendable {
  /// Whether messages reach it.
  public enum State: String, Hashable, Sendable {
    /// A session is open, and the last message was answered.
    case connected
    /// Its announces are received. In a large mesh not all pairs keep a session.
    case heard
    /// Nothing was received recently.
    case silent
  }

  /// Identified by the certificate that its session or its announce proved.
  public let device: DeviceID
  /// The last source address.
  public let endpoint: Endpoint
  /// The link of its last datagram.
  public let link: LinkID
  /// Its current state.
  public let state: State
  /// Its rules version. Nothing is synchronized with a device of another version.
  public let rules: RulesVersion
  /// The time since its last authenticated datagram, in seconds; never negative.
  public let lastHeardSeconds: Int64
  /// How long there has been a session, in seconds; nil without one.
  public let connectedSeconds: Int64?
  /// Whether its announces are received, with or without a session.
  public let isAnnounced: Bool
  /// The number of stored frames that it is missing, as far as its roots show; 0 while they are
  /// unknown.
  public let behindFrames: UInt64
  /// Bytes received on its sessions, including headers.
  public let bytesIn: UInt64
  /// Bytes sent on its sessions, including headers.
  public let bytesOut: UInt64

  /// Whether a session is open and answered.
  public var isConnected: Bool { state == .connected }
}

extension Context {
  func state(of peer: PeerState, now: Instant) -> PeerStatus.State {
    if peer.isReachable { return .connected }
    if peer.topology.otherRules != nil { return peer.presence.isGap(until: now) ? .silent : .heard }
    return !announcesServe(of: peer) || !peer.sessions.isEmpty ? .silent : .heard
  }

  /// Returns the number of stored frames that the peer is missing, as far as its roots show. Lanes
  /// with equal roots are complete, even if positions differ. At most what was added since the
  /// roots were last equal.
  func framesBehind(_ peer: PeerState, own: Roots, held: [Lane: UInt64]) -> UInt64 {
    guard let roots = peer.holdings.roots else { return 0 }
    return Lane.allCases.reduce(0) { count, lane in
      guard roots[SetID(lane)] != own[SetID(lane)] else { return count }
      let unknown = framesNotKnown(to: peer, in: lane)
      guard let agreed = peer.holdings.agreedFrames[lane] else { return count + unknown }
      let now = held[lane] ?? 0
      return count + min(unknown, now - min(now, agreed))
    }
  }

  /// Returns the number of frames of a lane that the peer has not proved to hold.
  private func framesNotKnown(to peer: PeerState, in lane: Lane) -> UInt64 {
    var count: UInt64 = 0
    for (log, summary) in logs.summaries where summary.opening.lane == lane {
      let known = peer.holdings.logs[log].map { max($0.sequence + 1, summary.first) }
      let held = summary.head.sequence + 1
      count += held - min(held, known ?? summary.first)
    }
    return count
  }
}
