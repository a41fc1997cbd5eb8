public import MusterCrypto
public import MusterModel

/// The joiner's side of enrolment over the network, sans-I/O.
///
///     initiation ─▶ all addresses, every second
///     response from one ─▶ finish with the request, retransmitted until
///     an answer arrives ─▶ granted (chain verified up to the URL's root key) or refused
public struct JoinInitiator: Sendable {
  private let invitation: Invitation
  /// The addresses at which the inviting device is contacted.
  private let places: [Endpoint]
  private let signingKey: SigningKey
  private let agreementKey: AgreementKey
  private var random: DeterministicRandom
  private var phase: Phase
  private var nextAttempt: Instant
  /// The rules version of the new device. Only tests override it.
  package var rulesVersion = RulesVersion.current

  private enum Phase {
    /// The same initiation is retransmitted, so that a late response to an earlier one is still
    /// valid.
    case calling(SessionHandshake?, initiation: [UInt8])
    case waiting(Session, finish: [UInt8], attempts: Int)
    case done
  }

  /// The next action.
  public enum Step: Hashable, Sendable {
    case send([UInt8], to: Endpoint)
    case granted(JoinGrant)
    case refused(String)
  }

  private static let retryMilliseconds: Int64 = 500
  /// After this many attempts the inviting device has discarded the handshake: a new one begins.
  private static let finishAttempts = 20

  /// Creates a joiner.
  ///
  /// - Parameters:
  ///   - places: the addresses to contact; nil for those of the invitation.
  ///   - seed: 32 bytes that no other run was given.
  public init(
    invitation: Invitation, at places: [Endpoint]?, signingKey: SigningKey,
    agreementKey: AgreementKey, seed: [UInt8],
    now: Instant
  ) {
    self.invitation = invitation
    self.places = places ?? invitation.endpoints
    self.signingKey = signingKey
    self.agreementKey = agreementKey
    random = DeterministicRandom(seed: seed)
    phase = .calling(nil, initiation: [])
    nextAttempt = now
  }

  /// When `passDeadline` is required; nil once there is an answer.
  public var nextDeadline: Instant? {
    if case .done = phase { return nil }
    return nextAttempt
  }

  /// Processes the passed deadline. MUST be called when `nextDeadline` has passed.
  public mutating func passDeadline(now: Instant) -> [Step] {
    guard nextAttempt <= now else { return [] }
    nextAttempt = now.advanced(byMilliseconds: Self.retryMilliseconds)
    switch phase {
    case .calling(nil, _): return call(now: now)
    case .calling(_, let initiation): return sendToAll(initiation)
    case .waiting(let session, let finish, let attempts):
      guard attempts < Self.finishAttempts else { return call(now: now) }
      phase = .waiting(session, finish: finish, attempts: attempts + 1)
      return [.send(finish, to: session.endpoint)]
    case .done: return []
    }
  }

  /// Processes a datagram. Ignores everything but the inviting device's answer.
  public mutating func receive(_ bytes: [UInt8], from endpoint: Endpoint, now: Instant) -> [Step] {
    guard let kind = bytes.first.flatMap(DatagramKind.init) else { return [] }
    do {
      var reader = ByteReader(bytes.dropFirst())
      switch (kind, phase) {
      case (.response, .calling(var handshake?, _)):
        guard try reader.integer(UInt32.self) == handshake.localIndex else { return [] }
        let remoteIndex = try reader.integer(UInt32.self)
        return try finish(
          &handshake, remoteIndex: remoteIndex, message: bytes.dropFirst(9), from: endpoint,
          now: now)
      case (.cookie, .calling(let handshake?, let initiation)):
        guard try reader.integer(UInt32.self) == handshake.localIndex,
          places.contains(endpoint), reader.remaining == cookieBytes
        else { return [] }
        let cookie = Array(bytes.suffix(cookieBytes))
        return [.send([DatagramKind.withCookie.rawValue] + cookie + initiation, to: endpoint)]
      case (.transport, .waiting(var session, let finish, let attempts)):
        guard try reader.integer(UInt32.self) == session.localIndex,
          let (plaintext, _) = session.open(
            counter: try reader.integer(UInt32.self), bytes.dropFirst(9))
        else { return [] }
        phase = .waiting(session, finish: finish, attempts: attempts)
        return try conclude(Packet(decoding: plaintext, operation: invitation.operation))
      default: return []
      }
    } catch {
      return []
    }
  }

  // MARK: Stages

  private mutating func call(now: Instant) -> [Step] {
    guard let first = places.first else { return [] }
    let index = UInt32(truncatingIfNeeded: random.uint64())
    var handshake = SessionHandshake(
      .initiator, purpose: .join(invitation.id), operation: invitation.operation,
      preSharedKey: Invitation.preSharedKey(secret: invitation.secret), staticKey: agreementKey,
      ephemeralKey: random.agreementKey(), rules: rulesVersion, localIndex: index,
      endpoint: first, now: now)
    do {
      var writer = ByteWriter()
      writer.append(DatagramKind.joinInitiation.rawValue)
      writer.append(invitation.id)
      writer.append(index)
      writer.append(fixed: try handshake.write(.padding))
      phase = .calling(handshake, initiation: writer.bytes)
      return sendToAll(writer.bytes)
    } catch {
      preconditionFailure("cannot begin a handshake: \(error)")
    }
  }

  private func sendToAll(_ initiation: [UInt8]) -> [Step] {
    places.map { .send(initiation, to: $0) }
  }

  private mutating func finish(
    _ handshake: inout SessionHandshake, remoteIndex: UInt32, message: ArraySlice<UInt8>,
    from endpoint: Endpoint, now: Instant
  ) throws(WireError) -> [Step] {
    guard case .chain(let certificates) = try handshake.read(message),
      let chain = CertificateChain(
        certificates, operation: invitation.operation, rootKey: invitation.rootKey),
      chain.leaf.certificate.agreementKey == handshake.remoteKey
    else { throw .forged("inviter") }
    let refusal = JoinRequest.refusal(joiner: rulesVersion, inviter: handshake.remoteRules)
    if let refusal {
      phase = .done
      return [.refused(refusal)]
    }
    let request = JoinRequest(
      signingKey: signingKey, agreementKey: agreementKey.publicKey, rules: rulesVersion,
      binding: handshake.hash)
    var writer = ByteWriter()
    writer.append(DatagramKind.finish.rawValue)
    writer.append(remoteIndex)
    writer.append(fixed: try handshake.write(.join(request)))
    let session = Session(
      localIndex: handshake.localIndex, remoteIndex: remoteIndex,
      peer: .device(chain.leaf.certificate.device), endpoint: endpoint, now: now,
      keys: handshake.sessionKeys())
    phase = .waiting(session, finish: writer.bytes, attempts: 1)
    nextAttempt = now.advanced(byMilliseconds: Self.retryMilliseconds)
    return [.send(writer.bytes, to: endpoint)]
  }

  private mutating func conclude(_ packet: Packet) throws(WireError) -> [Step] {
    switch packet.joinAnswer {
    case .refused(let reason)?:
      phase = .done
      return [.refused(reason)]
    case .granted(let grant)?:
      guard grant.rootKey == invitation.rootKey,
        let chain = CertificateChain(
          grant.chain, operation: invitation.operation, rootKey: invitation.rootKey),
        chain.leaf.certificate.signingKey == signingKey.publicKey,
        chain.leaf.certificate.agreementKey == agreementKey.publicKey
      else { throw .forged("grant") }
      phase = .done
      return [.granted(grant)]
    case nil: return []
    }
  }
}
