internal import MusterModel

/// Established sessions, and the table of peers.
extension SyncEngine {
  // MARK: Peers

  /// Returns the state of a certified device, created at first contact; nil for this device itself.
  @discardableResult
  mutating func meet(
    _ device: DeviceID, certificate: CertificateHash, at endpoint: Endpoint
  ) -> Bool {
    guard device != context.local.device else { return false }
    guard context.peers[device] == nil else {
      context.peers[device]?.topology.otherRules = nil
      return true
    }
    makeRoomForPeer()
    guard context.peers.count < Limits.peers else { return false }
    context.peers[device] = PeerState(
      device: device, certificate: certificate, endpoint: endpoint, now: context.now)
    return true
  }

  private mutating func makeRoomForPeer() {
    guard context.peers.count >= Limits.peers else { return }
    let oldest = context.peers.values.filter { $0.sessions.isEmpty }.min {
      ($0.presence.lastHeard, $0.device) < ($1.presence.lastHeard, $1.device)
    }
    guard let oldest else { return }
    context.peers[oldest.device] = nil
  }

  // MARK: Sessions

  /// Adds a session. Returns false if the number of peers with sessions is at its limit.
  mutating func install(
    _ session: Session, certificate: SignedCertificate, link: LinkID
  ) -> Bool {
    let device = certificate.certificate.device
    guard meet(device, certificate: certificate.hash, at: session.endpoint),
      var peer = context.peers[device]
    else { return false }
    var session = session
    session.link = link
    let wasConnected = !peer.sessions.isEmpty
    peer.sessions.insert(session.localIndex, at: 0)
    while peer.sessions.count > Limits.sessionsPerPeer {
      context.sessions[peer.sessions.removeLast()] = nil
    }
    peer.certificate = certificate.hash
    peer.presence.endpoint = session.endpoint
    peer.presence.noteWord(now: context.now)
    peer.heartbeat.liveness = .heard
    peer.presence.connectedSince = peer.presence.connectedSince ?? context.now
    peer.branches.refused = []
    peer.budget.certificatesAsked = []
    peer.holdings.roots = nil
    peer.digests.last = nil
    peer.digests.begun = [:]
    peer.topology.hasNewNeighbours = true
    // Both sides send their roots now.
    if !wasConnected { peer.heartbeat.next = Contact.never }
    peer.heartbeat.quicken(now: context.now)
    context.sessions[session.localIndex] = session
    context.peers[device] = peer
    contacts.book.prove(session.endpoint, of: device)
    context.deadlines.schedule(.peer(device), at: peer.heartbeat.next)
    context.deadlines.schedule(.session(session.localIndex), at: deadline(of: session))
    if session.endpoint.isUplink {
      context.effects.append(.notice(.uplinkProven(session.endpoint)))
    } else {
      context.effects.append(.store(.contact(session.endpoint, device)))
    }
    if !wasConnected {
      context.effects.append(.notice(.peerConnected(device, session.endpoint)))
      for other in context.peers.connected where other != device {
        context.peers[other]?.topology.hasNewNeighbours = true
      }
    }
    return true
  }

  // MARK: Deadlines

  private func deadline(of session: Session) -> Instant {
    let end: Instant
    switch session.peer {
    case .joiner:
      end = session.lastReceived.advanced(byMilliseconds: Timing.joinerMilliseconds)
    case .device(let device):
      // An announce shows that its device is up; probes find out whether it still receives.
      let heard = max(
        session.lastReceived, context.peers[device]?.presence.announced?.at ?? session.lastReceived)
      let isSpare = context.peers[device]?.sessions.count ?? 0 > 1
      end = heard.advanced(
        byMilliseconds: isSpare ? Timing.spareMilliseconds : Timing.silenceMilliseconds)
    }
    return min(end, session.unconfirmedFinish?.nextAttempt ?? end)
  }

  mutating func tendSession(_ index: UInt32) {
    repeatFinish(index)
    guard let session = context.sessions[index] else { return }
    let deadline = deadline(of: session)
    if deadline <= context.now { return close(index) }
    context.deadlines.schedule(.session(index), at: deadline)
  }

  mutating func close(_ index: UInt32) {
    guard let session = context.sessions.removeValue(forKey: index),
      case .device(let device) = session.peer
    else { return }
    context.peers[device]?.sessions.removeAll { $0 == index }
    guard context.peers[device]?.sessions.isEmpty == true else { return }
    context.peers[device]?.presence.connectedSince = nil
    context.peers[device]?.heartbeat.liveness = .heard
    context.outbox.forget(device)
    evidence.forget(device)
    frames.pulls.stopPulls(from: device, context: &context)
    context.effects.append(.notice(.peerLost(device)))
    call(device)
  }
}
