public import MusterModel
internal import MusterSync

/// The inviting device's side of a join: only this device can count an invite's uses and judge its
/// expiry.
extension Replica {
  /// Creates an invite, in its byte form. The user receives another device; nil for new people.
  public mutating func invite(
    role: Role, of user: UserID? = nil, uses: Int, validMilliseconds: Int64,
    endpoints: [Endpoint], now: ClockReading
  ) throws -> (invitation: [UInt8], id: InviteID, expiresAt: Timestamp) {
    let invitation = try Admitter.invite(
      role, of: user, uses: uses, validMilliseconds: validMilliseconds, endpoints: endpoints,
      in: &core, now: now)
    return (invitation.encoded(), invitation.id, invitation.expiresAt)
  }

  /// Withdraws an invite, named by the first digits of its id. Durable when it returns.
  public func withdrawInvite(_ reference: String, now: ClockReading) throws -> InviteSummary {
    try Admitter.withdrawInvite(reference, in: core, now: now.wall)
  }

  /// Admits the device of a join request file, and returns the contents of the grant file.
  ///
  /// - Parameter other: the person whose other device it is; nil for a new person.
  public mutating func admit(
    request bytes: [UInt8], role: Role, of other: UserID? = nil, now: ClockReading
  ) throws -> (grant: [UInt8], user: UserID, callsign: String, outcome: Outcome) {
    try Admitter.require(other, role: role, in: core)
    let file = try JoinRequestFile(admissible: bytes, by: core.local.rulesVersion)
    var grant: JoinGrant?
    let outcome = try transact(now: now) {
      grant = try Admitter.certify(file.request, role: role, of: other, in: &$0.core, now: now)
    }
    guard let grant,
      let sealed = JoinGrantFile(
        grant: grant, for: file.request, ephemeral: core.own.random.agreementKey())
    else { throw Refusal("the join request's keys cannot be used") }
    return (sealed.encoded(), grant.chain[0].certificate.user, file.callsign, outcome)
  }

  /// Stores the keys of a grant, on a device that has just joined.
  public mutating func keep(_ keys: Enrolment.EpochKeys, now: ClockReading) throws -> Outcome {
    try transact(now: now) { replica in
      if let granted = keys.keys.first?.id {
        replica.core.epochKeys.keyring.granted = granted
        replica.core.transaction.batch.local[EpochKeys.grantedEpochKey] = granted.bytes
      }
      for key in keys.keys { try replica.core.learn(key, now: now) }
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
