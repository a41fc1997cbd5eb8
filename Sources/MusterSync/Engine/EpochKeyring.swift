internal import MusterModel

/// The epoch keys that this device holds, and those that it requests.
///
/// Invariant: a key that is held is not missing.
struct EpochKeyring: Sendable {
  private var held: [EpochID: EpochKey] = [:]
  private(set) var missing = MissingKeys()

  subscript(epoch: EpochID) -> EpochKey? { held[epoch] }

  /// Adds a key whose id the caller has verified.
  mutating func add(_ key: EpochKey) {
    held[key.id] = key
    missing.remove(key.id)
  }

  /// Requests keys with which an author's frames are encrypted. Returns how many of them exceed the
  /// author's limit.
  mutating func request(_ epochs: [EpochID], of author: CertificateHash) -> Int {
    var refused = 0
    for epoch in epochs where held[epoch] == nil {
      if !missing.add(epoch, of: author) { refused += 1 }
    }
    return refused
  }

  /// Requests keys that the control plane requires. Returns false if all were requested already.
  mutating func request(_ epochs: [EpochID]) -> Bool {
    missing.want(epochs.filter { held[$0] == nil })
  }

  /// Returns what to request from one peer next, with those first that satisfy a condition.
  mutating func nextRequests(first isUrgent: (EpochID) -> Bool) -> [EpochID] {
    missing.nextRequests(first: isUrgent)
  }

  /// Returns authors whose further epochs may be requested.
  mutating func takeRefillableAuthors() -> [CertificateHash] { missing.takeRefillable() }
}
