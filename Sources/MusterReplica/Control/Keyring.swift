internal import MusterCrypto
internal import MusterModel
internal import MusterSync

/// The epoch keys at hand. Every one is kept: what was sealed under it stays readable.
struct Keyring: Sendable {
  private var keys: [EpochID: SealingKey] = [:]

  subscript(epoch: EpochID) -> SealingKey? { keys[epoch] }

  /// False when the id is not the hash of the key.
  mutating func add(_ key: EpochKey, operation: OperationID) -> Bool {
    guard EpochID(operation: operation, key: key.key) == key.id,
      let sealing = SealingKey(bytes: key.key)
    else { return false }
    keys[key.id] = sealing
    return true
  }

  /// What new frames are sealed under: of the announced epochs at hand the lowest id; before any
  /// announcement has come, the lowest at hand.
  func current(announced: some Collection<EpochID>) -> (id: EpochID, key: SealingKey)? {
    let id = announced.filter { keys[$0] != nil }.min() ?? keys.keys.min()
    return id.flatMap { id in keys[id].map { (id, $0) } }
  }

  var all: [EpochKey] {
    keys.keys.sorted().compactMap { id in keys[id].map { EpochKey(id: id, key: $0.export()) } }
  }
}
