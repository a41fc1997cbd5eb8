internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Admits other devices: writes what `JoinReview` decides.
enum Admitter {
  /// Creates an invite.
  static func invite(
    _ role: Role, uses: Int, validMilliseconds: Int64, endpoints: [Endpoint],
    in core: inout ReplicaCore, now: ClockReading
  ) throws -> Invitation {
    try review(in: core).checkInvite(
      uses: uses, validMilliseconds: validMilliseconds, endpoints: endpoints)
    core.own.random.stir(now.entropy)
    let secret = core.own.random.bytes(Invitation.secretBytes)
    let expiresAt = Timestamp(milliseconds: now.wall.milliseconds + validMilliseconds)
    let invitation = Invitation(
      rootKey: core.local.rootKey, secret: secret, role: role, expiresAt: expiresAt,
      operationName: core.local.operationName, endpoints: endpoints)
    try core.store.addInvite(
      Invite(
        id: invitation.id, secret: secret, role: role, usesLeft: UInt32(uses),
        expiresAt: expiresAt, createdAt: now.wall))
    try informOfInvites(in: &core, now: now)
    return invitation
  }

  /// Informs the engine of the invites that are remembered.
  static func informOfInvites(in core: inout ReplicaCore, now: ClockReading) throws {
    let invites = try review(in: core).openInvites(now: now.wall)
    try core.run(.invitesChanged(invites), now: now)
  }

  /// Answers a join request that arrived over the network.
  static func answer(
    to ticket: JoinTicket, in core: inout ReplicaCore, now: ClockReading
  ) throws -> JoinAnswer {
    switch try review(in: core).verdict(on: ticket, now: now.wall) {
    case .admitted(let role):
      return .granted(try certify(ticket.request, role: role, in: &core, now: now))
    case .refused(let reason): return .refused(reason)
    case .revoked:
      core.own.readmissions.note(
        DeviceID(operation: core.local.operation, key: ticket.request.signingKey))
      return .refused("this device is revoked: ask command")
    }
  }

  /// Writes the certificate into this device's control log, once per device.
  static func certify(
    _ request: JoinRequest, role: Role, in core: inout ReplicaCore, now: ClockReading
  ) throws -> JoinGrant {
    let device = DeviceID(operation: core.local.operation, key: request.signingKey)
    guard !review(in: core).isShutOut(device) else {
      core.own.readmissions.note(device)
      throw Refusal("device \(device.short) is revoked: it joins again with new keys only")
    }
    let certificate: SignedCertificate
    if let known = core.control.certificate(ofKey: request.signingKey) {
      certificate = known
    } else {
      certificate = review(in: core).certificate(for: request, role: role)
      try core.append([[.certificate(certificate)]], lane: .control, now: now)
    }
    return review(in: core).grant(certificate, epoch: core.currentEpoch)
  }

  static func review(in core: ReplicaCore) -> JoinReview {
    JoinReview(store: core.store, local: core.local, control: core.control)
  }
}
