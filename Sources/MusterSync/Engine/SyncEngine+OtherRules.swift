internal import MusterCrypto
internal import MusterModel

/// Devices with another rules version (`RulesVersion`): they are listed, and no data is exchanged
/// with them.
///
///     announce, handshake of another version ─▶ no session: listed, retried much later
///                    └▶ a session answers: it is probed first
///     announce, handshake of the same version ─▶ handled like any other device
extension SyncEngine {
  /// Records that a device uses another rules version, proved by a signed announce or a handshake.
  /// Its certificate is stored; none of its other data is used.
  mutating func meet(
    _ device: DeviceID, certificate: CertificateHash, withOther rules: RulesVersion,
    at endpoint: Endpoint
  ) {
    guard device != context.local.device else { return }
    // A session is newer proof than an announce, which may be replayed. If the other process
    // restarted with other rules, it no longer answers.
    guard context.peers[device]?.isReachable != true else {
      if case .heard = context.peers[device]?.heartbeat.liveness { probeNow(device) }
      return
    }
    let isNews = context.peers[device]?.topology.otherRules?.version != rules
    guard meet(device, certificate: certificate, at: endpoint) else { return }
    let mark = OtherRules(
      version: rules, nextTry: context.now.advanced(byMilliseconds: Timing.otherRulesMilliseconds))
    context.peers[device]?.topology.otherRules = mark
    for index in context.peers[device]?.sessions ?? [] { close(index) }
    var peer = PeerState(
      device: device, certificate: certificate, endpoint: endpoint, now: context.now)
    peer.topology.otherRules = mark
    context.peers[device] = peer
    // The device belongs to the operation, so the uplink need not be re-established.
    if endpoint.isUplink { context.effects.append(.notice(.uplinkProven(endpoint))) }
    if isNews, let need = UpdateNeed(own: context.local.rulesVersion, peer: rules) {
      context.effects.append(.notice(.needsUpdate(need, device, endpoint)))
    }
  }

  /// Ends a handshake that this side initiated, after message 2 showed another rules version.
  /// Message 3 is still sent to a program that states its version, so that it can list this device
  /// too. Any other program would consider the session established.
  mutating func end(
    _ ended: SessionHandshake, after response: ArraySlice<UInt8>, remoteIndex: UInt32,
    leaf: SignedCertificate, by arrival: Arrival
  ) throws(WireError) {
    var handshake = ended
    if handshake.remoteRules.isStated {
      var writer = ByteWriter()
      writer.append(DatagramKind.finish.rawValue)
      writer.append(remoteIndex)
      writer.append(fixed: try handshake.write(.chain(context.local.chain.certificates)))
      handshake.remoteIndex = remoteIndex
      handshake.datagram = writer.bytes
      handshake.answeredHash = Blake2b.hash128(Array(response))
      handshake.link = arrival.link
      // The other side confirms nothing, so it is sent three times.
      handshake.attempts = Timing.handshakeAttempts - 2
      handshake.nextAttempt = nextAttempt(after: 1)
      keep(handshake)
      context.transmit(writer.bytes, to: .endpoint(arrival.endpoint, arrival.link))
    }
    meet(
      leaf.certificate.device, certificate: leaf.hash, withOther: handshake.remoteRules,
      at: arrival.endpoint)
  }

  /// Returns whether this repeats the response of an ended handshake, because message 3 was lost.
  func hasAnswered(_ response: ArraySlice<UInt8>, on index: UInt32) -> Bool {
    guard let answered = handshakes[index]?.answeredHash else { return false }
    return answered == Blake2b.hash128(Array(response))
  }

  /// Returns when to contact a device with another rules version again; nil if that is now.
  func momentOfCall(_ device: DeviceID) -> Instant? {
    guard let next = context.peers[device]?.topology.otherRules?.nextTry, context.now < next else {
      return nil
    }
    return next
  }

  /// Requests a certificate for a joiner, unless its program uses another rules version.
  mutating func admit(_ ticket: JoinTicket) {
    let refusal = JoinRequest.refusal(
      joiner: ticket.request.rules, inviter: context.local.rulesVersion)
    if let refusal { return answerJoin(ticket, .refused(refusal)) }
    context.effects.append(.admit(ticket))
  }
}

/// The rules version of a device with which nothing is synchronized.
struct OtherRules: Sendable {
  let version: RulesVersion
  /// When its addresses are tried again, in case it was updated and is not received.
  var nextTry: Instant
}
