public import MusterModel

/// Everything that can happen to the engine.
public enum Input: Hashable, Sendable {
  case datagram([UInt8], from: Endpoint, link: LinkID)
  /// Frames that this device wrote, already durable, in log order, with their opening.
  case appended(Opening, [Frame])
  /// What became of frames of a log, from a device, that may be another branch than was held.
  case attached(LogID, DeviceID, AttachmentResult)
  /// This device writes under another incarnation from now on.
  case begunAnew(Incarnation)
  /// Latest-only records that this device wrote, which leave together: at most as many as fit a
  /// datagram.
  case recorded([LatestRecord])
  /// One thing of a bundle.
  case carried(Carried)
  /// The answer to a `fetch`.
  case fetched(FetchRequest, [Frame])
  case deadlinePassed
  /// The control plane gave other certificates than before.
  case rosterChanged(Roster)
  case invitesChanged([OpenInvite])
  /// Frames of an author are held that no key at hand opens; without an author, the epochs that the
  /// control plane wants and whose keys are missing, all of them.
  case keysMissing([EpochID], of: CertificateHash?)
  /// A key to hand on to those who ask and may have it.
  case keyLearned(EpochKey)
  /// Addresses to keep trying: given by the user, or remembered.
  case contacts([Endpoint])
  /// What became of a join request.
  case joinAnswered(JoinTicket, JoinAnswer)
  /// The network changed: everybody is tried again at once.
  case linkUp
  /// A way over HTTPS stands, which this side began.
  case uplinkOpened(Endpoint)
  /// A way over HTTPS has gone, whoever began it.
  case uplinkClosed(Endpoint)
  /// What each link may carry from now on; nil for as much as it takes.
  case linkRate(LinkRate?)
}

/// What became of frames that may be another branch of a log than was held.
public enum AttachmentResult: Hashable, Sendable {
  /// All of them were held, through this sequence.
  case known(through: UInt64)
  /// What they follow is not held.
  case unattached
  /// The log has more branches than are held.
  case refused
  /// They are held now: the log and all of its strands.
  case held([LogSummary])
}

/// An invite that may be asked for; the inviting device judges what it is good for.
public struct OpenInvite: Hashable, Sendable {
  /// A hash of the secret, by which a joiner names it in the clear.
  public let id: InviteID
  /// `Invitation.secretBytes` long; the handshake's pre-shared key is made from it.
  public let secret: [UInt8]

  /// `id` MUST be the hash of `secret`, or nobody who holds the invite is understood.
  public init(id: InviteID, secret: [UInt8]) {
    self.id = id
    self.secret = secret
  }
}

/// Which join request an answer is for.
public struct JoinTicket: Hashable, Sendable {
  let session: UInt32
  /// Which of the open invites opened the session.
  public let invite: InviteID
  /// Proven to be its sender's and made on this very session.
  public let request: JoinRequest
}

/// A piece of a log that a peer asked for.
public struct FetchRequest: Hashable, Sendable {
  /// Whom to answer; it may be gone by the time the frames are fetched.
  public let device: DeviceID
  /// Held when the request was made.
  public let log: LogID
  /// The first sequence wanted; answers are consecutive from here.
  public let from: UInt64
  let through: UInt64
  /// Enough to reach `through` and, beyond it, a signature.
  public let maxFrames: Int
  /// What so many frames take at most.
  public let maxBytes: Int
  let kind: Kind

  /// What the peer knows of what it is sent.
  enum Kind: Hashable, Sendable {
    /// What the frames follow.
    case frames
    /// Nothing of the strand: it is told what it goes on from.
    case strand
    /// Another branch: it looks for where they part.
    case search
  }
}
