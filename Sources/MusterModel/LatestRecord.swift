/// What a latest-only record is about. Numbers are on the wire and append-only.
public enum RecordKind: UInt8, Sendable, Hashable {
  case position = 1
  /// What of one log a command device holds; in the clear, since relays know heads anyway.
  case receipt = 2
  /// Where a tracker is that the author's node listens to; its nonce in the clear, then sealed.
  case trackerPosition = 3
  /// Whom the author's device hears; sealed.
  case neighbours = 4
  /// Which other lives of its own device a life has heard of; in the clear, as their openings are.
  case livesHeard = 5
  /// Two lives of one device are in use at once: said by one of them.
  case clone = 6
  /// The author's device is in contact: a stamp and nothing else; sealed.
  case presence = 7
}

/// A signed value of which only the newest per (author, topic) matters: a newer one replaces an
/// older one everywhere, and none accumulates.
public struct LatestRecord: Hashable, Sendable {
  /// What a newer record replaces this one by.
  public var topic: RecordTopic
  /// What the body holds once it is opened.
  public var kind: RecordKind
  /// On whose authority it is said.
  public var certificate: CertificateHash
  /// Greater wins, whatever the clocks say.
  public var order: RecordOrder
  /// The group key that the body is sealed under; relays hold records without it. `none` for kinds
  /// that are not sealed.
  public var epoch: EpochID
  /// Nonce and ciphertext; the plain content of a kind that is not sealed.
  public var body: [UInt8]
  /// Ed25519, 64 bytes, over a hash of all the other fields and the operation.
  public var signature: [UInt8]

  /// The caller MUST have signed it, or verify it before it is believed.
  public init(
    topic: RecordTopic, kind: RecordKind, certificate: CertificateHash, order: RecordOrder,
    epoch: EpochID, body: [UInt8], signature: [UInt8]
  ) {
    self.topic = topic
    self.kind = kind
    self.certificate = certificate
    self.order = order
    self.epoch = epoch
    self.body = body
    self.signature = signature
  }
}

/// Which of two records of one topic is newer: generation, then incarnation, then counter.
public struct RecordOrder: Hashable, Comparable, Sendable {
  /// That of the author's log openings: 1 to `Limits.lastGeneration`.
  public var generation: UInt32
  /// Decides between two lives that took the same generation.
  public var incarnation: Incarnation
  /// Grows with every record of one incarnation, across restarts; at most `Int64.max`, as the
  /// store's integers are.
  public var counter: UInt64

  /// The author MUST never give one order twice.
  public init(generation: UInt32, incarnation: Incarnation, counter: UInt64) {
    self.generation = generation
    self.incarnation = incarnation
    self.counter = counter
  }

  /// Older is less.
  public static func < (left: RecordOrder, right: RecordOrder) -> Bool {
    if left.generation != right.generation { return left.generation < right.generation }
    if left.incarnation != right.incarnation { return left.incarnation < right.incarnation }
    return left.counter < right.counter
  }
}
