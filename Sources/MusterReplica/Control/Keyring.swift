internal import MusterCrypto
internal import MusterModel
internal import MusterSync

/// The epoch keys that this device holds. All are kept, so that data sealed under them stays
/// readable.
struct Keyring: Sendable {
  private var keys: [EpochID: SealingKey] = [:]
  /// The epoch whose key this device was admitted with.
  var granted: EpochID?

  var isEmpty: Bool { keys.isEmpty }

  subscript(epoch: EpochID) -> SealingKey? { keys[epoch] }

  /// Adds a key. Returns false if the id is not the hash of the key.
  mutating func add(_ key: EpochKey, operation: OperationID) -> Bool {
    guard EpochID(operation: operation, key: key.key) == key.id,
      let sealing = SealingKey(bytes: key.key)
    else { return false }
    keys[key.id] = sealing
    return true
  }

  /// The ids of the keys, in no particular order.
  var ids: Dictionary<EpochID, SealingKey>.Keys { keys.keys }

  /// The key for new frames before any announcement arrives: the key of the grant, else the one
  /// with the lowest id.
  var unannounced: (id: EpochID, key: SealingKey)? {
    let id = granted.flatMap { keys[$0] == nil ? nil : $0 } ?? keys.keys.min()
    return id.flatMap { id in keys[id].map { (id, $0) } }
  }

  var all: [EpochKey] {
    keys.keys.sorted().compactMap { id in keys[id].map { EpochKey(id: id, key: $0.export()) } }
  }
}
