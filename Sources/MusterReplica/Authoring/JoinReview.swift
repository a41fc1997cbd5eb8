internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// Decides about invites and join requests, and makes what the joining device receives.
struct JoinReview {
  let store: Store
  let local: LocalDevice
  let control: ControlPlane

  /// How long an expired invite is remembered, so that a late joiner receives the reason.
  private static let graceMilliseconds: Int64 = 7 * 24 * 3600 * 1000

  /// The decision about a request that arrived over the network.
  enum Verdict {
    /// As another device of a user, or with nil as the first of a new one.
    case admitted(Role, of: UserID?)
    /// The joining device was revoked.
    case revoked
    case refused(String)
  }

  // MARK: Invites

  /// Rejects an invite that could not be used.
  func checkInvite(
    uses: Int, validMilliseconds: Int64, endpoints: [Endpoint]
  ) throws(Refusal) {
    guard (1...1000).contains(uses) else {
      throw Refusal("an invite is for 1 to 1000 uses: give another number")
    }
    guard (1000...365 * 24 * 3600 * 1000).contains(validMilliseconds) else {
      throw Refusal("an invite is valid for 1 second to 365 days: give another time")
    }
    guard !endpoints.isEmpty else {
      throw Refusal("this device has no reachable address: join a network first")
    }
    try checkRoomBelow()
  }

  /// Rejects another device for a user who cannot have it.
  func check(_ user: UserID?, role: Role) throws {
    guard let user else { return }
    guard role != .relay, role != .archive else {
      throw Refusal("a device of role \(role.name) is that of no person: name none")
    }
    guard try control.hasCertified(user) || isOnRoster(user) else {
      throw Refusal(
        "\(user.short) is no person with a device of their own: see muster user list", .unknown)
    }
  }

  private func isOnRoster(_ user: UserID) throws -> Bool {
    try store.row(RowKey(kind: .user, id: RowID(raw: user.raw)))
      .flatMap(RosterList.entry(of:)) != nil
  }

  /// Rejects devices below this one that would be too far from the root.
  func checkRoomBelow() throws(Refusal) {
    guard local.chain.certificates.count < Limits.certificateChain else {
      throw Refusal(
        "this device is \(Limits.certificateChain) certificates from the root: "
          + "let a commander nearer to it invite")
    }
  }

  /// Returns the invites that are remembered, oldest first.
  func invites(now: Timestamp) throws(StoreError) -> [Invite] {
    try store.invites().filter {
      now.milliseconds(since: $0.expiresAt) < Self.graceMilliseconds
    }
  }

  /// Returns them as the engine takes requests with them, if only to answer why they are refused.
  func openInvites(now: Timestamp) throws(StoreError) -> [OpenInvite] {
    try invites(now: now).map { OpenInvite(id: $0.id, secret: $0.secret) }
  }

  /// Returns an invite with what `verdict` would answer a new device.
  func summary(of invite: Invite, now: Timestamp) throws(StoreError) -> InviteSummary {
    let devices = try store.devices(admittedBy: invite.id)
    let state: InviteSummary.State =
      if invite.withdrawnAt != nil {
        .withdrawn
      } else if now >= invite.expiresAt {
        .expired
      } else if devices.contains(where: control.isRevoked) || hasLostDevice(invite) {
        .closed
      } else {
        invite.usesLeft == 0 ? .used : .open
      }
    return InviteSummary(
      id: invite.id, role: invite.role, user: invite.user, usesLeft: invite.usesLeft,
      createdAt: invite.createdAt, expiresAt: invite.expiresAt, state: state, devices: devices)
  }

  /// Whether a device of the invite's person was revoked after it was made: the holder of that
  /// device may have the invite too.
  private func hasLostDevice(_ invite: Invite) -> Bool {
    guard let user = invite.user, let before = invite.revokedDevices else { return false }
    return control.revokedDeviceCount(of: user) > before
  }

  // MARK: Requests

  /// Decides about a request, and counts a use of its invite.
  func verdict(on ticket: JoinTicket, now: Timestamp) throws(StoreError) -> Verdict {
    let device = DeviceID(operation: local.operation, key: ticket.request.signingKey)
    guard !control.isRevoked(local.device) else {
      return .refused("the device that made this invite is revoked: ask another commander")
    }
    guard !control.isRevoked(device) else { return .revoked }
    guard let invite = try store.invite(ticket.invite) else {
      return .refused("this invite is not known here any more: ask for a new one")
    }
    // A device that was admitted and lost the answer receives it again, whatever the invite's
    // state.
    guard control.certificate(ofKey: ticket.request.signingKey) == nil else {
      return .admitted(invite.role, of: invite.user)
    }
    guard invite.withdrawnAt == nil else {
      return .refused("the invite was withdrawn: ask for a new one")
    }
    guard now < invite.expiresAt else {
      let age = now.milliseconds(since: invite.expiresAt) / 1000
      let span = RoundedSpan(seconds: UInt64(clamping: age))
      return .refused("the invite expired \(span) ago: ask for a new one")
    }
    // The secret is known to the revoked device: a new key of it could use the remaining uses.
    guard try !store.devices(admittedBy: ticket.invite).contains(where: control.isRevoked) else {
      return .refused(
        "the invite is closed, because a device that used it is revoked: ask for a new one")
    }
    if hasLostDevice(invite) {
      return .refused(
        "the invite is closed, because a device of this person was revoked after it was made: ask "
          + "for a new one")
    }
    if try store.useInvite(ticket.invite, for: device).isRefused {
      return .refused("the invite is used up: ask for a new one")
    }
    return .admitted(invite.role, of: invite.user)
  }

  /// Whether a device must not be admitted again.
  func isShutOut(_ device: DeviceID) -> Bool {
    #if Canary
      if Canary.readmitRevoked.isPlanted { return false }
    #endif
    return control.isRevoked(device)
  }

  // MARK: Answers

  /// Signs the certificate of a joining device.
  ///
  /// - Parameter user: nil for a new one.
  func certificate(for request: JoinRequest, role: Role, of user: UserID?) -> SignedCertificate {
    SignedCertificate(
      Certificate(
        operation: local.operation, issuer: local.certificate.hash,
        user: user ?? UserID(operation: local.operation, firstDeviceKey: request.signingKey),
        signingKey: request.signingKey, agreementKey: request.agreementKey, role: role),
      signedBy: local.signingKey)
  }

  /// Returns what a certified device needs to take part.
  func grant(
    _ certificate: SignedCertificate, epoch: (id: EpochID, key: SealingKey)?
  ) -> JoinGrant {
    let keys = epoch.map { [EpochKey(id: $0.id, key: $0.key.export())] } ?? []
    return JoinGrant(
      rootKey: local.rootKey, operationName: local.operationName,
      chain: [certificate] + local.chain.certificates, networkKey: local.networkKey.export(),
      epochKeys: certificate.certificate.role.reads ? keys : [])
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
