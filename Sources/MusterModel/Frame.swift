/// The immutable unit of a log, as stored and forwarded: its author's bytes, verbatim.
///
/// `hash` is a function of the other fields but for the signature; only verified frames carry one
/// that came from outside, and whoever builds a frame computes it.
public struct Frame: Hashable, Sendable {
  /// Which chain it belongs to; part of what is hashed and signed.
  public var log: LogID
  /// 0 for the opening; at most `Limits.lastSequence`.
  public var sequence: UInt64
  /// The hash of the frame before it in its log; `.none` for the opening.
  public var previous: FrameHash
  /// Nil when the body is clear: openings and the control lane.
  public var epoch: EpochID?
  /// Nonce and ciphertext, or the clear body.
  public var body: [UInt8]
  /// BLAKE2b-256 of the header: what the signature covers and dots are prefixes of.
  public var hash: FrameHash
  /// Ed25519 over `hash`. Nil for a frame proved by a later one of its run.
  public var signature: [UInt8]?
  /// In a forked log, past where its branches part, the strand that it stands in; nil in the log's
  /// own.
  public var branch: LogID?

  /// What the frame is filed under: its log, or the strand of it.
  public var strand: LogID { branch ?? log }

  /// The caller MUST have computed `hash` from the other fields, or have verified that it is
  /// theirs.
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
  /// Which chain this is the end of.
  public var log: LogID
  /// 0 where only the opening is held.
  public var sequence: UInt64
  /// What tells two branches of a fork apart: their sequences may be equal.
  public var hash: FrameHash

  /// A head is a claim until the frame itself is held.
  public init(log: LogID, sequence: UInt64, hash: FrameHash) {
    self.log = log
    self.sequence = sequence
    self.hash = hash
  }
}

/// What frame 0 of a log says: whose it is and which life of that device's database wrote it.
public struct Opening: Hashable, Sendable {
  /// On whose authority the log is written: it is judged by this certificate alone.
  public var certificate: CertificateHash
  /// Part of the log's id, so that a restored database cannot go on in an old log.
  public var incarnation: Incarnation
  /// 1 + the highest generation known of the device when it was drawn; at most
  /// `Limits.lastGeneration`.
  public var generation: UInt32
  /// The one lane that all frames of the log belong to.
  public var lane: Lane

  /// The caller MUST sign it as frame 0 of the log that these fields are hashed to.
  public init(
    certificate: CertificateHash, incarnation: Incarnation, generation: UInt32, lane: Lane
  ) {
    self.certificate = certificate
    self.incarnation = incarnation
    self.generation = generation
    self.lane = lane
  }
}

/// A log that is held, or a strand of one that is forked: its opening and its newest frame.
///
/// A forked log is held as a tree, whatever came first: where branches part, one strand ends and
/// others begin, each named by its first frame. Who holds the same frames holds the same strands.
///
///     log ── 0 … 17 ─┬─ strand a: 18 … 40 ─┬─ strand c: 41 …
///                    │                     └─ strand d: 41 …
///                    └─ strand b: 18 …
public struct LogSummary: Hashable, Sendable {
  /// What frame 0 says, so that nobody needs to read it again.
  public var opening: Opening
  /// Everything up to here is held, without a gap. Its log is the strand's name.
  public var head: Head
  /// Where a strand begins; nil for a log's own, which begins with the opening.
  public var base: StrandBase?
  /// Whether strands go on from its head: then it grows no more.
  public var isParted: Bool

  /// The caller MUST hold every frame up to `head`.
  public init(opening: Opening, head: Head, base: StrandBase? = nil, isParted: Bool = false) {
    self.opening = opening
    self.head = head
    self.base = base
    self.isParted = isParted
  }

  /// The log that it is, or is a strand of.
  public var log: LogID { base?.log ?? head.log }
  /// The sequence of its first frame.
  public var first: UInt64 { base?.first ?? 0 }
}

/// Where a strand of a forked log begins.
public struct StrandBase: Hashable, Sendable {
  /// The log that is forked.
  public var log: LogID
  /// The strand that it goes on from, whose head is the frame before.
  public var parent: LogID
  /// The sequence of its first frame.
  public var first: UInt64
  /// The hash of the frame before.
  public var previous: FrameHash

  /// The caller MUST hold the frame before.
  public init(log: LogID, parent: LogID, first: UInt64, previous: FrameHash) {
    self.log = log
    self.parent = parent
    self.first = first
    self.previous = previous
  }
}
