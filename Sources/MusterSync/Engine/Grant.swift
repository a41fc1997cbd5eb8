internal import MusterModel

/// Leave for one peer to send what is lacked here without being asked: it was told what is held.
struct Grant: Sendable {
  let device: DeviceID
  /// After this the peer is asked.
  let until: Instant
  /// What was told.
  var places: Set<Place>

  /// A part of a set's trie.
  struct Place: Hashable, Sendable {
    let set: SetID
    let prefix: NibblePrefix
  }
}
