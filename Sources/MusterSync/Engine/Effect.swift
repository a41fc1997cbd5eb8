public import MusterModel

/// Everything that the engine asks for, in order: a `store` comes before the `send` that
/// acknowledges it, and the shell MUST make it durable before it sends what follows.
public enum Effect: Hashable, Sendable {
  case store(Verified)
  case fetch(FetchRequest)
  case send([UInt8], to: Destination)
  case notice(Notice)
  /// Somebody with an invite's secret asks to be certified; answer with `Input.joinAnswered`.
  case admit(JoinTicket)
}

/// What has passed every check that needs no key and no view: to be held.
public enum Verified: Hashable, Sendable {
  /// Consecutive frames of one log; where the first is frame 0 the log is new.
  case frames(Opening, [Frame])
  /// Consecutive frames of a log, from a device, that may be another branch than is held: wherever
  /// they go on from. Answer with `Input.attached`.
  case branch(Opening, [Frame], DeviceID)
  case record(LatestRecord)
  case epochKey(EpochKey)
  /// Certificates that hold up to the root, leaf first, which a device proved to be its own.
  case chain([SignedCertificate])
  /// A device was met at this address.
  case contact(Endpoint, DeviceID)
}

/// Where a datagram goes.
public enum Destination: Hashable, Sendable {
  /// By the link where its addressee was heard last: the shell lets the route decide where that is
  /// `LinkID.unknown`.
  case endpoint(Endpoint, LinkID)
  /// The announce groups on one link; nil for every link.
  case multicast(LinkID?)
}

/// What the shell logs and counts.
public enum Notice: Hashable, Sendable {
  case rejected(Rejection, from: Endpoint)
  case peerConnected(DeviceID, Endpoint)
  case peerLost(DeviceID)
  /// A device follows other rules than this one: nothing is synchronized with it.
  case needsUpdate(UpdateNeed, DeviceID, Endpoint)
  /// Somebody who belongs to the operation is at the other end of an uplink.
  case uplinkProven(Endpoint)
  /// A peer in reach shows more than it hands over, or less than it was told of, and asks for
  /// nothing: for minutes.
  case peerWithholds(DeviceID, StandstillKind)
  /// What came of something of a bundle.
  case carried(CarriedResult)
}

/// What does not move between a peer and this device.
public enum StandstillKind: Hashable, Sendable {
  /// It shows that it holds what is lacked here, and hands nothing over.
  case keepsToItself
  /// It shows that it lacks what is held here, and asks for nothing.
  case asksForNothing
}

/// Why something from outside was dropped.
public enum Rejection: String, Hashable, Sendable, CaseIterable {
  case size
  case unknownKind
  /// It does not authenticate: another operation's, a stranger's, or damaged.
  case unauthenticated
  case replayed
  case malformed
  case overLimit
  /// Authenticated, and yet a hash, a chain or a signature in it does not hold.
  case forged
  /// By a device whose certificate is not known here yet.
  case unknownAuthor
  case unknownInvite
  /// Its sender has used up what it may cost.
  case throttled
}
