/// The immutable unit of a log, as stored and forwarded: its author's bytes, verbatim.
///
/// `hash` is a function of the other fields but for the signature; only verified frames carry one
/// that came from outside, and whoever builds a frame computes it.
public struct Frame: Hashable, Sendable {
  public var log: LogID
  /// 0 for the opening; at most `Limits.lastSequence`.
  public var sequence: UInt64
  public var previous: FrameHash
  /// Nil when the body is clear: openings and the control lane.
  public var epoch: EpochID?
  /// Nonce and ciphertext, or the clear body.
  public var body: [UInt8]
  public var hash: FrameHash
  /// Ed25519 over `hash`. Nil for a frame proved by a later one of its run.
  public var signature: [UInt8]?

  public init(
    log: LogID, sequence: UInt64, previous: FrameHash, epoch: EpochID?, body: [UInt8],
    hash: FrameHash, signature: [UInt8]?
  ) {
    self.log = log
    self.sequence = sequence
    self.previous = previous
    self.epoch = epoch
    self.body = body
    self.hash = hash
    self.signature = signature
  }
}

/// The newest frame held of a log.
public struct Head: Hashable, Sendable {
  public var log: LogID
  public var sequence: UInt64
  public var hash: FrameHash

  public init(log: LogID, sequence: UInt64, hash: FrameHash) {
    self.log = log
    self.sequence = sequence
    self.hash = hash
  }
}

/// What frame 0 of a log says: whose it is and which life of that device's database wrote it.
public struct Opening: Hashable, Sendable {
  public var certificate: CertificateHash
  public var incarnation: Incarnation
  /// 1 + the highest generation known of the device when it was drawn; at most
  /// `Limits.lastGeneration`.
  public var generation: UInt32
  public var lane: Lane
  /// The head of the same lane in the incarnation before, where there was one.
  public var previousHead: Head?

  public init(
    certificate: CertificateHash, incarnation: Incarnation, generation: UInt32, lane: Lane,
    previousHead: Head?
  ) {
    self.certificate = certificate
    self.incarnation = incarnation
    self.generation = generation
    self.lane = lane
    self.previousHead = previousHead
  }
}

/// A log that is held: its opening and its newest frame.
public struct LogSummary: Hashable, Sendable {
  public var opening: Opening
  public var head: Head

  public init(opening: Opening, head: Head) {
    self.opening = opening
    self.head = head
  }
}
