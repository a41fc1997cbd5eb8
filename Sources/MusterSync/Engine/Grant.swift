internal import MusterModel

/// Permission for one peer to push missing data without a request, after it received an
/// advertisement of what is stored here.
struct Grant: Sendable {
  let device: DeviceID
  /// After this time the data is requested instead.
  let until: Instant
  /// The parts of the tries that were advertised.
  var places: Set<Place>

  /// A part of a set's trie.
  struct Place: Hashable, Sendable {
    let set: SetID
    let prefix: NibblePrefix
  }
}
