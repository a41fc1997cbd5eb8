internal import MusterCrypto
internal import MusterModel

/// Handshakes, from the initiation to the session keys.
extension SyncEngine {
  // MARK: Initiating

  mutating func initiate(to endpoint: Endpoint) {
    if let pending = handshakes.initiation(to: endpoint) {
      // A response to an earlier initiation may still be in flight.
      handshakes[pending.localIndex]?.attempts += 1
      return context.transmit(pending.datagram, to: .endpoint(endpoint, .unknown))
    }
    let index = freshIndex()
    var handshake = SessionHandshake(
      .initiator, purpose: .session, operation: context.local.operation,
      preSharedKey: context.local.networkKey.export(), staticKey: context.local.agreementKey,
      ephemeralKey: context.random.agreementKey(), rules: context.local.rulesVersion,
      localIndex: index,
      endpoint: endpoint, now: context.now)
    do {
      var writer = ByteWriter()
      writer.append(DatagramKind.initiation.rawValue)
      writer.append(index)
      writer.append(fixed: try handshake.write(.padding))
      handshake.datagram = writer.bytes
      if isAbout(endpoint) { handshake.nextAttempt = nextAttempt(after: 1) }
      keep(handshake)
      context.transmit(writer.bytes, to: .endpoint(endpoint, .unknown))
    } catch {
      preconditionFailure("cannot begin a handshake: \(error)")
    }
  }

  /// Handles a cookie: the other side is under load and verifies this address. Once per handshake.
  mutating func receiveCookie(
    _ cookie: [UInt8], localIndex: UInt32, by arrival: Arrival
  ) {
    let endpoint = arrival.endpoint
    guard let handshake = handshakes[localIndex], handshake.remoteIndex == nil,
      handshake.endpoint == endpoint, !handshake.hasCookie
    else { return context.reject(.unauthenticated, from: endpoint) }
    let datagram = [DatagramKind.withCookie.rawValue] + cookie + handshake.datagram
    handshakes[localIndex]?.datagram = datagram
    handshakes[localIndex]?.hasCookie = true
    context.transmit(datagram, to: .endpoint(endpoint, arrival.link))
  }

  mutating func receiveResponse(
    _ message: ArraySlice<UInt8>, localIndex: UInt32, remoteIndex: UInt32, by arrival: Arrival
  ) throws(WireError) {
    let endpoint = arrival.endpoint
    if hasAnswered(message, on: localIndex) { return repeatResponse(localIndex) }
    guard var handshake = handshakes[localIndex], handshake.remoteIndex == nil else {
      return context.reject(.unauthenticated, from: endpoint)
    }
    let payload = try handshake.read(message)
    let chain = try verifiedChain(payload, handshake: handshake)
    let leaf = chain.leaf
    handshakes[localIndex] = nil
    if handshake.attempts == 1 {
      context.outbox.links.noteDelay(
        milliseconds: context.now.milliseconds(since: handshake.startedAt))
    }
    guard leaf.certificate.device != context.local.device else {
      meetMyself(at: handshake.endpoint)
      return
    }
    contacts[handshake.endpoint]?.device = leaf.certificate.device
    guard handshake.remoteRules == context.local.rulesVersion else {
      return try end(
        handshake, after: message, remoteIndex: remoteIndex, leaf: leaf, by: arrival)
    }
    var writer = ByteWriter()
    writer.append(DatagramKind.finish.rawValue)
    writer.append(remoteIndex)
    writer.append(fixed: try handshake.write(.chain(context.local.chain.certificates)))
    let finish = Session.UnconfirmedFinish(
      datagram: writer.bytes, nextAttempt: nextAttempt(after: 1), attempts: 1)
    let session = Session(
      localIndex: localIndex, remoteIndex: remoteIndex, peer: .device(leaf.certificate.device),
      endpoint: endpoint, now: context.now, keys: handshake.sessionKeys(), unconfirmedFinish: finish
    )
    context.learn(chain)
    guard install(session, certificate: leaf, link: arrival.link) else {
      return context.reject(.overLimit, from: endpoint)
    }
    context.transmit(writer.bytes, to: .endpoint(endpoint, arrival.link))
    context.sendRoots(to: leaf.certificate.device, asksForAnswer: false)
  }

  /// Handles a handshake with this device itself. The address is its own, or an attacker reflects
  /// its datagrams, which must not remove an address that the user configured.
  private mutating func meetMyself(at endpoint: Endpoint) {
    guard contacts[endpoint] != nil, contacts[endpoint]?.attemptsLeft == nil else {
      contacts.forget(endpoint)
      return
    }
    contacts[endpoint]?.backoffMilliseconds = Timing.contactLastMilliseconds
    contacts[endpoint]?.nextAttempt = context.clock.now.advanced(
      byMilliseconds: Timing.ownAddressMilliseconds)
  }

  // MARK: Responding

  mutating func receiveInitiation(
    _ message: ArraySlice<UInt8>, remoteIndex: UInt32, size: Int, by arrival: Arrival
  ) throws(WireError) {
    try respond(
      to: message, purpose: .session, preSharedKey: context.local.networkKey.export(),
      remoteIndex: remoteIndex, size: size, by: arrival)
  }

  mutating func receiveJoinInitiation(
    _ message: ArraySlice<UInt8>, invite: InviteID, remoteIndex: UInt32, size: Int,
    by arrival: Arrival
  ) throws(WireError) {
    guard let secret = invites[invite]?.secret else {
      return context.reject(.unknownInvite, from: arrival.endpoint)
    }
    try respond(
      to: message, purpose: .join(invite),
      preSharedKey: Invitation.preSharedKey(secret: secret), remoteIndex: remoteIndex,
      size: size, by: arrival)
  }

  private mutating func respond(
    to message: ArraySlice<UInt8>, purpose: SessionHandshake.Purpose, preSharedKey: [UInt8],
    remoteIndex: UInt32, size: Int, by arrival: Arrival
  ) throws(WireError) {
    let endpoint = arrival.endpoint
    let initiationHash = Blake2b.hash128(Array(message))
    if let begun = handshakes.response(to: initiationHash, of: remoteIndex, at: endpoint) {
      // The response was lost, or is in flight.
      if begun.allowedBytes != nil { handshakes[begun.localIndex]?.allowedBytes? += 3 * size }
      return repeatResponse(begun.localIndex)
    }
    guard
      try mayRespond(
        to: message, purpose: purpose, preSharedKey: preSharedKey, remoteIndex: remoteIndex,
        by: arrival)
    else { return }
    let index = freshIndex()
    var handshake = SessionHandshake(
      .responder, purpose: purpose, operation: context.local.operation, preSharedKey: preSharedKey,
      staticKey: context.local.agreementKey, ephemeralKey: context.random.agreementKey(),
      rules: context.local.rulesVersion, localIndex: index, endpoint: endpoint, now: context.now)
    handshake.remoteIndex = remoteIndex
    guard case .padding = try handshake.read(message) else { throw .malformed("initiation") }
    var writer = ByteWriter()
    writer.append(DatagramKind.response.rawValue)
    writer.append(remoteIndex)
    writer.append(index)
    writer.append(fixed: try handshake.write(.chain(context.local.chain.certificates)))
    guard writer.bytes.count <= 3 * size else { throw .malformed("initiation is not padded") }
    handshake.datagram = writer.bytes
    handshake.answeredHash = initiationHash
    handshake.link = arrival.link
    handshake.allowedBytes = contacts.isProved(endpoint) ? nil : 3 * size - writer.bytes.count
    handshake.nextAttempt = nextAttempt(after: 1)
    keep(handshake)
    context.transmit(writer.bytes, to: .endpoint(endpoint, arrival.link))
  }

  mutating func receiveFinish(
    _ message: ArraySlice<UInt8>, localIndex: UInt32, by arrival: Arrival
  ) throws(WireError) {
    let endpoint = arrival.endpoint
    let finishHash = Blake2b.hash128(Array(message))
    if let session = context.sessions[localIndex] {
      // A retransmitted finish: the confirmation of the first was lost.
      guard session.finishHash == finishHash else {
        return context.reject(.unauthenticated, from: endpoint)
      }
      switch session.peer {
      case .device(let device): context.sendRoots(to: device, asksForAnswer: false)
      case .joiner(let invite, let request):
        admit(JoinTicket(session: localIndex, invite: invite, request: request))
      }
      return
    }
    guard var handshake = handshakes[localIndex], let remoteIndex = handshake.remoteIndex else {
      return context.reject(.unauthenticated, from: endpoint)
    }
    // The joiner signs the handshake hash before the message that carries its request.
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
        endpoint: endpoint, now: context.now, keys: handshake.sessionKeys(), finishHash: finishHash)
      session.link = arrival.link
      context.sessions[localIndex] = session
      context.deadlines.schedule(
        .session(localIndex), at: context.now.advanced(byMilliseconds: Timing.joinerMilliseconds))
      admit(JoinTicket(session: localIndex, invite: invite, request: request))
    case (.session, .chain):
      let chain = try verifiedChain(payload, handshake: handshake)
      let leaf = chain.leaf
      handshakes[localIndex] = nil
      guard leaf.certificate.device != context.local.device else { return }
      let device = leaf.certificate.device
      guard handshake.remoteRules == context.local.rulesVersion else {
        contacts[endpoint]?.device = device
        return meet(
          device, certificate: leaf.hash, withOther: handshake.remoteRules, at: endpoint)
      }
      let session = Session(
        localIndex: localIndex, remoteIndex: remoteIndex, peer: .device(device),
        endpoint: endpoint, now: context.now, keys: handshake.sessionKeys(), finishHash: finishHash)
      context.learn(chain)
      guard install(session, certificate: leaf, link: arrival.link) else {
        return context.reject(.overLimit, from: endpoint)
      }
      context.sendRoots(to: device, asksForAnswer: false)
    default: throw .malformed("finish")
    }
  }

  mutating func answerJoin(_ ticket: JoinTicket, _ answer: JoinAnswer) {
    guard var session = context.sessions[ticket.session], case .joiner = session.peer else {
      return
    }
    var packet = Packet()
    packet.joinAnswer = answer
    if case .granted(let grant) = answer, packet.encoded().count > packetBytes {
      // A long chain and a long name leave no room for keys: the joiner requests them later.
      packet.joinAnswer = .granted(
        JoinGrant(
          rootKey: grant.rootKey, operationName: grant.operationName, chain: grant.chain,
          networkKey: grant.networkKey, epochKeys: []))
    }
    context.transmit(session.seal(packet.encoded()), to: .endpoint(session.endpoint, session.link))
    context.sessions[ticket.session] = session
  }

  // MARK: Sessions

  /// Returns the sender's chain if it is valid up to the root and its leaf has the key that the
  /// handshake authenticated.
  private func verifiedChain(
    _ payload: HandshakePayload, handshake: SessionHandshake
  ) throws(WireError) -> CertificateChain {
    guard case .chain(let certificates) = payload,
      let chain = CertificateChain(
        certificates, operation: context.local.operation, rootKey: context.local.rootKey),
      chain.leaf.certificate.agreementKey == handshake.remoteKey
    else { throw .forged("certificate chain") }
    return chain
  }

  mutating func keep(_ handshake: SessionHandshake) {
    handshakes.keep(handshake)
    context.deadlines.schedule(.handshake(handshake.localIndex), at: deadline(of: handshake))
  }

  mutating func freshIndex() -> UInt32 {
    while true {
      let index = UInt32(truncatingIfNeeded: context.random.uint64())
      if context.sessions[index] == nil, handshakes[index] == nil { return index }
    }
  }
}
