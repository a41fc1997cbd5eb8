internal import MusterCrypto
public import MusterModel
internal import MusterStore
internal import MusterSync

/// Who is put out, and the epochs that keep them out.
extension Replica {
  /// How long a device that lacks an epoch waits for one to come, at random between these, before
  /// it makes its own; a command device does not wait.
  private static let epochPatienceMilliseconds: ClosedRange<UInt64> = 5_000...20_000

  // MARK: Commands

  /// Takes a device's standing away from now on: what is held of it here still counts, what comes
  /// later does not, and what is written from now on is sealed under a key that it is not given.
  public mutating func revoke(_ device: DeviceID, now: ClockReading) throws -> Outcome {
    try require(.command)
    guard let rank = control.rank(of: device) else {
      throw Refusal("no device \(device.short) is known here")
    }
    guard let own = control.rank(of: local.device), own <= rank else {
      throw Refusal(
        "device \(device.short) is nearer to the root than this one: only a device of rank "
          + "\(rank) or less may revoke it")
    }
    guard !control.isRevoked(device) else {
      throw Refusal("device \(device.short) is revoked already")
    }
    guard device != local.device || hasOtherCommand else {
      throw Refusal(
        "this is the only command device: without it nobody could be admitted or revoked; admit "
          + "another command device first", .notAllowed)
    }
    let cuts = try cuts(for: device)
    return try transact(now: now) { replica in
      let revocation = Revocation(device: device, cuts: cuts)
      try replica.append([[.revocation(revocation)]], lane: .control, now: now)
      try replica.makeEpoch(now: now)
    }
  }

  /// Whether a command device besides this one counts.
  private var hasOtherCommand: Bool {
    control.admissions.contains { admission in
      let author = admission.signed.certificate.author
      return author.role == .command && author.device != local.device
        && !control.isRevoked(author.device)
    }
  }

  /// The heads that a revocation of a device names: of its logs, those held longest, of a forked
  /// log the newest frame of every branch.
  ///
  /// A log that is not named is cut at zero, so a device with more logs than a revocation can name
  /// is revoked all the same. A log with nothing but its opening says nothing and is left out. A
  /// thief opens logs after the owner did, so the logs that came first are named.
  private func cuts(for device: DeviceID) throws(StoreError) -> [Head] {
    let logs = try store.logsByArrival().filter { log in
      control.author(of: log.opening.certificate)?.device == device && !log.isParted
        && log.head.sequence > 0
    }
    return logs.prefix(Limits.cutsPerRevocation)
      .map { Head(log: $0.log, sequence: $0.head.sequence, hash: $0.head.hash) }
  }

  /// Makes a new epoch, its key sealed to the command devices that are known.
  public mutating func rotateEpoch(now: ClockReading) throws -> Outcome {
    try require(.command)
    return try transact(now: now) { try $0.makeEpoch(now: now) }
  }

  // MARK: Epochs

  /// What new frames are sealed under: the newest epoch at hand that shuts out everybody who was
  /// revoked.
  var currentEpoch: (id: EpochID, key: SealingKey)? {
    if let best = control.ledger.bestFitting?.announcement.id, let key = keyring[best] {
      return (best, key)
    }
    let fitting = control.ledger.firstFitting(among: keyring.ids)
    if let id = fitting, let key = keyring[id] { return (id, key) }
    return control.state.revocations.isEmpty ? keyring.unannounced : nil
  }

  /// A write is not kept waiting for a key: where none is fit, this device makes one.
  mutating func ensureEpoch(now: ClockReading) throws {
    guard needsEpoch else { return }
    try makeEpoch(now: now)
  }

  /// Whether there is none to write under, and this device may make one.
  private var needsEpoch: Bool {
    currentEpoch == nil && !keyring.isEmpty && local.author.role.reads
      && !control.isRevoked(local.device)
  }

  /// After the control plane changed: asks for the epoch that is to be written under, and sees to
  /// it that there will be one.
  mutating func reviewEpoch(now: ClockReading) throws {
    try askForAnnounced(now: now)
    guard needsEpoch else {
      epochDue = nil
      return
    }
    guard epochDue == nil else { return }
    let (least, most) = (
      Self.epochPatienceMilliseconds.lowerBound, Self.epochPatienceMilliseconds.upperBound
    )
    let drawn = random.bytes(4).reduce(0) { $0 << 8 | UInt64($1) }
    let patience = local.author.role == .command ? 0 : least + drawn % (most - least)
    epochDue = now.instant.advanced(byMilliseconds: Int64(patience))
  }

  mutating func makeDueEpoch(now: ClockReading) throws {
    guard let due = epochDue, due <= now.instant else { return }
    epochDue = nil
    try ensureEpoch(now: now)
  }

  private mutating func makeEpoch(now: ClockReading) throws {
    let key = random.bytes(SealingKey.byteCount)
    let id = EpochID(operation: local.operation, key: key)
    let announcement = control.announcement(of: id, sealed: sealedToCommand(key))
    try learn(EpochKey(id: id, key: key), now: now)
    try append([[.epoch(announcement)]], lane: .control, now: now)
  }

  /// So that a key does not die with its maker.
  private mutating func sealedToCommand(_ key: [UInt8]) -> [SealedEpochKey] {
    var sealed: [SealedEpochKey] = []
    for commander in control.commanders.prefix(Limits.sealedEpochKeys) {
      let certificate = commander.certificate
      let box = SealedBox.seal(
        key, to: certificate.agreementKey, ephemeral: random.agreementKey())
      if let box { sealed.append(SealedEpochKey(device: certificate.device, box: box)) }
    }
    return sealed
  }
}
