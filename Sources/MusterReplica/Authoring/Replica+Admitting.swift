internal import MusterCrypto
public import MusterModel
internal import MusterStore
internal import MusterSync

/// The inviting device's side of a join: only this device can count an invite's uses and judge its
/// expiry.
extension Replica {
  /// How long an expired invite is remembered, so that a late joiner receives the reason.
  private static let graceMilliseconds: Int64 = 7 * 24 * 3600 * 1000

  /// Creates an invite.
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
      throw Refusal("this device has no reachable address: join a network first")
    }
    try requireRoomBelow()
    own.random.stir(now.entropy)
    let secret = own.random.bytes(Invitation.secretBytes)
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

  /// Admits the device of a join request file, and returns the contents of the grant file.
  public mutating func admit(
    request bytes: [UInt8], role: Role, now: ClockReading
  ) throws -> (grant: [UInt8], user: UserID, callsign: String, outcome: Outcome) {
    try require(.command)
    try requireRoomBelow()
    let file = try JoinRequestFile(admissible: bytes, by: local.rulesVersion)
    var grant: JoinGrant?
    let outcome = try transact(now: now) { replica in
      grant = try replica.certify(file.request, role: role, now: now)
    }
    guard let grant,
      let sealed = JoinGrantFile(
        grant: grant, for: file.request, ephemeral: own.random.agreementKey())
    else { throw Refusal("the join request's keys cannot be used") }
    let user = UserID(operation: local.operation, firstDeviceKey: file.request.signingKey)
    return (sealed.encoded(), user, file.callsign, outcome)
  }

  /// Answers a join request that arrived over the network.
  mutating func admit(_ ticket: JoinTicket, now: ClockReading) throws -> JoinAnswer {
    let device = DeviceID(operation: local.operation, key: ticket.request.signingKey)
    guard !control.isRevoked(local.device) else {
      return .refused("the device that made this invite is revoked: ask another commander")
    }
    guard !control.isRevoked(device) else {
      own.readmissions.note(device)
      return .refused("this device is revoked: ask command")
    }
    guard let invite = try store.invite(ticket.invite) else {
      return .refused("the invite was withdrawn: ask for a new one")
    }
    // A device that was admitted and lost the answer receives it again, whatever the invite's
    // state.
    if control.certificate(ofKey: ticket.request.signingKey) == nil {
      guard now.wall < invite.expiresAt else {
        let age = now.wall.milliseconds(since: invite.expiresAt) / 1000
        let span = RoundedSpan(seconds: UInt64(clamping: age))
        return .refused("the invite expired \(span) ago: ask for a new one")
      }
      // The secret is known to the revoked device: a new key of it could use the remaining uses.
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

  /// Writes the certificate into this device's control log, once per device.
  private mutating func certify(
    _ request: JoinRequest, role: Role, now: ClockReading
  ) throws -> JoinGrant {
    let device = DeviceID(operation: local.operation, key: request.signingKey)
    guard !isShutOut(device) else {
      own.readmissions.note(device)
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

  /// Whether a device must not be admitted again.
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
          + "let a commander nearer to it invite")
    }
  }

  mutating func refreshInvites(now: ClockReading) throws {
    let known = try store.invites().filter {
      now.wall.milliseconds(since: $0.expiresAt) < Self.graceMilliseconds
    }
    try run(
      .invitesChanged(known.map { OpenInvite(id: $0.id, secret: $0.secret) }), now: now)
  }

  /// Stores the keys of a grant, on a device that has just joined.
  public mutating func keep(_ keys: Enrolment.EpochKeys, now: ClockReading) throws -> Outcome {
    try transact(now: now) { replica in
      if let granted = keys.keys.first?.id {
        replica.epochKeys.keyring.granted = granted
        replica.transaction.batch.local[EpochKeys.grantedEpochKey] = granted.bytes
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

extension JoinRequestFile {
  /// Reads a file whose device can be admitted by a device with these rules.
  fileprivate init(admissible bytes: [UInt8], by rules: RulesVersion) throws(Refusal) {
    do {
      self = try JoinRequestFile(decoding: bytes)
    } catch {
      throw Refusal("the join request cannot be used: \(error.reason)")
    }
    switch UpdateNeed(own: rules, peer: request.rules) {
    case nil: break
    case .peer:
      throw Refusal(
        "the joining device has an older muster than this one: update it, and create a new "
          + "request there")
    case .thisLaptop:
      throw Refusal(
        "the joining device has a newer muster than this one: update this one, and then admit "
          + "it")
    }
  }
}
