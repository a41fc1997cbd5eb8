public import MusterModel

/// Everything that can happen to the engine.
public enum Input: Hashable, Sendable {
  case datagram([UInt8], from: Endpoint)
  /// Frames that this device wrote, already durable, in log order; `opening` where the first is one.
  case appended(Opening, [Frame])
  /// A latest-only record that this device wrote.
  case recorded(LatestRecord)
  /// The answer to a `fetch`.
  case fetched(FetchRequest, [Frame])
  case deadlinePassed
  /// The control plane gave other certificates than before.
  case rosterChanged(Roster)
  case invitesChanged([OpenInvite])
  /// Frames are held that no key at hand opens.
  case keysMissing([EpochID])
  /// A key to hand on to those who ask and may have it.
  case keyLearned(EpochKey)
  /// Addresses to keep trying: given by the user, or remembered.
  case contacts([Endpoint])
  /// What became of a join request.
  case joinAnswered(JoinTicket, JoinAnswer)
  /// The network changed: everybody is tried again at once.
  case linkUp
}

/// An invite that may be asked for; the inviting device judges what it is good for.
public struct OpenInvite: Hashable, Sendable {
  public let id: InviteID
  public let secret: [UInt8]

  public init(id: InviteID, secret: [UInt8]) {
    self.id = id
    self.secret = secret
  }
}

/// Which join request an answer is for.
public struct JoinTicket: Hashable, Sendable {
  let session: UInt32
  public let invite: InviteID
  public let request: JoinRequest
}

/// A piece of a log that a peer asked for.
public struct FetchRequest: Hashable, Sendable {
  public let device: DeviceID
  public let log: LogID
  public let from: UInt64
  /// Enough to reach a signature, whatever the credit.
  public let maxBytes: Int
  let credit: Int
}
