internal import MusterCRDT
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// The status of this node: counts and hashes of what is held, its peers, and its problems.
struct StatusReport {
  let context: ReadContext
  let engine: SyncEngine
  let stateHash: StateHash
  let root: [UInt8]
  /// The epoch that seals new frames; nil without a key.
  let epoch: EpochID?
  let missing: [MissingFrames]
  /// Why the folder of the sentinel cannot be written; nil while it can.
  let stateFolderProblem: String?
  /// What is not held of what each device named.
  let excess: [BoundedTable: [DeviceID: UInt64]]

  private var devices: DeviceReader { DeviceReader(context: context, engine: engine) }

  /// Counts and hashes what is held; the node fills in `rejected` and `diskFreeBytes`.
  func summary(now: ClockReading) throws -> StatusSummary {
    let counts = try context.store.counts()
    let callsigns = Dictionary(
      try context.devices().map { ($0.id, $0.callsign) }, uniquingKeysWith: { first, _ in first })
    let peers = engine.peerStatus(now: now.instant).map { peer in
      var summary = PeerSummary(
        callsign: callsigns[peer.device] ?? peer.device.short, device: peer.device,
        state: PeerSummary.State(peer.state), endpoint: peer.endpoint, link: peer.link,
        interface: "", lastHeardSeconds: peer.lastHeardSeconds,
        connectedSeconds: peer.connectedSeconds,
        roundTripMicroseconds: engine.roundTripMicroseconds(to: peer.device),
        behindFrames: peer.behindFrames, sentBytes: peer.bytesOut, receivedBytes: peer.bytesIn)
      summary.needsUpdate = UpdateNeed(own: context.local.rulesVersion, peer: peer.rules)
      summary.isRevoked = context.control.isRevoked(peer.device)
      return summary
    }
    var status = StatusSummary(
      operation: context.local.operation, operationName: context.local.operationName,
      callsign: try context.callsign(of: context.local.author.user), device: context.local.device,
      role: context.local.author.role, stateHash: stateHash,
      stateIsIncomplete: counts.waiting > 0, root: root, logs: counts.logs,
      frames: counts.frames, waitingFrames: counts.waiting,
      quarantinedFrames: try devices.framesCut(),
      missingFrames: missing.reduce(0) { $0 + $1.sequences.count },
      users: Set(context.control.admissions.map(\.signed.certificate.author.user)).count,
      reports: try context.store.rows(.report).filter(\.exists).count,
      fences: try context.store.rows(.fence).filter(\.exists).count,
      crossings: try context.store.crossingCount(), peers: peers,
      fix: try context.devicePosition(of: context.local.device)?.report, rejected: [:],
      droppedForLackOfRoom: engine.droppedForLackOfRoom, forks: try devices.forks(callsigns),
      diskFreeBytes: nil)
    status.waitingWrites = counts.waitingWrites
    status.retransmissions = engine.retransmissions
    status.isRevoked = context.isRevoked
    status.clockLead = engine.clockLead(now: now)
    status.stateFolderProblem = stateFolderProblem
    status.clones = try devices.clones()
    status.bounds = try devices.boundsReached(excess: excess)
    status.epoch = try devices.epoch(epoch)
    let name = { (device: DeviceID) in callsigns[device] ?? device.short }
    status.withholding = engine.stalls(now: now.instant).map { peer in
      StallSummary(
        device: peer.device, callsign: name(peer.device),
        kind: StallSummary.Kind(peer.kind), seconds: peer.seconds)
    }
    status.stale = engine.silences(now: now.instant)
      .filter { $0.seconds >= Self.staleSeconds }
      .map { SilenceSummary(device: $0.device, callsign: name($0.device), seconds: $0.seconds) }
      .sorted { ($1.seconds, $0.device) < ($0.seconds, $1.device) }
    return status
  }

  /// As long as the detection of a stalled peer may take.
  private static let staleSeconds: Int64 = 600
}

extension PeerSummary.State {
  fileprivate init(_ state: PeerStatus.State) {
    switch state {
    case .connected: self = .connected
    case .discovered: self = .discovered
    case .silent: self = .silent
    }
  }
}
