public import MusterCrypto
public import MusterModel

/// The names that are hashes: `BLAKE2b(tag ‖ fields)`, each with a tag of its own so that no two
/// kinds of name can be confused. Listed in `docs/wire.md`.

extension OperationID {
  /// Whoever knows the id can check a root key that anybody shows.
  public init(rootKey: VerifyingKey) {
    self.init(raw: Blake2b.hash128(Tag.operation, rootKey.raw.bytes))
  }
}

extension UserID {
  /// A person is named by the first device that was enrolled for them.
  public init(operation: OperationID, firstDeviceKey: VerifyingKey) {
    self.init(raw: Blake2b.hash128(Tag.user, operation.bytes, firstDeviceKey.raw.bytes))
  }
}

extension DeviceID {
  /// One key in two operations is two devices.
  public init(operation: OperationID, key: VerifyingKey) {
    self.init(raw: Blake2b.hash128(Tag.device, operation.bytes, key.raw.bytes))
  }
}

extension LogID {
  /// An opening that says other things belongs to another log: no log has two openings, whatever
  /// its author signs.
  public init(operation: OperationID, opening: Opening) {
    var writer = ByteWriter()
    writer.append(opening.incarnation)
    writer.append(opening.generation)
    writer.append(opening.lane.rawValue)
    self.init(
      raw: Blake2b.hash128(
        Tag.log, operation.bytes, opening.certificate.bytes, writer.bytes))
  }
}

extension LogID {
  /// A strand of a forked log is named by its first frame, so that everybody who holds it names it
  /// alike, whichever branch came first.
  public init(strandOf log: LogID, beginningWith hash: FrameHash) {
    self.init(raw: Blake2b.hash128(Tag.strand, log.bytes, hash.bytes))
  }
}

extension EvidenceID {
  /// - Parameter identity: what an item proves, in the form of its kind.
  init(operation: OperationID, kind: EvidenceKind, identity: [UInt8]) {
    self.init(
      raw: Blake2b.hash256(Tag.evidence, operation.bytes, [kind.rawValue], identity))
  }
}

extension RowID {
  /// Checked at each create, so that nobody creates a row that another owns.
  public init(operation: OperationID, origin: RowOrigin) {
    self.init(
      raw: Blake2b.hash128(Tag.row, operation.bytes, origin.owner.bytes, origin.nonce.bytes))
  }
}

extension EpochID {
  /// Checked when a key is handed on, so that a wrong key is not taken for it.
  public init(operation: OperationID, key: [UInt8]) {
    self.init(raw: Blake2b.hash128(Tag.epoch, operation.bytes, key))
  }
}

extension InviteID {
  /// Tells which invite is meant without giving it away.
  public init(secret: [UInt8]) { self.init(raw: Blake2b.hash128(Tag.invite, secret)) }
}

extension RecordTopic {
  /// One topic a kind for each certificate: a device has one position.
  public init(operation: OperationID, certificate: CertificateHash, kind: RecordKind) {
    self.init(
      raw: Blake2b.hash128(Tag.topic, operation.bytes, certificate.bytes, [kind.rawValue]))
  }

  /// One topic a log for each command device's receipts.
  public init(operation: OperationID, certificate: CertificateHash, receiptFor log: LogID) {
    self.init(
      raw: Blake2b.hash128(
        Tag.topic, operation.bytes, certificate.bytes, [RecordKind.receipt.rawValue], log.bytes))
  }
}

extension RecordTopic {
  /// One topic for each tracker that a device listens to.
  public init(operation: OperationID, certificate: CertificateHash, tracker nonce: Bytes16) {
    self.init(
      raw: Blake2b.hash128(
        Tag.topic, operation.bytes, certificate.bytes, [RecordKind.trackerPosition.rawValue],
        nonce.bytes))
  }
}

extension Bytes16 {
  /// What the row of a tracker is named by: drawn from what it is called at the device that listens
  /// to it, so that it has one row whatever happens to that device's memory.
  public init(trackerNamed name: String, operation: OperationID, device: DeviceID) {
    self = Blake2b.hash128(Tag.tracker, operation.bytes, device.bytes, Array(name.utf8))
  }
}

extension RowID {
  /// The row of those who have taken notice of an alert, on whatever node it is raised.
  public init(operation: OperationID, alert: AlertID) {
    self.init(
      raw: Blake2b.hash128(
        Tag.alert, operation.bytes, [alert.kind.rawValue], alert.row.bytes))
  }
}

extension DeviceID {
  /// A tracker has no key; as the subject of a crossing it is named by its row.
  public init(tracker row: RowID) { self.init(raw: row.raw) }
}

extension CrossingID {
  /// The same crossing, written or received twice, is one. The incarnation is that of the log that
  /// it is written in.
  public init(operation: OperationID, incarnation: Incarnation, crossing: Crossing) {
    var writer = ByteWriter()
    writer.append(crossing.subject)
    writer.append(incarnation)
    writer.append(crossing.fence)
    writer.append(crossing.fenceVersion)
    writer.append(crossing.transition)
    self.init(raw: Blake2b.hash128(Tag.crossing, operation.bytes, writer.bytes))
  }
}

extension FenceVersion {
  /// Names the shown geometry and the shown active flag by their dots; a dot is absent where
  /// nothing was ever written.
  public init(geometry: Dot?, active: Dot?) {
    var writer = ByteWriter()
    for dot in [geometry, active] {
      writer.append(UInt8(dot == nil ? 0 : 1))
      if let dot { writer.append(dot) }
    }
    self.init(raw: Blake2b.hash128(Tag.fenceVersion, writer.bytes))
  }
}

enum Tag {
  static let operation = Array("muster operation 1".utf8)
  static let user = Array("muster user 1".utf8)
  static let device = Array("muster device 1".utf8)
  static let certificate = Array("muster certificate 1".utf8)
  static let council = Array("muster council 1".utf8)
  static let endorsement = Array("muster endorsement 1".utf8)
  static let vote = Array("muster vote 1".utf8)
  static let voted = Array("muster voted 1".utf8)
  static let log = Array("muster log 1".utf8)
  static let frame = Array("muster frame 1".utf8)
  static let row = Array("muster row 1".utf8)
  static let epoch = Array("muster epoch 1".utf8)
  static let invite = Array("muster invite 1".utf8)
  static let topic = Array("muster topic 1".utf8)
  static let strand = Array("muster strand 1".utf8)
  static let record = Array("muster record 1".utf8)
  static let crossing = Array("muster crossing 1".utf8)
  static let fenceVersion = Array("muster fence version 1".utf8)
  static let tracker = Array("muster tracker 1".utf8)
  static let alert = Array("muster alert 1".utf8)
  static let boot = Array("muster boot 1".utf8)
  static let announce = Array("muster announce 2".utf8)
  /// Of programs that state no rules version.
  static let unversionedAnnounce = Array("muster announce 1".utf8)
  static let join = Array("muster join 1".utf8)
  /// Of a join request that states its rules version.
  static let versionedJoin = Array("muster join 2".utf8)
  static let session = Array("muster session 1".utf8)
  static let grantFile = Array("muster grant 1".utf8)
  static let bundle = Array("muster bundle 2".utf8)
  static let evidence = Array("muster evidence 1".utf8)
}
