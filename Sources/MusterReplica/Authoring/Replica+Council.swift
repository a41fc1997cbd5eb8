public import MusterModel
internal import MusterSync

/// Creates councils of commanders, and votes in them.
extension Replica {
  // MARK: Making a council

  /// Proposes a council of some devices. Signed by the root key, it counts at once and replaces
  /// earlier ones. Otherwise it is a child of the council that lists this device, and counts once a
  /// majority of that council endorses it. This device's endorsement is the first.
  public mutating func proposeCouncil(
    of devices: [DeviceID], by rootKey: RootKey?, now: ClockReading
  ) throws -> Outcome {
    try core.context.require(.command)
    let endorsement = try CouncilDraft(local: core.local, control: core.control)
      .proposal(of: devices, by: rootKey)
    return try endorse(by: endorsement, now: now)
  }

  /// Endorses a proposal.
  ///
  /// - Parameter reference: the first digits of its id; nil for the only one.
  public mutating func endorseCouncil(
    _ reference: String?, now: ClockReading
  ) throws -> Outcome {
    try core.context.require(.command)
    let endorsement = try CouncilDraft(local: core.local, control: core.control)
      .endorsement(of: reference)
    return try endorse(by: endorsement, now: now)
  }

  private mutating func endorse(
    by endorsement: Endorsement, now: ClockReading
  ) throws -> Outcome {
    try CouncilDraft(local: core.local, control: core.control).check(endorsement)
    return try transact(now: now) { try $0.publish(EvidenceItem(endorsement), now: now) }
  }

  /// Stores an item that this device or the root key signed, and sends it to peers.
  private mutating func publish(_ item: EvidenceItem, now: ClockReading) throws {
    guard item.content.count <= Limits.evidenceBytes, try core.take(item, now: now) else {
      throw Refusal("nothing is changed: this council is known already")
    }
    core.transaction.noteWritten()
  }

  // MARK: Voting

  /// Votes that a member of a council is revoked, in each council that lists both.
  mutating func vote(against device: DeviceID, now: ClockReading) throws -> Outcome {
    let votes = try CouncilDraft(local: core.local, control: core.control).votes(against: device) {
      try RevocationDraft(store: core.store, control: core.control).votedRevocation(of: device)
    }
    return try transact(now: now) { replica in
      for vote in votes { try replica.publish(EvidenceItem(vote), now: now) }
      if replica.core.control.isRevoked(device) { try replica.core.makeEpoch(now: now) }
    }
  }
}
