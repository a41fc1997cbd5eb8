public import MusterModel

/// An event that the engine handles.
public enum Input: Hashable, Sendable {
  case datagram([UInt8], from: Endpoint, link: LinkID)
  /// Frames that this device wrote, already persisted, in log order, with their opening.
  case appended(Opening, [Frame])
  /// The result of storing frames of a log, from a device, that may belong to another branch.
  case attached(LogID, DeviceID, AttachmentResult)
  /// This device writes under a new incarnation from now on.
  case startedIncarnation(Incarnation)
  /// Latest-only records that this device wrote. They are sent together, so they must fit one
  /// datagram.
  case recorded([LatestRecord])
  /// One item of a bundle.
  case carried(BundleItem)
  /// The answer to a `fetch`.
  case fetched(FetchRequest, [Frame])
  /// The answer to a `fetchUnit`; nil if the unit is missing or does not verify.
  case fetchedUnit(BlobFetch, BlobUnit?)
  /// Blobs that stored frames list, or whose goals changed, and blobs that are deleted here.
  case blobsChanged([BlobEntry], removed: [BlobID])
  case deadlinePassed
  /// The control plane produced a new roster of certificates.
  case rosterChanged(Roster)
  /// The control plane added these to the roster; all its other entries are unchanged.
  case rosterGrew(RosterGrowth)
  /// Membership evidence that is held from now on, and items that something stronger replaced.
  case evidenceChanged([EvidenceItem], [EvidenceID])
  case invitesChanged([OpenInvite])
  /// Stored frames of an author cannot be decrypted with the available keys. Without an author: all
  /// epochs that the control plane requires and whose keys are missing.
  case keysMissing([EpochID], of: CertificateHash?)
  /// A key to forward to authorized peers that request it.
  case keyLearned(EpochKey)
  /// Addresses to keep trying: configured by the user, or restored from the store.
  case contacts([Endpoint])
  /// The result of a join request.
  case joinAnswered(JoinTicket, JoinAnswer)
  /// The network changed: all contacts are retried at once.
  case linkUp
  /// An HTTPS uplink that this side opened is established.
  case uplinkOpened(Endpoint)
  /// An HTTPS uplink is closed, whichever side opened it.
  case uplinkClosed(Endpoint)
  /// The rate limit of each link; nil for unlimited.
  case linkRate(LinkRate?)
}

/// The result of storing frames that may belong to another branch of a log.
public enum AttachmentResult: Hashable, Sendable {
  /// All of them were already stored, through this sequence.
  case known(through: UInt64)
  /// Their predecessor is not stored.
  case unattached
  /// The log is proved to have more branches than count: they are not stored. The name under which
  /// they were received.
  case refused(LogID)
  /// They are stored now: the log with all of its strands.
  case held([LogSummary])
}

/// An invite that may be redeemed. The inviting device decides which rights it gives.
public struct OpenInvite: Hashable, Sendable, Redacted {
  /// A hash of the secret. A joiner sends it in plaintext to identify the invite.
  public let id: InviteID
  /// `Invitation.secretBytes` long. The pre-shared key of the handshake is derived from it.
  public let secret: [UInt8]

  /// Creates an invite. `id` MUST be the hash of `secret`, or no joiner can use it.
  public init(id: InviteID, secret: [UInt8]) {
    self.id = id
    self.secret = secret
  }
}

/// Identifies the join request that an answer belongs to.
public struct JoinTicket: Hashable, Sendable {
  let session: UInt32
  /// The open invite that authenticated the session.
  public let invite: InviteID
  /// Verified as the sender's and bound to this session.
  public let request: JoinRequest
}

/// A range of a log that a peer requested, or that is due for the peers on uplinks.
public struct FetchRequest: Hashable, Sendable {
  /// The peer to answer. It may have disconnected by the time the frames are fetched. This device
  /// for `Kind.feed`.
  public let device: DeviceID
  /// Was stored when the request was made.
  public let log: LogID
  /// The first requested sequence. Answers are consecutive from here.
  public let from: UInt64
  let through: UInt64
  /// Enough frames to reach `through` and the signature that covers it.
  public let maxFrames: Int
  /// The maximum total size of these frames.
  public let maxBytes: Int
  let kind: Kind

  /// What the peer already has of the log.
  enum Kind: Hashable, Sendable {
    /// The frame before the range.
    case frames
    /// Nothing of the strand: the answer includes the position at which it branches off.
    case strand
    /// Another branch: the peer searches for the position at which the branches diverge.
    case search
    /// Whatever each peer on an uplink has (`FrameFeed`).
    case feed
    /// The frame before the range; it asked by multicast.
    case all
  }
}

extension FetchRequest {
  /// Creates a request for as many frames as reach `through` and the signature that covers it.
  ///
  /// - Parameter last: the newest frame that is stored; at least `from`.
  init(device: DeviceID, log: LogID, from: UInt64, through: UInt64, last: UInt64, kind: Kind) {
    // Up to the next frame whose signature every holder keeps.
    let boundary = (through + Limits.signatureInterval - 1) / Limits.signatureInterval
    let end = min(last, boundary * Limits.signatureInterval)
    let count = Int(min(end - from + 1, Limits.signatureInterval * 4))
    self.init(
      device: device, log: log, from: from, through: through, maxFrames: count,
      maxBytes: count * Limits.frameBodyBytes, kind: kind)
  }

  /// Returns the fetched frames up to the first signed one that reaches the end of the request;
  /// none if no signature is among them.
  func answer(from frames: [Frame]) -> [Frame] {
    let last =
      frames.firstIndex { $0.signature != nil && $0.sequence >= through }
      ?? frames.lastIndex { $0.signature != nil }
    return last.map { Array(frames[...$0]) } ?? []
  }
}
