internal import MusterModel

/// Established sessions, and the table of peers.
extension SyncEngine {
  /// Creates the state of a certified device at first contact. Returns false if there is no room,
  /// or if it is this device itself.
  @discardableResult
  mutating func meet(
    _ device: DeviceID, certificate: CertificateHash, at endpoint: Endpoint
  ) -> Bool {
    guard device != context.local.device else { return false }
    return context.peers.meet(device, certificate: certificate, at: endpoint, now: context.now)
  }

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
    let evicted = peer.connect(
      session.localIndex, certificate: certificate.hash, at: session.endpoint, now: context.now)
    for index in evicted { context.sessions[index] = nil }
    context.sessions[session.localIndex] = session
    context.peers[device] = peer
    contacts.book.prove(session.endpoint, of: device)
    context.deadlines.schedule(.peer(device), at: peer.heartbeat.next)
    context.deadlines.schedule(.session(session.localIndex), at: context.deadline(of: session))
    if session.endpoint.isUplink {
      context.effects.append(.notice(.uplinkProven(session.endpoint)))
    } else {
      context.effects.append(.store(.contact(session.endpoint, device)))
    }
    if !wasConnected {
      context.effects.append(.notice(.peerConnected(device, session.endpoint)))
      for other in context.peers.connected where other != device {
        context.peers[known: other].topology.hasNewNeighbours = true
      }
    }
    return true
  }

  mutating func tendSession(_ index: UInt32) {
    repeatFinish(index)
    guard let session = context.sessions[index] else { return }
    let deadline = context.deadline(of: session)
    if deadline <= context.now { return close(index) }
    context.deadlines.schedule(.session(index), at: deadline)
  }

  /// Retransmits an unconfirmed finish, for half a minute.
  private mutating func repeatFinish(_ index: UInt32) {
    guard let session = context.sessions[index], var finish = session.unconfirmedFinish,
      finish.nextAttempt <= context.now
    else { return }
    guard context.now.milliseconds(since: session.establishedAt) < Timing.handshakeMilliseconds
    else {
      return close(index)
    }
    finish.attempts += 1
    finish.nextAttempt = context.nextAttempt(after: finish.attempts)
    context.sessions[index]?.noteRepeated(finish)
    context.transmit(finish.datagram, to: .endpoint(session.endpoint, session.link))
  }

  mutating func close(_ index: UInt32) {
    guard let session = context.sessions.removeValue(forKey: index),
      case .device(let device) = session.peer
    else { return }
    guard context.peers[known: device].disconnect(index) else { return }
    context.outbox.forget(device)
    evidence.forget(device)
    frames.pulls.stopPulls(from: device, context: &context)
    context.effects.append(.notice(.peerLost(device)))
    call(device)
  }
}
