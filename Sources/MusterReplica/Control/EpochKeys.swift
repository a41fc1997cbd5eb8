internal import MusterCrypto
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// The epoch keys of this device, and those that it waits for.
struct EpochKeys: Sendable {
  var keyring: Keyring
  /// Epochs whose keys held frames wait for; some may have been waited for before.
  var waitedFor: Set<EpochID> = []
  /// When this device creates an epoch that excludes revoked devices, unless one arrives before.
  private(set) var due: Instant?

  /// How long a member without the current epoch waits for one before it creates its own, random
  /// within this range; a command device does not wait.
  private static let patienceMilliseconds: ClosedRange<UInt64> = 5_000...20_000
  static let grantedEpochKey = "granted epoch"

  /// Reads the keys of a store.
  init(in store: Store, of local: LocalDevice) throws(StoreError) {
    keyring = Keyring(of: local.certificate.hash)
    for stored in try store.epochKeys() {
      _ = keyring.add(EpochKey(id: stored.id, key: stored.key.bytes), operation: local.operation)
    }
    keyring.granted = try store.local(Self.grantedEpochKey).flatMap { EpochID(bytes: $0) }
  }

  /// Reads the keys again, of which memory may be ahead.
  mutating func reload(from store: Store, of local: LocalDevice) throws(StoreError) {
    keyring = try EpochKeys(in: store, of: local).keyring
  }

  /// Returns the epoch that seals new frames: the newest fulfilled one with a key here that
  /// excludes all revoked devices.
  func current(by control: ControlPlane) -> (id: EpochID, key: SealingKey)? {
    let ledger = control.ledger
    if let best = ledger.bestEligible?.announcement.id, ledger.isFulfilled(best),
      let key = keyring[best]
    {
      return (best, key)
    }
    let eligible = ledger.firstEligible(among: keyring.usable.filter(ledger.isFulfilled))
    if let id = eligible, let key = keyring[id] { return (id, key) }
    return control.state.revocations.isEmpty ? keyring.unannounced : nil
  }

  /// Returns the keys that an epoch's announcement seals to this command device.
  func sealed(in operations: [Operation], to local: LocalDevice) -> [EpochKey] {
    var keys: [EpochKey] = []
    for case .epoch(let announcement) in operations where !keyring.holds(announcement.id) {
      for sealed in announcement.sealed where sealed.device == local.device {
        guard let key = SealedBox.open(sealed.box, with: local.agreementKey) else { continue }
        keys.append(EpochKey(id: announcement.id, key: key))
      }
    }
    return keys
  }

  /// Schedules a new epoch where one is needed, unless one is scheduled.
  mutating func schedule(
    isNeeded: Bool, of role: Role, random: inout DeterministicRandom, now: Instant
  ) {
    guard isNeeded else {
      due = nil
      return
    }
    guard due == nil else { return }
    let (least, most) = (
      Self.patienceMilliseconds.lowerBound, Self.patienceMilliseconds.upperBound
    )
    let drawn = random.bytes(4).reduce(0) { $0 << 8 | UInt64($1) }
    let patience = role == .command ? 0 : least + drawn % (most - least)
    due = now.advanced(byMilliseconds: Int64(patience))
  }

  /// Returns whether it is time to create an epoch; from here on none is scheduled.
  mutating func takeDue(now: Instant) -> Bool {
    guard let due, due <= now else { return false }
    self.due = nil
    return true
  }
}
