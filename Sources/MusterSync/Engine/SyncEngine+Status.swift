public import MusterModel

extension SyncEngine {
  /// Parts and sealed datagrams dropped since startup because a queue was full.
  public var droppedForLackOfRoom: UInt64 { context.outbox.dropped + context.outbox.links.dropped }

  /// What was sent again since startup although it had arrived.
  public var retransmissions: RetransmissionCounts { context.outbox.retransmissions }

  /// Returns the smoothed RTT of the session with a peer; nil before the first sample.
  public func roundTripMicroseconds(to device: DeviceID) -> Int64? {
    context.outbox.sendQueues[device]?.path.roundTrip.smoothed
  }

  /// Returns the progress of a listed blob; nil for another one.
  public func progress(of blob: BlobID) -> BlobProgress? {
    blobs.progress(of: blob, context: context)
  }

  /// Returns the blobs that this device fetches, with the units that are stored here.
  public func wantedBlobs() -> [(id: BlobID, held: UnitSet)] {
    blobs.catalog.wanted().map { ($0.id, $0.units) }
  }

  /// Whether all of a listed blob is stored here.
  public func isComplete(_ blob: BlobID) -> Bool { blobs.isComplete(blob) }

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
      context.peers[device].map {
        PeerStatus($0, ownRoots: own, ownFrames: held, context: context, now: now)
      }
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
    case discovered
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

extension PeerStatus {
  /// - Parameters:
  ///   - ownRoots: the roots of what is stored here.
  ///   - ownFrames: how many frames of each lane are stored here.
  fileprivate init(
    _ peer: PeerState, ownRoots: Roots, ownFrames: [Lane: UInt64], context: Context, now: Instant
  ) {
    let session = context.liveSession(of: peer.device).flatMap { context.sessions[$0] }
    device = peer.device
    endpoint = session?.endpoint ?? peer.presence.endpoint
    link = session?.link ?? peer.presence.announced?.link ?? .unknown
    isAnnounced = context.announcesServe(of: peer)
    state = State(of: peer, isAnnounced: isAnnounced, now: now)
    rules = peer.topology.otherRules?.version ?? context.local.rulesVersion
    lastHeardSeconds = max(0, now.milliseconds(since: peer.presence.lastReceived) / 1000)
    connectedSeconds = peer.presence.connectedSince.map {
      max(0, now.milliseconds(since: $0) / 1000)
    }
    behindFrames = context.logs.framesBehind(
      peer.holdings, ownRoots: ownRoots, ownFrames: ownFrames)
    bytesIn = peer.presence.bytesIn
    bytesOut = peer.presence.bytesOut
  }
}

extension PeerStatus.State {
  fileprivate init(of peer: PeerState, isAnnounced: Bool, now: Instant) {
    if peer.isReachable {
      self = .connected
    } else if peer.topology.otherRules != nil {
      self = peer.presence.isGap(until: now) ? .silent : .discovered
    } else {
      self = isAnnounced && peer.sessions.isEmpty ? .discovered : .silent
    }
  }
}

extension LogIndex {
  /// Returns the number of stored frames that a peer is missing, as far as its roots show. Lanes
  /// with equal roots are complete, even if positions differ. At most what was added since the
  /// roots were last equal.
  fileprivate func framesBehind(
    _ peer: PeerHoldings, ownRoots: Roots, ownFrames: [Lane: UInt64]
  ) -> UInt64 {
    guard let roots = peer.roots else { return 0 }
    return Lane.allCases.reduce(0) { count, lane in
      guard roots[SetID(lane)] != ownRoots[SetID(lane)] else { return count }
      let unproved = framesNotProved(by: peer, in: lane)
      guard let agreed = peer.agreedFrames[lane] else { return count + unproved }
      let now = ownFrames[lane] ?? 0
      return count + min(unproved, now - min(now, agreed))
    }
  }

  /// Returns the number of frames of a lane that a peer has not proved to hold.
  private func framesNotProved(by peer: PeerHoldings, in lane: Lane) -> UInt64 {
    var count: UInt64 = 0
    for (log, summary) in summaries where summary.opening.lane == lane {
      let known = peer.logs[log].map { max($0.sequence + 1, summary.first) }
      let held = summary.head.sequence + 1
      count += held - min(held, known ?? summary.first)
    }
    return count
  }
}
