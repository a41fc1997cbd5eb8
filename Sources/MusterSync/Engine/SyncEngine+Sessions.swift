internal import MusterModel

/// Established sessions.
extension SyncEngine {
  /// Adds a session. Returns false if the number of peers with sessions is at its limit.
  mutating func install(
    _ session: Session, certificate: SignedCertificate, link: LinkID
  ) -> Bool {
    let device = certificate.certificate.device
    guard context.meet(device, certificate: certificate.hash, at: session.endpoint) else {
      return false
    }
    var session = session
    session.link = link
    let wasConnected = !context.peers[known: device].sessions.isEmpty
    let evicted = context.peers[known: device].connect(
      session.localIndex, certificate: certificate.hash, at: session.endpoint, now: context.now)
    for index in evicted { context.sessions[index] = nil }
    context.sessions[session.localIndex] = session
    contacts.book.prove(session.endpoint, of: device)
    context.scheduleTending(of: device)
    context.deadlines.schedule(.session(session.localIndex), at: context.deadline(of: session))
    if session.endpoint.isUplink {
      context.effects.append(.notice(.uplinkProven(session.endpoint, device)))
    } else {
      context.effects.append(.store(.contact(session.endpoint, device)))
    }
    if !wasConnected {
      context.effects.append(.notice(.peerConnected(device, session.endpoint)))
      for other in context.peers.connected where other != device {
        context.peers[known: other].topology.hasNewNeighbours = true
      }
    }
    blobs.connect(device, context: &context)
    return true
  }

  mutating func tendSession(_ index: UInt32) {
    if handshaker.repeatFinish(of: index, context: &context) { return close(index) }
    guard let session = context.sessions[index] else { return }
    let deadline = context.deadline(of: session)
    if deadline <= context.now { return close(index) }
    context.deadlines.schedule(.session(index), at: deadline)
  }

  mutating func close(_ index: UInt32) {
    guard let session = context.sessions.removeValue(forKey: index),
      case .device(let device) = session.peer
    else { return }
    guard context.peers[known: device].disconnect(index) else { return }
    context.outbox.forget(device)
    evidence.forget(device)
    blobs.disconnect(device, context: &context)
    frames.pulls.stopPulls(from: device, context: &context)
    context.effects.append(.notice(.peerLost(device)))
    call(device)
  }
}
