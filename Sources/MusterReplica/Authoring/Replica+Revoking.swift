public import MusterModel
internal import MusterSync

/// Revocations, and the epochs that exclude revoked devices.
extension Replica {
  // MARK: Commands

  /// Revokes a device: its data that is held here remains valid, later data does not count, and new
  /// data is sealed with a key that it does not receive. Against a member of a council this
  /// casts a vote, which revokes once a majority has voted so.
  public mutating func revoke(_ device: DeviceID, now: ClockReading) throws -> Outcome {
    try core.context.require(.command)
    let draft = RevocationDraft(store: core.store, control: core.control)
    try draft.check(device, by: core.local.device)
    guard !draft.needsVotes(device) else { return try vote(against: device, now: now) }
    let revocation = try draft.revocation(of: device)
    return try transact(now: now) { replica in
      try replica.core.append([[.revocation(revocation)]], lane: .control, now: now)
      try replica.core.makeEpoch(now: now)
    }
  }

  /// Creates a new epoch, with its key sealed to the known command devices.
  public mutating func rotateEpoch(now: ClockReading) throws -> Outcome {
    try core.context.require(.command)
    return try transact(now: now) { try $0.core.makeEpoch(now: now) }
  }
}
