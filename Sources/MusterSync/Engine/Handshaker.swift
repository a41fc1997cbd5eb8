internal import MusterCrypto
internal import MusterModel

/// Handshakes, from the initiation to the session keys.
///
/// On a path with 90 % loss each message is sent a dozen times before it arrives. Messages are
/// retransmitted byte for byte:
///
///     initiation ─▶ while its device was received recently; otherwise with the next attempt
///     response   ─▶ to an address that was authenticated; otherwise up to three times the bytes
///                   received from it (anti-amplification, RFC 9000 §8.1)
///     finish     ─▶ until anything is received
struct Handshaker: Sendable {
  private var table = HandshakeTable()
  private var invites: [InviteID: OpenInvite] = [:]
  private var cookies: CookieJar
  /// Limits handshakes that others begin.
  private var initiations: RateLimiter

  init(random: inout DeterministicRandom, now: Instant) {
    cookies = CookieJar(random: &random, now: now)
    initiations = RateLimiter(
      saving: InitiationCost.milliseconds * InitiationCost.burst, now: now)
  }

  /// The result of a handshake with an authenticated device.
  enum Outcome {
    /// - Parameters:
    ///   - finish: the last message, if it is this side's to send.
    ///   - early: datagrams of the session that arrived before the last message.
    case session(Session, CertificateChain, finish: [UInt8]?, early: [[UInt8]])
    case otherRules(RulesVersion, SignedCertificate)
  }

  /// The number of handshakes that are not finished.
  var count: Int { table.count }

  func contains(_ endpoint: Endpoint) -> Bool { table.contains(endpoint) }

  /// Keeps a datagram that overtook the last message of its handshake. Returns whether it did.
  mutating func keep(early datagram: [UInt8], on index: UInt32, from endpoint: Endpoint) -> Bool {
    table.keep(early: datagram, on: index, from: endpoint)
  }

  mutating func removeAll(at endpoint: Endpoint) { table.removeAll(at: endpoint) }

  /// Replaces the invites that may be redeemed.
  mutating func set(_ invites: [OpenInvite]) {
    self.invites = [:]
    for invite in invites { self.invites[invite.id] = invite }
  }

  // MARK: Initiating

  /// Begins a handshake, or repeats the initiation of an unanswered one.
  mutating func initiate(
    to endpoint: Endpoint, contacts: Connector, context: inout Context
  ) {
    if let pending = table.initiation(to: endpoint) {
      // A response to an earlier initiation may still be in flight.
      table[pending.localIndex]?.message.attempts += 1
      return transmitInitiation(pending.message.datagram, to: endpoint, context: &context)
    }
    let index = freshIndex(context: &context)
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
      handshake.message.datagram = writer.bytes
      if contacts.isAbout(endpoint, context: &context) {
        handshake.message.nextAttempt = context.nextAttempt(after: 1)
      }
      keep(handshake, context: &context)
      transmitInitiation(writer.bytes, to: endpoint, context: &context)
    } catch {
      preconditionFailure("cannot begin a handshake: \(error)")
    }
  }

  private func transmitInitiation(
    _ datagram: [UInt8], to endpoint: Endpoint, context: inout Context
  ) {
    context.outbox.links.takeCommon(datagram.count, now: context.now)
    context.transmit(datagram, to: .endpoint(endpoint, .unknown))
  }

  /// Handles a cookie: the other side is under load and verifies this address. Once per handshake.
  mutating func receiveCookie(
    _ cookie: [UInt8], localIndex: UInt32, by arrival: Arrival, context: inout Context
  ) {
    let endpoint = arrival.endpoint
    guard let handshake = table[localIndex], handshake.remoteIndex == nil,
      handshake.endpoint == endpoint, !handshake.hasCookie
    else { return context.reject(.unauthenticated, from: endpoint) }
    let datagram = [DatagramKind.withCookie.rawValue] + cookie + handshake.message.datagram
    table[localIndex]?.message.datagram = datagram
    table[localIndex]?.hasCookie = true
    context.transmit(datagram, to: .endpoint(endpoint, arrival.link))
  }

  /// Handles a response to an initiation.
  mutating func receiveResponse(
    _ message: ArraySlice<UInt8>, localIndex: UInt32, remoteIndex: UInt32, by arrival: Arrival,
    contacts: inout Connector, context: inout Context
  ) throws(WireError) -> Outcome? {
    let endpoint = arrival.endpoint
    if hasAnswered(message, on: localIndex) {
      repeatResponse(localIndex, context: &context)
      return nil
    }
    guard var handshake = table[localIndex], handshake.remoteIndex == nil else {
      context.reject(.unauthenticated, from: endpoint)
      return nil
    }
    let payload = try handshake.read(message)
    let chain = try verifiedChain(payload, handshake: handshake, context: &context)
    let leaf = chain.leaf
    table[localIndex] = nil
    if handshake.message.attempts == 1 {
      context.noteDelay(milliseconds: context.now.milliseconds(since: handshake.startedAt))
    }
    guard leaf.certificate.device != context.local.device else {
      contacts.noteOwnAddress(at: handshake.endpoint, context: &context)
      return nil
    }
    contacts.book[handshake.endpoint]?.device = leaf.certificate.device
    guard handshake.remoteRules == context.local.rulesVersion else {
      try end(
        handshake, after: message, remoteIndex: remoteIndex, by: arrival, context: &context)
      return .otherRules(handshake.remoteRules, leaf)
    }
    var writer = ByteWriter()
    writer.append(DatagramKind.finish.rawValue)
    writer.append(remoteIndex)
    writer.append(fixed: try handshake.write(.chain(context.local.chain.certificates)))
    let finish = Session.UnconfirmedFinish(
      datagram: writer.bytes, nextAttempt: context.nextAttempt(after: 1), attempts: 1)
    let session = Session(
      localIndex: localIndex, remoteIndex: remoteIndex, peer: .device(leaf.certificate.device),
      endpoint: endpoint, now: context.now, keys: handshake.sessionKeys(), unconfirmedFinish: finish
    )
    return .session(session, chain, finish: writer.bytes, early: [])
  }

  // MARK: Responding

  mutating func receiveInitiation(
    _ message: ArraySlice<UInt8>, remoteIndex: UInt32, size: Int, by arrival: Arrival,
    contacts: Connector, context: inout Context
  ) throws(WireError) {
    try respond(
      to: message, purpose: .session, preSharedKey: context.local.networkKey.export(),
      remoteIndex: remoteIndex, size: size, by: arrival, contacts: contacts, context: &context)
  }

  mutating func receiveJoinInitiation(
    _ message: ArraySlice<UInt8>, invite: InviteID, remoteIndex: UInt32, size: Int,
    by arrival: Arrival, contacts: Connector, context: inout Context
  ) throws(WireError) {
    guard let secret = invites[invite]?.secret else {
      return context.reject(.unknownInvite, from: arrival.endpoint)
    }
    try respond(
      to: message, purpose: .join(invite),
      preSharedKey: Invitation.preSharedKey(secret: secret), remoteIndex: remoteIndex,
      size: size, by: arrival, contacts: contacts, context: &context)
  }

  private mutating func respond(
    to message: ArraySlice<UInt8>, purpose: SessionHandshake.Purpose, preSharedKey: [UInt8],
    remoteIndex: UInt32, size: Int, by arrival: Arrival, contacts: Connector,
    context: inout Context
  ) throws(WireError) {
    let endpoint = arrival.endpoint
    let initiationHash = Blake2b.hash128(Array(message))
    if let begun = table.response(to: initiationHash, of: remoteIndex, at: endpoint) {
      // The response was lost, or is in flight.
      if begun.message.allowedBytes != nil {
        table[begun.localIndex]?.message.allowedBytes? += 3 * size
      }
      return repeatResponse(begun.localIndex, context: &context)
    }
    guard
      try mayRespond(
        to: message, purpose: purpose, preSharedKey: preSharedKey, remoteIndex: remoteIndex,
        by: arrival, context: &context)
    else { return }
    let index = freshIndex(context: &context)
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
    handshake.message.datagram = writer.bytes
    handshake.answeredHash = initiationHash
    handshake.link = arrival.link
    handshake.message.allowedBytes =
      contacts.book.isProved(endpoint) ? nil : 3 * size - writer.bytes.count
    handshake.message.nextAttempt = context.nextAttempt(after: 1)
    keep(handshake, context: &context)
    context.transmit(writer.bytes, to: .endpoint(endpoint, arrival.link))
  }

  /// Handles the last message of a handshake that the other side began.
  mutating func receiveFinish(
    _ message: ArraySlice<UInt8>, localIndex: UInt32, by arrival: Arrival,
    contacts: inout Connector, context: inout Context
  ) throws(WireError) -> Outcome? {
    let endpoint = arrival.endpoint
    let finishHash = Blake2b.hash128(Array(message))
    if let session = context.sessions[localIndex] {
      // A retransmitted finish: the confirmation of the first was lost.
      guard session.finishHash == finishHash else {
        context.reject(.unauthenticated, from: endpoint)
        return nil
      }
      switch session.peer {
      case .device: context.confirmFinish(on: localIndex)
      case .joiner(let invite, let request):
        admit(JoinTicket(session: localIndex, invite: invite, request: request), context: &context)
      }
      return nil
    }
    guard var handshake = table[localIndex], let remoteIndex = handshake.remoteIndex else {
      context.reject(.unauthenticated, from: endpoint)
      return nil
    }
    // The joiner signs the handshake hash before the message that carries its request.
    let binding = handshake.hash
    let payload = try handshake.read(message)
    switch (handshake.purpose, payload) {
    case (.join(let invite), .join(let request)):
      guard request.agreementKey == handshake.remoteKey, request.isSigned(binding: binding)
      else { throw .forged("join request") }
      table[localIndex] = nil
      makeRoomForJoiner(context: &context)
      var session = Session(
        localIndex: localIndex, remoteIndex: remoteIndex, peer: .joiner(invite, request),
        endpoint: endpoint, now: context.now, keys: handshake.sessionKeys(), finishHash: finishHash)
      session.link = arrival.link
      context.sessions[localIndex] = session
      context.deadlines.schedule(
        .session(localIndex), at: context.now.advanced(byMilliseconds: Timing.joinerMilliseconds))
      admit(JoinTicket(session: localIndex, invite: invite, request: request), context: &context)
      return nil
    case (.session, .chain):
      let chain = try verifiedChain(payload, handshake: handshake, context: &context)
      let leaf = chain.leaf
      let early = table.early(on: localIndex)
      table[localIndex] = nil
      guard leaf.certificate.device != context.local.device else { return nil }
      let device = leaf.certificate.device
      guard handshake.remoteRules == context.local.rulesVersion else {
        contacts.book[endpoint]?.device = device
        return .otherRules(handshake.remoteRules, leaf)
      }
      let session = Session(
        localIndex: localIndex, remoteIndex: remoteIndex, peer: .device(device),
        endpoint: endpoint, now: context.now, keys: handshake.sessionKeys(), finishHash: finishHash)
      return .session(session, chain, finish: nil, early: early)
    default: throw .malformed("finish")
    }
  }

  mutating func answerJoin(_ ticket: JoinTicket, _ answer: JoinAnswer, context: inout Context) {
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
    _ payload: HandshakePayload, handshake: SessionHandshake, context: inout Context
  ) throws(WireError) -> CertificateChain {
    guard case .chain(let certificates) = payload,
      let chain = CertificateChain(
        certificates, operation: context.local.operation, rootKey: context.local.rootKey),
      chain.leaf.certificate.agreementKey == handshake.remoteKey
    else { throw .forged("certificate chain") }
    return chain
  }

  private mutating func keep(_ handshake: SessionHandshake, context: inout Context) {
    table.keep(handshake)
    context.deadlines.schedule(.handshake(handshake.localIndex), at: deadline(of: handshake))
  }

  private mutating func freshIndex(context: inout Context) -> UInt32 {
    while true {
      let index = UInt32(truncatingIfNeeded: context.random.uint64())
      if context.sessions[index] == nil, table[index] == nil { return index }
    }
  }

  /// Returns whether to respond to an initiation. Under load only addresses with a valid cookie get
  /// a full response. The first message costs no key agreement to read, and outsiders fail at it:
  /// they get no answer.
  private mutating func mayRespond(
    to message: ArraySlice<UInt8>, purpose: SessionHandshake.Purpose, preSharedKey: [UInt8],
    remoteIndex: UInt32, by arrival: Arrival, context: inout Context
  ) throws(WireError) -> Bool {
    let isUnderLoad =
      table.isCrowded
      || !initiations.take(InitiationCost.milliseconds, now: context.clock.now)
    guard isUnderLoad, !arrival.hasCookie else { return true }
    let endpoint = arrival.endpoint
    var handshake = SessionHandshake(
      .responder, purpose: purpose, operation: context.local.operation, preSharedKey: preSharedKey,
      staticKey: context.local.agreementKey, ephemeralKey: context.local.agreementKey,
      rules: context.local.rulesVersion, localIndex: 0, endpoint: endpoint, now: context.now)
    guard case .padding = try handshake.read(message) else { throw .malformed("initiation") }
    var writer = ByteWriter()
    writer.append(DatagramKind.cookie.rawValue)
    writer.append(remoteIndex)
    writer.append(fixed: cookies.cookie(for: endpoint, now: context.now, random: &context.random))
    context.transmit(writer.bytes, to: .endpoint(endpoint, arrival.link))
    return false
  }

  /// Retransmits a response. An address that was not authenticated gets at most three times the
  /// bytes received from it.
  private mutating func repeatResponse(_ index: UInt32, context: inout Context) {
    guard let handshake = table[index] else { return }
    if let allowed = handshake.message.allowedBytes {
      guard handshake.message.datagram.count <= allowed else { return }
      table[index]?.message.allowedBytes = allowed - handshake.message.datagram.count
    }
    context.transmit(handshake.message.datagram, to: .endpoint(handshake.endpoint, handshake.link))
  }

  private func deadline(of handshake: SessionHandshake) -> Instant {
    let end = handshake.startedAt.advanced(byMilliseconds: Timing.handshakeMilliseconds)
    return min(end, handshake.message.nextAttempt ?? end)
  }

  /// Retransmits an unanswered message, for half a minute.
  mutating func tend(
    _ index: UInt32, contacts: Connector, context: inout Context
  ) {
    guard var handshake = table[index] else { return }
    guard context.now.milliseconds(since: handshake.startedAt) < Timing.handshakeMilliseconds else {
      table[index] = nil
      return
    }
    if let attempt = handshake.message.nextAttempt, attempt <= context.now {
      guard !isOvertaken(handshake, contacts: contacts, context: &context) else {
        table[index] = nil
        return
      }
      handshake.message.attempts += 1
      handshake.message.nextAttempt =
        handshake.message.attempts < Timing.handshakeAttempts
        ? context.nextAttempt(after: handshake.message.attempts) : nil
      table[index] = handshake
      if handshake.remoteIndex == nil {
        transmitInitiation(
          handshake.message.datagram, to: handshake.endpoint, context: &context)
      } else {
        repeatResponse(index, context: &context)
      }
    }
    context.deadlines.schedule(.handshake(index), at: deadline(of: handshake))
  }

  /// Retransmits the finish of a session if it is due, for half a minute.
  ///
  /// - Returns: whether nothing has confirmed it in that time.
  func repeatFinish(of index: UInt32, context: inout Context) -> Bool {
    guard let session = context.sessions[index], var finish = session.unconfirmedFinish,
      finish.nextAttempt <= context.now
    else { return false }
    guard context.now.milliseconds(since: session.establishedAt) < Timing.handshakeMilliseconds
    else {
      return true
    }
    finish.attempts += 1
    finish.nextAttempt = context.nextAttempt(after: finish.attempts)
    context.sessions[index]?.noteRepeated(finish)
    context.transmit(finish.datagram, to: .endpoint(session.endpoint, session.link))
    return false
  }

  /// Returns whether its device was received since on another session.
  private func isOvertaken(
    _ handshake: SessionHandshake, contacts: Connector, context: inout Context
  ) -> Bool {
    guard let device = contacts.book[handshake.endpoint]?.device,
      let session = context.liveSession(of: device).flatMap({ context.sessions[$0] })
    else { return false }
    return session.lastReceived > handshake.startedAt
  }

  /// Ends a handshake that this side initiated, after message 2 showed another rules version.
  /// Message 3 is still sent to a program that states its version, so that it can list this device
  /// too. Any other program would consider the session established.
  private mutating func end(
    _ ended: SessionHandshake, after response: ArraySlice<UInt8>, remoteIndex: UInt32,
    by arrival: Arrival, context: inout Context
  ) throws(WireError) {
    var handshake = ended
    if handshake.remoteRules.isStated {
      var writer = ByteWriter()
      writer.append(DatagramKind.finish.rawValue)
      writer.append(remoteIndex)
      writer.append(fixed: try handshake.write(.chain(context.local.chain.certificates)))
      handshake.remoteIndex = remoteIndex
      handshake.message.datagram = writer.bytes
      handshake.answeredHash = Blake2b.hash128(Array(response))
      handshake.link = arrival.link
      // The other side confirms nothing, so it is sent three times.
      handshake.message.attempts = Timing.handshakeAttempts - 2
      handshake.message.nextAttempt = context.nextAttempt(after: 1)
      keep(handshake, context: &context)
      context.transmit(writer.bytes, to: .endpoint(arrival.endpoint, arrival.link))
    }
  }

  /// Returns whether this repeats the response of an ended handshake, because message 3 was lost.
  private func hasAnswered(_ response: ArraySlice<UInt8>, on index: UInt32) -> Bool {
    guard let answered = table[index]?.answeredHash else { return false }
    return answered == Blake2b.hash128(Array(response))
  }

  /// Requests a certificate for a joiner, unless its program uses another rules version.
  private mutating func admit(_ ticket: JoinTicket, context: inout Context) {
    let refusal = JoinRequest.refusal(
      joiner: ticket.request.rules, inviter: context.local.rulesVersion)
    if let refusal { return answerJoin(ticket, .refused(refusal), context: &context) }
    context.effects.append(.admit(ticket))
  }

  /// Evicts a joiner's session: the holder of an invite's secret may complete any number of
  /// handshakes.
  private mutating func makeRoomForJoiner(context: inout Context) {
    let joiners = context.sessions.values.filter(\.isOfJoiner)
    guard joiners.count >= Limits.handshakesInFlight else { return }
    let oldest = joiners.min {
      ($0.lastReceived, $0.localIndex) < ($1.lastReceived, $1.localIndex)
    }
    if let oldest { context.sessions[oldest.localIndex] = nil }
  }

  func checkInvariants(sessions: [UInt32: Session]) {
    precondition(count <= Limits.handshakesInFlight, "\(count) handshakes")
    for index in sessions.keys {
      precondition(table[index] == nil, "index \(index) is used twice")
    }
    let joiners = sessions.values.count { $0.isOfJoiner }
    precondition(joiners <= Limits.handshakesInFlight, "\(joiners) joiners")
  }

  // MARK: Cookies

  /// Returns an initiation that carries the cookie that was sent to its address; nil if it does
  /// not.
  func initiation(
    withCookie bytes: ArraySlice<UInt8>, by arrival: Arrival, context: inout Context
  ) -> (kind: DatagramKind, bytes: [UInt8])? {
    let cookie = Array(bytes.prefix(cookieBytes))
    let inner = Array(bytes.dropFirst(cookieBytes))
    guard let kind = inner.first.flatMap(DatagramKind.init),
      kind == .initiation || kind == .joinInitiation,
      cookies.holds(cookie, for: arrival.endpoint)
    else {
      context.reject(.unauthenticated, from: arrival.endpoint)
      return nil
    }
    return (kind, inner)
  }
}
