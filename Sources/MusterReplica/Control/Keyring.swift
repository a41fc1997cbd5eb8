internal import MusterCrypto
internal import MusterModel
internal import MusterSync

/// The epoch keys that this device holds. All are kept, so that data sealed under them stays
/// readable.
///
///     key ─▶ held ─▶ its epoch is usable (`EpochLedger`) ─▶ used
///                                     fulfilled ─▶ passed on
///
/// A key is used by a condition on held frames, so that a node shows nothing that others who hold
/// the same frames cannot come to show. There are two exceptions, for newcomers: what this device
/// sealed itself, and the key of its grant.
struct Keyring: Sendable {
  private var keys: [EpochID: SealingKey] = [:]
  /// Held epochs that may be used, and that of the grant.
  private(set) var usable: Set<EpochID> = []
  /// The epoch whose key this device was admitted with.
  var granted: EpochID?
  /// This device's certificate.
  private let own: CertificateHash

  init(of own: CertificateHash) { self.own = own }

  var isEmpty: Bool { keys.isEmpty }

  func holds(_ epoch: EpochID) -> Bool { keys[epoch] != nil }

  /// The key of an epoch, if it may be used.
  subscript(epoch: EpochID) -> SealingKey? { usable.contains(epoch) ? keys[epoch] : nil }

  /// The key for data that the holder of a certificate sealed.
  subscript(epoch: EpochID, by author: CertificateHash) -> SealingKey? {
    author == own ? keys[epoch] : self[epoch]
  }

  /// Adds a key. Returns false if the id is not the hash of the key.
  mutating func add(_ key: EpochKey, operation: OperationID) -> Bool {
    guard EpochID(operation: operation, key: key.key) == key.id,
      let sealing = SealingKey(bytes: key.key)
    else { return false }
    keys[key.id] = sealing
    return true
  }

  /// Takes which epochs may be used.
  ///
  /// - Returns: the held epochs that may be used from now on; and whether one may be used no
  ///   longer: all that it sealed must be read again.
  mutating func use(_ ledger: EpochLedger) -> (opened: Set<EpochID>, hasLost: Bool) {
    let before = usable
    usable = Set(keys.keys.filter { $0 == granted || ledger.isUsable($0) })
    #if Canary
      if Canary.useAnyKey.isPlanted { usable = Set(keys.keys) }
    #endif
    return (usable.subtracting(before), !usable.isSuperset(of: before))
  }

  /// The key for new frames before any announcement arrives: the key of the grant, else of those
  /// that may be used the one with the lowest id.
  var unannounced: (id: EpochID, key: SealingKey)? {
    let id = granted.flatMap { keys[$0] == nil ? nil : $0 } ?? usable.min()
    return id.flatMap { id in keys[id].map { (id, $0) } }
  }

  var all: [EpochKey] {
    keys.keys.sorted().compactMap { id in keys[id].map { EpochKey(id: id, key: $0.export()) } }
  }
}
