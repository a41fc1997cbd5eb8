internal import MusterCrypto
internal import MusterModel

/// Devices whose programs follow other rules (`RulesVersion`): they are shown, and nothing is taken
/// from them or sent to them.
///
///     announce, handshake of another version ─▶ no session: shown, tried again much later
///                                            └▶ a session answers: it is probed first
///     announce, handshake of the same version ─▶ met like any other device
extension SyncEngine {
  /// A device has shown by a signed announce, or in a handshake, that it follows other rules. Its
  /// certificate holds; nothing else of it is used.
  mutating func meet(
    _ device: DeviceID, certificate: CertificateHash, withOther rules: RulesVersion,
    at endpoint: Endpoint
  ) {
    guard device != local.device else { return }
    // A session is newer proof than an announce, which may be a recorded one; if the other program
    // was restarted with other rules, it no longer answers.
    guard peers[device]?.isReachable != true else {
      if case .heard = peers[device]?.liveness { probeNow(device) }
      return
    }
    let isNews = peers[device]?.otherRules?.version != rules
    guard meet(device, certificate: certificate, at: endpoint) else { return }
    let mark = OtherRules(
      version: rules, nextTry: now.advanced(byMilliseconds: Timing.otherRulesMilliseconds))
    peers[device]?.otherRules = mark
    for index in peers[device]?.sessions ?? [] { close(index) }
    var peer = PeerState(device: device, certificate: certificate, endpoint: endpoint, now: now)
    peer.otherRules = mark
    peers[device] = peer
    // Whoever is there belongs to the operation: the uplink need not be made again and again.
    if endpoint.isUplink { effects.append(.notice(.uplinkProven(endpoint))) }
    if isNews, let need = UpdateNeed(own: local.rulesVersion, peer: rules) {
      effects.append(.notice(.needsUpdate(need, device, endpoint)))
    }
  }

  /// Ends a handshake that this side began, after message 2 showed other rules. Message 3 still
  /// goes to a program that states its rules, so that it can show this device too; to any other a
  /// session would seem to stand.
  mutating func end(
    _ ended: SessionHandshake, after response: ArraySlice<UInt8>, remoteIndex: UInt32,
    leaf: SignedCertificate, from endpoint: Endpoint
  ) throws(WireError) {
    var handshake = ended
    if handshake.remoteRules.isStated {
      var writer = ByteWriter()
      writer.append(DatagramKind.finish.rawValue)
      writer.append(remoteIndex)
      writer.append(fixed: try handshake.write(.chain(local.chain.certificates)))
      handshake.remoteIndex = remoteIndex
      handshake.datagram = writer.bytes
      handshake.answeredHash = Blake2b.hash128(Array(response))
      handshake.link = arrivalLink
      // The other side confirms nothing, so it is sent three times.
      handshake.attempts = Timing.handshakeAttempts - 2
      handshake.nextAttempt = nextAttempt(after: 1)
      keep(handshake)
      transmit(writer.bytes, to: .endpoint(endpoint, arrivalLink))
    }
    meet(
      leaf.certificate.device, certificate: leaf.hash, withOther: handshake.remoteRules,
      at: endpoint)
  }

  /// Whether this repeats the response to a handshake that has ended: message 3 was lost.
  func hasAnswered(_ response: ArraySlice<UInt8>, on index: UInt32) -> Bool {
    guard let answered = handshakes[index]?.answeredHash else { return false }
    return answered == Blake2b.hash128(Array(response))
  }

  /// When a device with other rules is worth a call again; nil where it is now.
  func momentOfCall(_ device: DeviceID) -> Instant? {
    guard let next = peers[device]?.otherRules?.nextTry, now < next else { return nil }
    return next
  }

  /// Asks for a joiner to be certified, unless its program follows other rules.
  mutating func admit(_ ticket: JoinTicket) {
    let refusal = JoinRequest.refusal(joiner: ticket.request.rules, inviter: local.rulesVersion)
    if let refusal { return answerJoin(ticket, .refused(refusal)) }
    effects.append(.admit(ticket))
  }
}

/// The rules of a device that is not synchronized with.
struct OtherRules: Sendable {
  let version: RulesVersion
  /// When its addresses are tried again, in case it was updated and is not heard.
  var nextTry: Instant
}
