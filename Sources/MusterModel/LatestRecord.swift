/// What a latest-only record is about. Numbers are on the wire and append-only.
public enum RecordKind: UInt8, Sendable, Hashable {
  case position = 1
}

/// A signed value of which only the newest per (author, topic) matters: a newer one replaces an
/// older one everywhere, and none accumulates.
public struct LatestRecord: Hashable, Sendable {
  public var topic: RecordTopic
  public var kind: RecordKind
  public var certificate: CertificateHash
  public var order: RecordOrder
  public var epoch: EpochID
  /// Nonce and ciphertext.
  public var body: [UInt8]
  public var signature: [UInt8]

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
  public var generation: UInt32
  public var incarnation: Incarnation
  public var counter: UInt64

  public init(generation: UInt32, incarnation: Incarnation, counter: UInt64) {
    self.generation = generation
    self.incarnation = incarnation
    self.counter = counter
  }

  public static func < (left: RecordOrder, right: RecordOrder) -> Bool {
    if left.generation != right.generation { return left.generation < right.generation }
    if left.incarnation != right.incarnation { return left.incarnation < right.incarnation }
    return left.counter < right.counter
  }
}
