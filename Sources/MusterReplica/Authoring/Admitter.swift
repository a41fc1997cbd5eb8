internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Admits other devices: writes what `JoinReview` decides.
enum Admitter {
  /// Creates an invite.
  static func invite(
    _ role: Role, of user: UserID?, uses: Int, validMilliseconds: Int64, endpoints: [Endpoint],
    in core: inout ReplicaCore, now: ClockReading
  ) throws -> Invitation {
    try core.context.require(.command)
    try review(in: core).checkInvite(
      uses: uses, validMilliseconds: validMilliseconds, endpoints: endpoints)
    try review(in: core).check(user, role: role)
    guard user == nil || uses == 1 else {
      throw Refusal("an invite for another device of a person is for one use: give --uses 1")
    }
    core.own.random.stir(now.entropy)
    let secret = core.own.random.bytes(Invitation.secretBytes)
    let expiresAt = Timestamp(milliseconds: now.wall.milliseconds + validMilliseconds)
    let invitation = Invitation(
      rootKey: core.local.rootKey, secret: secret, role: role, expiresAt: expiresAt,
      operationName: core.local.operationName, endpoints: endpoints)
    try core.store.addInvite(
      Invite(
        id: invitation.id, secret: secret, role: role, user: user,
        revokedDevices: user.map { UInt32(clamping: core.control.revokedDeviceCount(of: $0)) },
        usesLeft: UInt32(uses), expiresAt: expiresAt, createdAt: now.wall))
    try informOfInvites(in: &core, now: now)
    return invitation
  }

  /// Requires that this device may admit one more, of a person or of a new one.
  static func require(_ user: UserID?, role: Role, in core: ReplicaCore) throws {
    try core.context.require(.command)
    try review(in: core).check(user, role: role)
    try review(in: core).checkRoomBelow()
  }

  /// Withdraws an invite: no further device joins with it.
  ///
  /// - Parameter reference: its id, or the first digits of it.
  static func withdrawInvite(
    _ reference: String, in core: ReplicaCore, now: Timestamp
  ) throws -> InviteSummary {
    try core.context.require(.command)
    let review = review(in: core)
    let prefix = IdentifierPrefix(reference)
    let meant = try review.invites(now: now).filter { prefix?.begins($0.id) ?? false }
    guard let invite = meant.first else {
      throw Refusal(
        "this device made no invite whose id begins with \(reference): see muster invite list",
        .unknown)
    }
    guard meant.count == 1 else {
      throw Refusal("\(meant.count) invites match \(reference): name more digits", .unknown)
    }
    try core.store.withdrawInvite(invite.id, at: now)
    return try review.summary(of: try core.store.invite(invite.id) ?? invite, now: now)
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
    case .admitted(let role, let user):
      return .granted(try certify(ticket.request, role: role, of: user, in: &core, now: now))
    case .refused(let reason): return .refused(reason)
    case .revoked:
      core.own.readmissions.note(
        DeviceID(operation: core.local.operation, key: ticket.request.signingKey))
      return .refused("this device is revoked: ask command")
    }
  }

  /// Writes the certificate into this device's control log, once per device.
  ///
  /// - Parameter user: whose other device it is; nil for a new user.
  static func certify(
    _ request: JoinRequest, role: Role, of user: UserID?, in core: inout ReplicaCore,
    now: ClockReading
  ) throws -> JoinGrant {
    let device = DeviceID(operation: core.local.operation, key: request.signingKey)
    guard !review(in: core).isShutOut(device) else {
      core.own.readmissions.note(device)
      throw Refusal("device \(device.short) is revoked: it joins again with new keys only")
    }
    let certificate: SignedCertificate
    if let known = core.control.certificate(ofKey: request.signingKey) {
      guard user == nil || known.certificate.user == user else {
        throw Refusal(
          "device \(device.short) is already that of another person: admit it without --user")
      }
      certificate = known
    } else {
      certificate = review(in: core).certificate(for: request, role: role, of: user)
      try core.append([[.certificate(certificate)]], lane: .control, now: now)
    }
    return review(in: core).grant(certificate, epoch: core.currentEpoch)
  }

  static func review(in core: ReplicaCore) -> JoinReview {
    JoinReview(store: core.store, local: core.local, control: core.control)
  }
}
