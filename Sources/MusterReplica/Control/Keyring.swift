internal import MusterCrypto
internal import MusterModel
internal import MusterSync

/// The epoch keys at hand. Every one is kept: what was sealed under it stays readable.
struct Keyring: Sendable {
  private var keys: [EpochID: SealingKey] = [:]
  /// The epoch whose key this device was admitted with.
  var granted: EpochID?

  var isEmpty: Bool { keys.isEmpty }

  subscript(epoch: EpochID) -> SealingKey? { keys[epoch] }

  /// False when the id is not the hash of the key.
  mutating func add(_ key: EpochKey, operation: OperationID) -> Bool {
    guard EpochID(operation: operation, key: key.key) == key.id,
      let sealing = SealingKey(bytes: key.key)
    else { return false }
    keys[key.id] = sealing
    return true
  }

  /// Of the keys at hand, in no order.
  var ids: Dictionary<EpochID, SealingKey>.Keys { keys.keys }

  /// What is written under before any announcement has come: the key that came with the grant, else
  /// the one with the lowest id.
  var unannounced: (id: EpochID, key: SealingKey)? {
    let id = granted.flatMap { keys[$0] == nil ? nil : $0 } ?? keys.keys.min()
    return id.flatMap { id in keys[id].map { (id, $0) } }
  }

  var all: [EpochKey] {
    keys.keys.sorted().compactMap { id in keys[id].map { EpochKey(id: id, key: $0.export()) } }
  }
}
