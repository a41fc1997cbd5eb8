internal import MusterCrypto
internal import MusterModel

/// Handshakes, sessions, heartbeats and the addresses that are tried.
extension SyncEngine {
  // MARK: Initiating

  /// An address that the user gave, or that is remembered.
  mutating func addContact(_ endpoint: Endpoint) {
    if contacts[endpoint] == nil, contacts.count >= Limits.peers { forgetHeardContact() }
    guard contacts[endpoint] != nil || contacts.count < Limits.peers else { return }
    contacts[endpoint, default: Contact(nextAttempt: now)].attemptsLeft = nil
    tryContacts()
  }

  /// The source of an announce, which anybody may have forged: few of them are kept, and each is
  /// tried a few times, so that a recorded announce moves little and crowds nobody out.
  mutating func hearContact(_ endpoint: Endpoint, device: DeviceID?) {
    if contacts[endpoint] != nil {
      if let device { contacts[endpoint]?.device = device }
      return
    }
    let heard = contacts.values.count { $0.attemptsLeft != nil }
    guard heard < Limits.heardContacts, contacts.count < Limits.peers else { return }
    contacts[endpoint] = Contact(
      device: device, nextAttempt: now, attemptsLeft: Timing.heardContactAttempts)
    tryContacts()
  }

  private mutating func forgetHeardContact() {
    let heard = contacts.keys.sorted().first { contacts[$0]?.attemptsLeft != nil }
    if let heard { contacts[heard] = nil }
  }

  mutating func retryEverybody() {
    for endpoint in contacts.keys.sorted() {
      contacts[endpoint]?.nextAttempt = now
      contacts[endpoint]?.backoffMilliseconds = Timing.contactFirstMilliseconds
    }
    announcing.reset(now: now)
    for device in peers.keys { peers[device]?.quicken(now: now) }
    tryContacts()
  }

  mutating func tryContacts() {
    for endpoint in contacts.keys.sorted() {
      guard var contact = contacts[endpoint], contact.nextAttempt <= now else { continue }
      let isConnected = contact.device.map { liveSession(of: $0) != nil } ?? false
      if isConnected {
        contact.backoffMilliseconds = Timing.contactFirstMilliseconds
        contact.nextAttempt = now.advanced(byMilliseconds: Timing.contactLastMilliseconds)
      } else if contact.attemptsLeft == 0 {
        contacts[endpoint] = nil
        continue
      } else {
        if let left = contact.attemptsLeft { contact.attemptsLeft = left - 1 }
        // A quarter of jitter, so that nodes that lost each other do not answer in step.
        let jitter = Int64(random.uniform(below: UInt64(contact.backoffMilliseconds / 4)))
        contact.nextAttempt = now.advanced(byMilliseconds: contact.backoffMilliseconds + jitter)
        contact.backoffMilliseconds = min(
          contact.backoffMilliseconds * 2, Timing.contactLastMilliseconds)
        initiate(to: endpoint)
      }
      contacts[endpoint] = contact
    }
  }

  mutating func initiate(to endpoint: Endpoint) {
    for (index, pending) in handshakes where pending.endpoint == endpoint {
      guard pending.remoteIndex == nil else { continue }
      handshakes[index] = nil
    }
    let index = freshIndex()
    var handshake = SessionHandshake(
      .initiator, purpose: .session, operation: local.operation,
      preSharedKey: local.networkKey.export(), staticKey: local.agreementKey,
      ephemeralKey: random.agreementKey(), localIndex: index, endpoint: endpoint, now: now)
    do {
      var writer = ByteWriter()
      writer.append(DatagramKind.initiation.rawValue)
      writer.append(index)
      writer.append(fixed: try handshake.write(.padding))
      keep(handshake)
      transmit(writer.bytes, to: .endpoint(endpoint, .unknown))
    } catch {
      preconditionFailure("cannot begin a handshake: \(error)")
    }
  }

  mutating func receiveResponse(
    _ message: ArraySlice<UInt8>, localIndex: UInt32, remoteIndex: UInt32, from endpoint: Endpoint
  ) throws(WireError) {
    guard var handshake = handshakes[localIndex], handshake.remoteIndex == nil else {
      return reject(.unauthenticated, from: endpoint)
    }
    let payload = try handshake.read(message)
    let leaf = try verifiedLeaf(payload, handshake: handshake)
    handshakes[localIndex] = nil
    guard leaf.certificate.device != local.device else {
      // Our own address: there is nobody to talk to.
      contacts[handshake.endpoint] = nil
      return
    }
    var writer = ByteWriter()
    writer.append(DatagramKind.finish.rawValue)
    writer.append(remoteIndex)
    writer.append(fixed: try handshake.write(.chain(local.chain.certificates)))
    let finish = Session.UnconfirmedFinish(
      datagram: writer.bytes,
      nextAttempt: now.advanced(byMilliseconds: Timing.finishFirstMilliseconds), attempts: 1)
    contacts[handshake.endpoint]?.device = leaf.certificate.device
    install(
      Session(
        localIndex: localIndex, remoteIndex: remoteIndex, peer: .device(leaf.certificate.device),
        endpoint: endpoint, now: now, keys: handshake.sessionKeys(), unconfirmedFinish: finish),
      certificate: leaf)
    transmit(writer.bytes, to: .endpoint(endpoint, arrivalLink))
  }

  // MARK: Responding

  mutating func receiveInitiation(
    _ message: ArraySlice<UInt8>, remoteIndex: UInt32, size: Int, from endpoint: Endpoint
  ) throws(WireError) {
    try respond(
      to: message, purpose: .session, preSharedKey: local.networkKey.export(),
      remoteIndex: remoteIndex, size: size, from: endpoint)
  }

  mutating func receiveJoinInitiation(
    _ message: ArraySlice<UInt8>, invite: InviteID, remoteIndex: UInt32, size: Int,
    from endpoint: Endpoint
  ) throws(WireError) {
    guard let secret = invites[invite]?.secret else {
      return reject(.unknownInvite, from: endpoint)
    }
    try respond(
      to: message, purpose: .join(invite),
      preSharedKey: Invitation.preSharedKey(secret: secret), remoteIndex: remoteIndex,
      size: size, from: endpoint)
  }

  private mutating func respond(
    to message: ArraySlice<UInt8>, purpose: SessionHandshake.Purpose, preSharedKey: [UInt8],
    remoteIndex: UInt32, size: Int, from endpoint: Endpoint
  ) throws(WireError) {
    let index = freshIndex()
    var handshake = SessionHandshake(
      .responder, purpose: purpose, operation: local.operation, preSharedKey: preSharedKey,
      staticKey: local.agreementKey, ephemeralKey: random.agreementKey(), localIndex: index,
      endpoint: endpoint, now: now)
    handshake.remoteIndex = remoteIndex
    guard case .padding = try handshake.read(message) else { throw .malformed("initiation") }
    var writer = ByteWriter()
    writer.append(DatagramKind.response.rawValue)
    writer.append(remoteIndex)
    writer.append(index)
    writer.append(fixed: try handshake.write(.chain(local.chain.certificates)))
    guard writer.bytes.count <= 3 * size else { throw .malformed("initiation is not padded") }
    keep(handshake)
    transmit(writer.bytes, to: .endpoint(endpoint, arrivalLink))
  }

  mutating func receiveFinish(
    _ message: ArraySlice<UInt8>, localIndex: UInt32, from endpoint: Endpoint
  ) throws(WireError) {
    let finishHash = Blake2b.hash128(Array(message))
    if let session = sessions[localIndex] {
      // A repeated finish: what should have confirmed the first was lost.
      guard session.finishHash == finishHash else {
        return reject(.unauthenticated, from: endpoint)
      }
      switch session.peer {
      case .device(let device): sendRoots(to: device)
      case .joiner(let invite, let request):
        effects.append(.admit(JoinTicket(session: localIndex, invite: invite, request: request)))
      }
      return
    }
    guard var handshake = handshakes[localIndex], let remoteIndex = handshake.remoteIndex else {
      return reject(.unauthenticated, from: endpoint)
    }
    // What the joiner could sign: the handshake as it was before the message that carries it.
    let binding = handshake.hash
    let payload = try handshake.read(message)
    switch (handshake.purpose, payload) {
    case (.join(let invite), .join(let request)):
      guard request.agreementKey == handshake.remoteKey, request.isSigned(binding: binding)
      else { throw .forged("join request") }
      handshakes[localIndex] = nil
      makeRoomForJoiner()
      var session = Session(
        localIndex: localIndex, remoteIndex: remoteIndex, peer: .joiner(invite, request),
        endpoint: endpoint, now: now, keys: handshake.sessionKeys(), finishHash: finishHash)
      session.link = arrivalLink
      sessions[localIndex] = session
      effects.append(
        .admit(JoinTicket(session: localIndex, invite: invite, request: request)))
    case (.session, .chain):
      let leaf = try verifiedLeaf(payload, handshake: handshake)
      handshakes[localIndex] = nil
      guard leaf.certificate.device != local.device else { return }
      install(
        Session(
          localIndex: localIndex, remoteIndex: remoteIndex, peer: .device(leaf.certificate.device),
          endpoint: endpoint, now: now, keys: handshake.sessionKeys(), finishHash: finishHash),
        certificate: leaf)
      beginReconciling(with: leaf.certificate.device)
    default: throw .malformed("finish")
    }
  }

  mutating func answerJoin(_ ticket: JoinTicket, _ answer: JoinAnswer) {
    guard var session = sessions[ticket.session], case .joiner = session.peer else { return }
    var packet = Packet()
    packet.joinAnswer = answer
    if case .granted(let grant) = answer, packet.encoded().count > packetBytes {
      // A long chain under a long name leaves no room for keys: the joiner asks for them later.
      packet.joinAnswer = .granted(
        JoinGrant(
          rootKey: grant.rootKey, operationName: grant.operationName, chain: grant.chain,
          networkKey: grant.networkKey, epochKeys: []))
    }
    transmit(session.seal(packet.encoded()), to: .endpoint(session.endpoint, session.link))
    sessions[ticket.session] = session
  }

  // MARK: Sessions

  /// The sender's own certificate, when the chain holds up to the root and is that of the key that
  /// the handshake proved.
  private func verifiedLeaf(
    _ payload: HandshakePayload, handshake: SessionHandshake
  ) throws(WireError) -> SignedCertificate {
    guard case .chain(let certificates) = payload,
      let chain = CertificateChain(
        certificates, operation: local.operation, rootKey: local.rootKey),
      chain.leaf.certificate.agreementKey == handshake.remoteKey
    else { throw .forged("certificate chain") }
    return chain.leaf
  }

  private mutating func install(_ session: Session, certificate: SignedCertificate) {
    var session = session
    session.link = arrivalLink
    let device = certificate.certificate.device
    if peers[device] == nil { makeRoomForPeer() }
    var peer =
      peers[device]
      ?? PeerState(
        device: device, certificate: certificate.hash, endpoint: session.endpoint, now: now)
    let wasConnected = !peer.sessions.isEmpty
    peer.sessions.insert(session.localIndex, at: 0)
    while peer.sessions.count > 2 { sessions[peer.sessions.removeLast()] = nil }
    peer.certificate = certificate.hash
    peer.endpoint = session.endpoint
    peer.lastHeard = now
    peer.refused = []
    peer.quicken(now: now)
    sessions[session.localIndex] = session
    peers[device] = peer
    if contacts[session.endpoint] == nil, contacts.count >= Limits.peers { forgetHeardContact() }
    if contacts[session.endpoint] != nil || contacts.count < Limits.peers {
      contacts[session.endpoint, default: Contact(nextAttempt: now)].device = device
      contacts[session.endpoint]?.attemptsLeft = nil
    }
    effects.append(.store(.contact(session.endpoint, device)))
    if !wasConnected { effects.append(.notice(.peerConnected(device, session.endpoint))) }
  }

  private mutating func makeRoomForPeer() {
    guard peers.count >= Limits.peers else { return }
    let oldest = peers.values.min {
      ($0.sessions.isEmpty ? 0 : 1, $0.lastHeard, $0.device)
        < ($1.sessions.isEmpty ? 0 : 1, $1.lastHeard, $1.device)
    }
    if let oldest { drop(oldest.device) }
  }

  private mutating func drop(_ device: DeviceID) {
    for index in peers[device]?.sessions ?? [] { close(index) }
    peers[device] = nil
  }

  /// Whoever holds an invite's secret may finish any number of handshakes.
  private mutating func makeRoomForJoiner() {
    let joiners = sessions.values.filter { if case .joiner = $0.peer { true } else { false } }
    guard joiners.count >= Limits.handshakesInFlight else { return }
    let oldest = joiners.min {
      ($0.lastReceived, $0.localIndex) < ($1.lastReceived, $1.localIndex)
    }
    if let oldest { sessions[oldest.localIndex] = nil }
  }

  private mutating func keep(_ handshake: SessionHandshake) {
    if handshakes.count >= Limits.handshakesInFlight {
      let oldest = handshakes.min {
        ($0.value.startedAt, $0.key) < ($1.value.startedAt, $1.key)
      }
      if let oldest { handshakes[oldest.key] = nil }
    }
    handshakes[handshake.localIndex] = handshake
  }

  private mutating func freshIndex() -> UInt32 {
    while true {
      let index = UInt32(truncatingIfNeeded: random.uint64())
      if sessions[index] == nil, handshakes[index] == nil { return index }
    }
  }

  // MARK: Deadlines

  mutating func expireHandshakes() {
    let expired = handshakes.filter {
      $0.value.startedAt.advanced(byMilliseconds: Timing.handshakeMilliseconds) <= now
    }
    for index in expired.keys { handshakes[index] = nil }
  }

  mutating func repeatFinishes() {
    for index in sessions.keys.sorted() {
      guard let session = sessions[index], var finish = session.unconfirmedFinish,
        finish.nextAttempt <= now
      else { continue }
      guard finish.attempts < Timing.finishAttempts else {
        close(index)
        continue
      }
      let wait = Timing.finishFirstMilliseconds << Int64(finish.attempts)
      finish.attempts += 1
      finish.nextAttempt = now.advanced(byMilliseconds: wait)
      sessions[index]?.unconfirmedFinish = finish
      transmit(finish.datagram, to: .endpoint(session.endpoint, session.link))
    }
  }

  mutating func expireSessions() {
    for index in sessions.keys.sorted() {
      guard let session = sessions[index],
        session.lastReceived.advanced(byMilliseconds: Timing.silenceMilliseconds) <= now
      else { continue }
      close(index)
    }
  }

  private mutating func close(_ index: UInt32) {
    guard let session = sessions.removeValue(forKey: index),
      case .device(let device) = session.peer
    else { return }
    peers[device]?.sessions.removeAll { $0 == index }
    guard peers[device]?.sessions.isEmpty == true else { return }
    outbox.forget(device)
    stopPulls(from: device)
    effects.append(.notice(.peerLost(device)))
    for endpoint in contacts.keys.sorted() where contacts[endpoint]?.device == device {
      contacts[endpoint]?.nextAttempt = now
      contacts[endpoint]?.backoffMilliseconds = Timing.contactFirstMilliseconds
    }
  }

  mutating func sendHeartbeats() {
    for device in peers.keys.sorted() {
      guard let peer = peers[device], !peer.sessions.isEmpty, peer.nextHeartbeat <= now else {
        continue
      }
      peers[device]?.heartbeatMilliseconds = min(
        peer.heartbeatMilliseconds * 2, Timing.heartbeatLastMilliseconds)
      peers[device]?.nextHeartbeat = now.advanced(byMilliseconds: peer.heartbeatMilliseconds)
      sendRoots(to: device)
      if !missingKeys.isEmpty { askForKeys(device) }
    }
  }

  mutating func sendRoots(to device: DeviceID) {
    var packet = Packet()
    packet.roots = shelf.roots()
    outbox.add(packet, importance: .control, to: device)
  }
}
