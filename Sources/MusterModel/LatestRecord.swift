/// The kinds of latest-only record. Numbers are on the wire and append-only.
public enum RecordKind: UInt8, Sendable, Hashable {
  case position = 1
  /// What a command device holds of one log; in the clear, since relays know heads anyway.
  case receipt = 2
  /// The position of a tracker that the author's node records; its nonce in the clear, then sealed.
  case trackerPosition = 3
  /// The neighbours that the author's device receives from; sealed.
  case neighbours = 4
  /// Other incarnations of its own device that an incarnation knows; in the clear, like openings.
  case otherIncarnations = 5
  /// Two incarnations of one device are live at once, as detected by one of them.
  case clone = 6
  /// The author's device is in contact: only a stamp; sealed.
  case presence = 7
  /// Which blobs of one log a command device keeps; in the clear, like their list.
  case blobReceipt = 8
}

/// A signed value of which only the newest per (author, topic) is kept: a newer one replaces an
/// older one on every node, so records do not accumulate.
public struct LatestRecord: Hashable, Sendable {
  /// Identifies the records that replace one another.
  public var topic: RecordTopic
  /// The kind of the opened body.
  public var kind: RecordKind
  /// The certificate of the author.
  public var certificate: CertificateHash
  /// The greater order wins (`RecordVersion`); clocks are not compared.
  public var order: RecordOrder
  /// The group key that seals the body; relays hold records without it. `none` for kinds that are
  /// not sealed.
  public var epoch: EpochID
  /// Nonce and ciphertext, or the plain content of a kind that is not sealed.
  public var body: [UInt8]
  /// Ed25519, 64 bytes, over a hash of all the other fields and the operation.
  public var signature: [UInt8]

  /// Creates a record. The caller MUST have signed it, or verify it before use.
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

  /// Of two records of one topic every node keeps the one of the greater version.
  public var version: RecordVersion { RecordVersion(order: order, epoch: epoch, body: body) }
}

/// What decides between two records of one topic, on every node and whichever came first: their
/// order. An author must not use an order twice; of two records with one, which only a modified
/// program makes, it is the content, byte by byte. Two signatures of one content are one record.
public struct RecordVersion: Hashable, Comparable, Sendable {
  let order: RecordOrder
  let epoch: EpochID
  let body: [UInt8]

  /// Older records order first.
  public static func < (left: RecordVersion, right: RecordVersion) -> Bool {
    if left.order != right.order { return left.order < right.order }
    if left.epoch != right.epoch { return left.epoch < right.epoch }
    return left.body.lexicographicallyPrecedes(right.body)
  }
}

/// The order of the records of one topic: by generation, then incarnation, then counter.
public struct RecordOrder: Hashable, Comparable, Sendable {
  /// The generation of the author's log openings: 1 to `Limits.lastGeneration`.
  public var generation: UInt32
  /// Breaks the tie between two incarnations with the same generation.
  public var incarnation: Incarnation
  /// Increases with every record of one incarnation, across restarts; at most `Int64.max`, the
  /// range of the store's integers.
  public var counter: UInt64

  /// Creates an order. The author MUST NOT use one order twice.
  public init(generation: UInt32, incarnation: Incarnation, counter: UInt64) {
    self.generation = generation
    self.incarnation = incarnation
    self.counter = counter
  }

  /// Older records order first.
  public static func < (left: RecordOrder, right: RecordOrder) -> Bool {
    if left.generation != right.generation { return left.generation < right.generation }
    if left.incarnation != right.incarnation { return left.incarnation < right.incarnation }
    return left.counter < right.counter
  }
}

extension ByteWriter {
  /// Appends generation, incarnation and counter.
  public mutating func append(_ order: RecordOrder) {
    append(order.generation)
    append(order.incarnation)
    append(order.counter)
  }
}

extension ByteReader {
  /// Reads an order that `append` wrote.
  public mutating func recordOrder() throws(DecodingFault) -> RecordOrder {
    let generation = try integer(UInt32.self)
    let incarnation = try identifier(Incarnation.self)
    return RecordOrder(
      generation: generation, incarnation: incarnation, counter: try integer(UInt64.self))
  }
}
