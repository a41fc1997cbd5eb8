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
    try require(.command)
    guard let rank = control.rank(of: device) else {
      throw Refusal("no device \(device.short) is known here")
    }
    guard
      let own = control.rank(of: local.device), own <= rank || isCouncilMember(device)
    else {
      throw Refusal(
        "device \(device.short) is nearer to the root than this one: only a device of rank "
          + "\(rank) or less may revoke it")
    }
    guard !control.isRevoked(device) else {
      throw Refusal("device \(device.short) is already revoked")
    }
    guard device != local.device || hasOtherCommand else {
      throw Refusal(
        "this is the only command device: without it no device could be admitted or revoked; admit "
          + "another command device first", .notAllowed)
    }
    guard !isCouncilMember(device) else { return try vote(against: device, now: now) }
    let revocation = try RevocationDraft(store: store, control: control).revocation(of: device)
    return try transact(now: now) { replica in
      try replica.append([[.revocation(revocation)]], lane: .control, now: now)
      try replica.makeEpoch(now: now)
    }
  }

  /// Whether there is another valid command device.
  private var hasOtherCommand: Bool {
    control.admissions.contains { admission in
      let author = admission.signed.certificate.author
      return author.role == .command && author.device != local.device
        && !control.isRevoked(author.device)
    }
  }

  /// Creates a new epoch, with its key sealed to the known command devices.
  public mutating func rotateEpoch(now: ClockReading) throws -> Outcome {
    try require(.command)
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
