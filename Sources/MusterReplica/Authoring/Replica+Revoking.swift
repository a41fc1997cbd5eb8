internal import MusterCrypto
public import MusterModel
internal import MusterStore
internal import MusterSync

/// Revocations, and the epochs that exclude revoked devices.
extension Replica {
  // MARK: Commands

  /// Revokes a device: its data that is held here remains valid, later data does not count, and new
  /// data is sealed with a key that it does not receive. Against a member of a council this
  /// casts a vote, which revokes once a majority has voted so.
  public mutating func revoke(_ device: DeviceID, now: ClockReading) throws -> Outcome {
    try context.require(.command)
    let draft = RevocationDraft(store: store, control: control)
    try draft.check(device, by: local.device)
    guard !draft.needsVotes(device) else { return try vote(against: device, now: now) }
    let revocation = try draft.revocation(of: device)
    return try transact(now: now) { replica in
      try replica.append([[.revocation(revocation)]], lane: .control, now: now)
      try replica.makeEpoch(now: now)
    }
  }

  /// Creates a new epoch, with its key sealed to the known command devices.
  public mutating func rotateEpoch(now: ClockReading) throws -> Outcome {
    try context.require(.command)
    return try transact(now: now) { try $0.makeEpoch(now: now) }
  }

  // MARK: Epochs

  /// The epoch that seals new frames.
  var currentEpoch: (id: EpochID, key: SealingKey)? { epochKeys.current(by: control) }

  /// A write does not wait for a key: if none is suitable, this device creates one.
  mutating func ensureEpoch(now: ClockReading) throws {
    guard needsEpoch else { return }
    try makeEpoch(now: now)
  }

  /// Whether no epoch is suitable for writing, and this device may create one.
  private var needsEpoch: Bool {
    currentEpoch == nil && !epochKeys.keyring.isEmpty && local.author.role.reads
      && !control.isRevoked(local.device)
  }

  /// Requests the epoch for writing after a change of the control plane, and schedules a new one if
  /// necessary.
  mutating func reviewEpoch(now: ClockReading) throws {
    try askForAnnounced(now: now)
    epochKeys.schedule(
      isNeeded: needsEpoch, of: local.author.role, random: &own.random, now: now.instant)
  }

  mutating func makeDueEpoch(now: ClockReading) throws {
    guard epochKeys.takeDue(now: now.instant) else { return }
    try ensureEpoch(now: now)
  }

  mutating func makeEpoch(now: ClockReading) throws {
    let key = own.random.bytes(SealingKey.byteCount)
    let id = EpochID(operation: local.operation, key: key)
    let announcement = control.announcement(
      of: id, sealed: control.sealed(key, drawing: &own.random))
    try learn(EpochKey(id: id, key: key), now: now)
    try append([[.epoch(announcement)]], lane: .control, now: now)
  }
}
