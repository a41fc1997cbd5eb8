/// The immutable unit of a log, stored and forwarded with its author's exact bytes.
///
/// `hash` is a function of the other fields except the signature. A received frame carries a hash
/// only after verification; the builder of a frame computes it.
public struct Frame: Hashable, Sendable {
  /// The log that the frame belongs to; hashed and signed.
  public var log: LogID
  /// 0 for the opening; at most `Limits.lastSequence`.
  public var sequence: UInt64
  /// The hash of the previous frame in its log; `.none` for the opening.
  public var previous: FrameHash
  /// The key that seals the body; nil for clear bodies: openings and the control lane.
  public var epoch: EpochID?
  /// Nonce and ciphertext, or the clear body.
  public var body: [UInt8]
  /// BLAKE2b-256 of the header. The signature covers it, and dots are prefixes of it.
  public var hash: FrameHash
  /// Ed25519 over `hash`. Nil for a frame that a later frame of its run proves.
  public var signature: [UInt8]?
  /// In a forked log, after the fork, the strand that contains the frame; nil in the main part of
  /// the log.
  public var branch: LogID?
  /// The blobs of the photo that the frame adds, in ascending order; hashed, signed and clear.
  public var blobs: [BlobListing] = []

  /// The key for storage: its log, or the strand of it.
  public var strand: LogID { branch ?? log }

  /// Creates a frame. The caller MUST have computed `hash` from the other fields, or have verified
  /// it.
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

/// The newest held frame of a log.
public struct Head: Hashable, Sendable {
  /// The log that this is the head of.
  public var log: LogID
  /// The sequence of the newest frame; 0 if only the opening is held.
  public var sequence: UInt64
  /// Distinguishes two branches of a fork, whose sequences may be equal.
  public var hash: FrameHash

  /// Creates a head. It is a claim until the frame itself is held.
  public init(log: LogID, sequence: UInt64, hash: FrameHash) {
    self.log = log
    self.sequence = sequence
    self.hash = hash
  }
}

/// The content of frame 0 of a log: its author, and the incarnation that wrote it.
public struct Opening: Hashable, Sendable {
  /// The certificate that authorizes the log; the log is judged by this certificate alone.
  public var certificate: CertificateHash
  /// Part of the log's id, so that a restored database cannot continue an old log.
  public var incarnation: Incarnation
  /// 1 + the highest generation known of the device when it was drawn; at most
  /// `Limits.lastGeneration`.
  public var generation: UInt32
  /// The lane of all frames of the log.
  public var lane: Lane

  /// Creates an opening. The caller MUST sign it as frame 0 of the log whose id these fields hash
  /// to.
  public init(
    certificate: CertificateHash, incarnation: Incarnation, generation: UInt32, lane: Lane
  ) {
    self.certificate = certificate
    self.incarnation = incarnation
    self.generation = generation
    self.lane = lane
  }
}

/// A held log, or a strand of a forked log: its opening and its newest frame.
///
/// A forked log is held as a tree, independent of the order of arrival: at a fork one strand ends
/// and others begin, each named by its first frame. Nodes with the same frames have the same
/// strands.
///
///     log ── 0 … 17 ─┬─ strand a: 18 … 40 ─┬─ strand c: 41 …
///                    │                     └─ strand d: 41 …
///                    └─ strand b: 18 …
public struct LogSummary: Hashable, Sendable {
  /// The content of frame 0, so that it need not be read again.
  public var opening: Opening
  /// The newest frame of the contiguous run from the start. Its log is the strand's name.
  public var head: Head
  /// Where a strand begins; nil for the main part of a log, which begins with the opening.
  public var base: StrandBase?
  /// Whether strands continue from its head; it then grows no more.
  public var isParted: Bool

  /// Creates a summary. The caller MUST hold every frame up to `head`.
  public init(opening: Opening, head: Head, base: StrandBase? = nil, isParted: Bool = false) {
    self.opening = opening
    self.head = head
    self.base = base
    self.isParted = isParted
  }

  /// The log itself, or the log that the strand belongs to.
  public var log: LogID { base?.log ?? head.log }
  /// The sequence of its first frame.
  public var first: UInt64 { base?.first ?? 0 }
}

/// Where a strand of a forked log begins.
public struct StrandBase: Hashable, Sendable {
  /// The log that is forked.
  public var log: LogID
  /// The strand that it continues, whose head is the previous frame.
  public var parent: LogID
  /// The sequence of its first frame.
  public var first: UInt64
  /// The hash of the previous frame.
  public var previous: FrameHash

  /// Creates a base. The caller MUST hold the previous frame.
  public init(log: LogID, parent: LogID, first: UInt64, previous: FrameHash) {
    self.log = log
    self.parent = parent
    self.first = first
    self.previous = previous
  }
}
