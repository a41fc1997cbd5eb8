internal import MusterCrypto
public import MusterModel
internal import MusterStore
internal import MusterSync

/// The inviting device's side of a join: only this device can count an invite's uses and judge its
/// expiry.
extension Replica {
  private var joinReview: JoinReview { JoinReview(store: store, local: local, control: control) }

  /// Creates an invite.
  ///
  /// - Returns: the invitation in its byte form.
  public mutating func invite(
    role: Role, uses: Int, validMilliseconds: Int64, endpoints: [Endpoint], now: ClockReading
  ) throws -> (invitation: [UInt8], expiresAt: Timestamp) {
    try context.require(.command)
    try joinReview.checkInvite(
      uses: uses, validMilliseconds: validMilliseconds, endpoints: endpoints)
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
    try context.require(.command)
    try joinReview.checkRoomBelow()
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
    switch try joinReview.verdict(on: ticket, now: now.wall) {
    case .admitted(let role): return .granted(try certify(ticket.request, role: role, now: now))
    case .refused(let reason): return .refused(reason)
    case .revoked:
      own.readmissions.note(
        DeviceID(operation: local.operation, key: ticket.request.signingKey))
      return .refused("this device is revoked: ask command")
    }
  }

  /// Writes the certificate into this device's control log, once per device.
  private mutating func certify(
    _ request: JoinRequest, role: Role, now: ClockReading
  ) throws -> JoinGrant {
    let device = DeviceID(operation: local.operation, key: request.signingKey)
    guard !joinReview.isShutOut(device) else {
      own.readmissions.note(device)
      throw Refusal("device \(device.short) is revoked: it joins again with new keys only")
    }
    let certificate: SignedCertificate
    if let known = control.certificate(ofKey: request.signingKey) {
      certificate = known
    } else {
      certificate = joinReview.certificate(for: request, role: role)
      try append([[.certificate(certificate)]], lane: .control, now: now)
    }
    return joinReview.grant(certificate, epoch: currentEpoch)
  }

  mutating func refreshInvites(now: ClockReading) throws {
    try run(.invitesChanged(try joinReview.openInvites(now: now.wall)), now: now)
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
