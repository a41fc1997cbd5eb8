internal import MusterCrypto
internal import MusterModel
internal import MusterSync

/// The epoch keys that this device holds. All are kept, so that data sealed under them stays
/// readable.
///
///     key ─▶ held ─▶ its epoch is fulfilled (`EpochLedger`) ─▶ used, and passed on
///
/// A key is used under the condition under which it is passed on, so that a node shows nothing that
/// others who hold the same frames cannot come to show. There are two exceptions, for newcomers:
/// what this device sealed itself, and the key of its grant until it holds the control log that
/// lists its own certificate.
struct Keyring: Sendable {
  private var keys: [EpochID: SealingKey] = [:]
  /// Held epochs that are fulfilled, and that of the grant of a newcomer.
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

  /// Takes which epochs are fulfilled.
  ///
  /// - Returns: the held epochs that may be used from now on; and whether that of the grant may be
  ///   used no longer: all that it sealed must be read again.
  mutating func use(_ control: ControlPlane) -> (opened: [EpochID], hasLostGrant: Bool) {
    let fulfilled = keys.keys.filter { control.ledger.isFulfilled($0) }
    let isNewcomer = granted.map { !fulfilled.contains($0) && !control.lists(own) } ?? false
    let before = usable
    usable = Set(fulfilled + (isNewcomer ? [granted].compactMap(\.self) : []))
    return (usable.subtracting(before).sorted(), !usable.isSuperset(of: before))
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
