internal import MusterCrypto
public import MusterModel
internal import MusterStore
internal import MusterSync

/// The inviting device's side: only it can count an invite's uses and judge its expiry.
extension Replica {
  /// How long after its expiry an invite is still known, so that a late joiner hears why.
  private static let graceMilliseconds: Int64 = 7 * 24 * 3600 * 1000

  /// Makes an invite.
  ///
  /// - Returns: the invitation in its byte form.
  public mutating func invite(
    role: Role, uses: Int, validMilliseconds: Int64, endpoints: [Endpoint], now: ClockReading
  ) throws -> (invitation: [UInt8], expiresAt: Timestamp) {
    try require(.command)
    guard (1...1000).contains(uses) else { throw Refusal("an invite is for 1 to 1000 uses") }
    guard (1000...365 * 24 * 3600 * 1000).contains(validMilliseconds) else {
      throw Refusal("an invite is valid for 1 second to 365 days")
    }
    guard !endpoints.isEmpty else {
      throw Refusal("this laptop has no address that others could reach: join a network first")
    }
    try requireRoomBelow()
    let secret = random.bytes(Invitation.secretBytes)
    let expiresAt = Timestamp(milliseconds: now.wall.milliseconds + validMilliseconds)
    let invitation = Invitation(
      rootKey: local.rootKey, secret: secret, role: role, expiresAt: expiresAt,
      operationName: local.operationName, endpoints: endpoints)
    try store.addInvite(
      Invite(
        id: invitation.id, secret: secret, role: role, usesLeft: UInt32(uses),
        expiresAt: expiresAt, createdAt: now.wall))
    try refreshInvites(now: now)
    return (invitation.encoded(), expiresAt)
  }

  /// Admits the device that made a join request file; the grant file is its contents.
  public mutating func admit(
    request bytes: [UInt8], role: Role, now: ClockReading
  ) throws -> (grant: [UInt8], callsign: String, outcome: Outcome) {
    try require(.command)
    try requireRoomBelow()
    let file: JoinRequestFile
    do {
      file = try JoinRequestFile(decoding: bytes)
    } catch {
      throw Refusal("the join request cannot be used: \(error.reason)")
    }
    switch UpdateNeed(own: local.rulesVersion, peer: file.request.rules) {
    case nil: break
    case .peer:
      throw Refusal(
        "the laptop that asks to join has an older muster than this one: update it, and make a new "
          + "request there")
    case .thisLaptop:
      throw Refusal(
        "the laptop that asks to join has a newer muster than this one: update this one, and admit "
          + "it then")
    }
    var grant: JoinGrant?
    let outcome = try transact(now: now) { replica in
      grant = try replica.certify(file.request, role: role, now: now)
    }
    guard let grant,
      let sealed = JoinGrantFile(
        grant: grant, for: file.request, ephemeral: random.agreementKey())
    else { throw Refusal("the join request's keys cannot be used") }
    return (sealed.encoded(), file.callsign, outcome)
  }

  /// Answers a join request that came over the network.
  mutating func admit(_ ticket: JoinTicket, now: ClockReading) throws -> JoinAnswer {
    let device = DeviceID(operation: local.operation, key: ticket.request.signingKey)
    guard !control.isRevoked(local.device) else {
      return .refused("the device that made this invite is revoked: ask another commander")
    }
    guard !control.isRevoked(device) else {
      readmissions.note(device)
      return .refused("this device is revoked: ask command")
    }
    guard let invite = try store.invite(ticket.invite) else {
      return .refused("the invite was withdrawn: ask for a new one")
    }
    // A device that was admitted and lost the answer gets it again, whatever became of the invite.
    if control.certificate(ofKey: ticket.request.signingKey) == nil {
      guard now.wall < invite.expiresAt else {
        return .refused("the invite expired at \(invite.expiresAt): ask for a new one")
      }
      // The secret is known to whoever has the revoked device: a new key could use what is left.
      guard try !store.devices(admittedBy: ticket.invite).contains(where: control.isRevoked) else {
        return .refused(
          "the invite is closed, because a device that used it is revoked: ask for a new one")
      }
      if try store.useInvite(ticket.invite, for: device).isRefused {
        return .refused("the invite is used up: ask for a new one")
      }
    }
    return .granted(try certify(ticket.request, role: invite.role, now: now))
  }

  /// Writes the certificate into this device's control log, once however often it is asked for.
  private mutating func certify(
    _ request: JoinRequest, role: Role, now: ClockReading
  ) throws -> JoinGrant {
    let device = DeviceID(operation: local.operation, key: request.signingKey)
    guard !isShutOut(device) else {
      readmissions.note(device)
      throw Refusal("device \(device.short) is revoked: it joins again with new keys only")
    }
    let certificate: SignedCertificate
    if let known = control.certificate(ofKey: request.signingKey) {
      certificate = known
    } else {
      certificate = SignedCertificate(
        Certificate(
          operation: local.operation, issuer: local.certificate.hash,
          user: UserID(operation: local.operation, firstDeviceKey: request.signingKey),
          signingKey: request.signingKey, agreementKey: request.agreementKey, role: role),
        signedBy: local.signingKey)
      try append([[.certificate(certificate)]], lane: .control, now: now)
    }
    let key = currentEpoch
    let keys = key.map { [EpochKey(id: $0.id, key: $0.key.export())] } ?? []
    return JoinGrant(
      rootKey: local.rootKey, operationName: local.operationName,
      chain: [certificate] + local.chain.certificates, networkKey: local.networkKey.export(),
      epochKeys: certificate.certificate.role.reads ? keys : [])
  }

  /// Whether a device may not be admitted again.
  private func isShutOut(_ device: DeviceID) -> Bool {
    #if Canary
      if Canary.readmitRevoked.isPlanted { return false }
    #endif
    return control.isRevoked(device)
  }

  private func requireRoomBelow() throws(Refusal) {
    guard local.chain.certificates.count < Limits.certificateChain else {
      throw Refusal(
        "this device is \(Limits.certificateChain) certificates from the root: "
          + "a commander nearer to it must invite")
    }
  }

  mutating func refreshInvites(now: ClockReading) throws {
    let known = try store.invites().filter {
      now.wall.milliseconds(since: $0.expiresAt) < Self.graceMilliseconds
    }
    try run(
      .invitesChanged(known.map { OpenInvite(id: $0.id, secret: $0.secret) }), now: now)
  }

  /// What a grant carried, into the store of a device that has just joined.
  public mutating func keep(_ keys: Enrolment.EpochKeys, now: ClockReading) throws -> Outcome {
    try transact(now: now) { replica in
      if let granted = keys.keys.first?.id {
        replica.keyring.granted = granted
        replica.batch.local[Self.grantedEpochKey] = granted.bytes
      }
      for key in keys.keys { try replica.learn(key, now: now) }
    }
  }
}

extension InviteUse {
  fileprivate var isRefused: Bool {
    switch self {
    case .unknown, .exhausted: true
    case .counted, .repeated: false
    }
  }
}
