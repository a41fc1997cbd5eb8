public import MusterModel

/// An action that the engine requests, in order. A `store` precedes the `send` that acknowledges
/// it: the shell MUST persist it before it sends what follows.
public enum Effect: Hashable, Sendable {
  case store(Verified)
  case fetch(FetchRequest)
  /// Read a unit, verify it, and answer with `Input.fetchedUnit`.
  case fetchUnit(BlobFetch)
  case send([UInt8], to: Destination)
  case notice(Notice)
  /// A client that holds an invite's secret requests a certificate. Answer with
  /// `Input.joinAnswered`.
  case admit(JoinTicket)
}

/// Data that passed every check that needs no group key and no view, and is to be stored.
public enum Verified: Hashable, Sendable {
  /// Consecutive frames of one log. If the first is frame 0, the log is new.
  case frames(Opening, [Frame])
  /// Consecutive frames of a log, from a device, that may belong to another branch than the stored
  /// one, at any position. Answer with `Input.attached`.
  case branch(Opening, [Frame], DeviceID)
  case record(LatestRecord)
  /// A unit of a listed blob, verified against the root in the list.
  case blobUnit(BlobUnit)
  case epochKey(EpochKey)
  /// Verified certificates up to the root, leaf first, of a device that authenticated with them.
  case chain([SignedCertificate])
  /// Membership evidence whose signatures hold. Answer with `Input.evidenceChanged`.
  case evidence(EvidenceItem)
  /// A device authenticated from this address.
  case contact(Endpoint, DeviceID)
}

/// The destination of a datagram.
public enum Destination: Hashable, Sendable {
  /// A unicast address and the link on which its device was last received. With `LinkID.unknown`
  /// the operating system's routes decide.
  case endpoint(Endpoint, LinkID)
  /// The announce groups on one link; nil for every link.
  case multicast(LinkID?)
}

/// An event that the shell logs and counts.
public enum Notice: Hashable, Sendable {
  case rejected(Rejection, from: Endpoint)
  case peerConnected(DeviceID, Endpoint)
  case peerLost(DeviceID)
  /// A device uses another rules version than this one: nothing is synchronized with it.
  case needsUpdate(UpdateNeed, DeviceID, Endpoint)
  /// A device of the operation authenticated at the other end of an uplink.
  case uplinkProven(Endpoint, DeviceID)
  /// A reachable peer has stalled for minutes: it advertises data and does not deliver it, or lacks
  /// data that was advertised to it and does not request it.
  case peerWithholds(DeviceID, StallKind)
  /// The result of one item of a bundle.
  case carried(BundleItemResult)
}

/// The way in which a peer has stalled.
public enum StallKind: Hashable, Sendable {
  /// It advertises data that is missing here and does not deliver it.
  case keepsToItself
  /// It shows that it is missing data that is stored here and does not request it.
  case asksForNothing
}

/// The reason why received data was dropped.
public enum Rejection: String, Hashable, Sendable, CaseIterable {
  case size
  case unknownKind
  /// Authentication failed: the data is of another operation or an outsider, or is damaged.
  case unauthenticated
  case replayed
  case malformed
  case overLimit
  /// It authenticated, but a hash, a chain or a signature in it is invalid.
  case forged
  /// The author's certificate is not known here yet.
  case unknownAuthor
  case unknownInvite
  /// The sender exceeded its rate limit.
  case throttled
}
