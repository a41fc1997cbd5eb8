internal import MusterCrypto
internal import MusterModel
internal import MusterSync

/// The epoch keys that this device holds. All are kept, so that data sealed under them stays
/// readable.
///
///     key ─▶ held ─▶ its epoch is fulfilled (`EpochLedger`) ─▶ used, and passed on
///
/// A key is used under the condition under which it is passed on, so that a node shows nothing that
/// others who hold the same frames cannot come to show. This device's own data is the exception: a
/// newcomer reads what it writes before it has received an announcement.
struct Keyring: Sendable {
  private var keys: [EpochID: SealingKey] = [:]
  /// Held epochs that are fulfilled.
  private var usable: Set<EpochID> = []
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

  /// Takes which epochs are fulfilled. Returns the held ones among them that were not before.
  mutating func use(_ ledger: EpochLedger) -> [EpochID] {
    let found = keys.keys.filter { !usable.contains($0) && ledger.isFulfilled($0) }.sorted()
    usable.formUnion(found)
    return found
  }

  /// The epochs whose keys may be used, in no particular order.
  var usableIDs: Set<EpochID> { usable }

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
