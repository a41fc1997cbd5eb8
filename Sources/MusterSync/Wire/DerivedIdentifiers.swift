public import MusterCrypto
public import MusterModel

/// Identifiers that are hashes: `BLAKE2b(tag ‖ fields)`. Each kind has its own tag, so that no two
/// kinds can be confused. docs/wire.md §1 lists them.

extension OperationID {
  /// Derives the id from the root key. A node that knows the id can verify a root key that it
  /// receives.
  public init(rootKey: VerifyingKey) {
    self.init(raw: Blake2b.hash128(Tag.operation, rootKey.raw.bytes))
  }
}

extension UserID {
  /// Derives the id of a user from the key of the first device that was enrolled for them.
  public init(operation: OperationID, firstDeviceKey: VerifyingKey) {
    self.init(raw: Blake2b.hash128(Tag.user, operation.bytes, firstDeviceKey.raw.bytes))
  }

  /// Derives the id of a person on the roster from their name, so that two commanders who add the
  /// same file add the same people. No receiver verifies it.
  public init(operation: OperationID, rosterName: String) {
    self.init(raw: Blake2b.hash128(Tag.rosterPerson, operation.bytes, Array(rosterName.utf8)))
  }
}

extension DeviceID {
  /// Derives the id of a device. The same key in two operations yields two devices.
  public init(operation: OperationID, key: VerifyingKey) {
    self.init(raw: Blake2b.hash128(Tag.device, operation.bytes, key.raw.bytes))
  }
}

extension LogID {
  /// Derives the id from all fields of the opening. A different opening yields a different log, so
  /// no author can sign two openings of one log.
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
  /// Derives the name of a strand of a forked log from its first frame, so that all nodes use the
  /// same name whichever branch they received first.
  public init(strandOf log: LogID, beginningWith hash: FrameHash) {
    self.init(raw: Blake2b.hash128(Tag.strand, log.bytes, hash.bytes))
  }
}

extension PhotoID {
  /// Derives the name of a photo of a report from the element that adds it.
  public init(author: UserID, dot: Dot) {
    var writer = ByteWriter()
    writer.append(author)
    writer.append(dot.frame)
    writer.append(dot.index)
    self.init(raw: Blake2b.hash128(Tag.photo, writer.bytes))
  }
}

extension EvidenceID {
  /// - Parameter identity: the statement that the item proves, in the encoding of its kind.
  init(operation: OperationID, kind: EvidenceKind, identity: [UInt8]) {
    self.init(
      raw: Blake2b.hash256(Tag.evidence, operation.bytes, [kind.rawValue], identity))
  }
}

extension RowID {
  /// Derives the id of a row from its origin. Receivers verify it on every write with an origin, so
  /// that no user can create a row that another user owns.
  public init(operation: OperationID, origin: RowOrigin) {
    // In one piece: this is a large part of what reading a row's first write costs.
    var writer = ByteWriter(reservingCapacity: 64)
    writer.append(fixed: Tag.row)
    writer.append(operation)
    writer.append(origin.owner)
    writer.append(origin.nonce)
    self.init(raw: writer.bytes.withUnsafeBytes { Blake2b.hash128($0) })
  }
}

extension RowOrigin {
  /// Derives the origin of a record, which is the same on every device of its user.
  public init(record: RecordName, of owner: UserID) {
    var writer = ByteWriter()
    writer.append(record.dataset)
    writer.append(record.key)
    self.init(owner: owner, nonce: Blake2b.hash128(Tag.recordName, writer.bytes))
  }
}

extension RowOrigin {
  /// Derives the origin of an unverified call from the credential that was used at a device, so
  /// that a repeated call has the same row.
  ///
  /// - Parameters:
  ///   - owner: the user of the device.
  ///   - credential: empty for the row of calls beyond the bound.
  public init(
    unverifiedCallBy credential: String, at device: DeviceID, of owner: UserID,
    operation: OperationID
  ) {
    self.init(
      owner: owner,
      nonce: Blake2b.hash128(
        Tag.unverifiedCall, operation.bytes, device.bytes, Array(credential.utf8)))
  }
}

extension EpochID {
  /// Derives the id of an epoch from its key. Receivers of a key verify it, so that a wrong key is
  /// rejected.
  public init(operation: OperationID, key: [UInt8]) {
    self.init(raw: Blake2b.hash128(Tag.epoch, operation.bytes, key))
  }
}

extension InviteID {
  /// Derives the id of an invite, which identifies it without revealing the secret.
  public init(secret: [UInt8]) { self.init(raw: Blake2b.hash128(Tag.invite, secret)) }
}

extension RecordTopic {
  /// Derives the topic of a record of which each certificate has one per kind, such as a position.
  public init(operation: OperationID, certificate: CertificateHash, kind: RecordKind) {
    self.init(
      raw: Blake2b.hash128(Tag.topic, operation.bytes, certificate.bytes, [kind.rawValue]))
  }

  /// Derives the topic of a command device's receipt for one log.
  public init(operation: OperationID, certificate: CertificateHash, receiptFor log: LogID) {
    self.init(
      raw: Blake2b.hash128(
        Tag.topic, operation.bytes, certificate.bytes, [RecordKind.receipt.rawValue], log.bytes))
  }
}

extension RecordTopic {
  /// Derives the topic of a command device's receipt for the blobs of one log.
  public init(operation: OperationID, certificate: CertificateHash, blobReceiptFor log: LogID) {
    self.init(
      raw: Blake2b.hash128(
        Tag.topic, operation.bytes, certificate.bytes, [RecordKind.blobReceipt.rawValue],
        log.bytes))
  }

  /// Derives the topic of the position of a tracker that a device records.
  public init(operation: OperationID, certificate: CertificateHash, tracker nonce: Bytes16) {
    self.init(
      raw: Blake2b.hash128(
        Tag.topic, operation.bytes, certificate.bytes, [RecordKind.trackerPosition.rawValue],
        nonce.bytes))
  }
}

extension Bytes16 {
  /// Derives the nonce of a tracker's row from the tracker's name at the device that records it.
  /// The tracker keeps its row if that device loses its database.
  public init(trackerNamed name: String, operation: OperationID, device: DeviceID) {
    self = Blake2b.hash128(Tag.tracker, operation.bytes, device.bytes, Array(name.utf8))
  }
}

extension RowID {
  /// Derives the row of an alert's acknowledgements, which is the same on every node.
  public init(operation: OperationID, alert: AlertID) {
    self.init(
      raw: Blake2b.hash128(
        Tag.alert, operation.bytes, [alert.kind.rawValue], alert.row.bytes))
  }
}

extension DeviceID {
  /// Represents a tracker by its row, as the subject of a crossing. Trackers have no keys.
  public init(tracker row: RowID) { self.init(raw: row.raw) }
}

extension CrossingID {
  /// Derives the id of a crossing, so that a crossing that is written or received twice counts
  /// once.
  ///
  /// - Parameter incarnation: that of the log that contains the crossing.
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
  /// Derives the version from the dots of the shown geometry and of the shown active flag. A dot is
  /// nil if no value is live.
  public init(geometry: Dot?, active: Dot?) {
    var writer = ByteWriter()
    for dot in [geometry, active] {
      writer.append(UInt8(dot == nil ? 0 : 1))
      if let dot { writer.append(dot) }
    }
    self.init(raw: Blake2b.hash128(Tag.fenceVersion, writer.bytes))
  }
}

extension ConfirmedContent {
  /// Derives what a confirmation of a report states: two hashes of what the report shows, one
  /// without its description and one of its description.
  public init(of content: ReportContent, operation: OperationID, row: RowID) {
    var writer = ByteWriter()
    writer.append(content.title)
    writer.append(content.category.rawValue)
    writer.append(content.severity ?? 0)
    writer.append(UInt8(content.position == nil ? 0 : 1))
    content.position?.append(to: &writer)
    writer.append(UInt8(content.toEvacuate ? 1 : 0))
    self.init(
      shown: Blake2b.hash128(Tag.reportShown, operation.bytes, row.bytes, writer.bytes),
      details: Blake2b.hash128(
        Tag.reportDescription, operation.bytes, row.bytes, Array(content.details.utf8)))
  }
}

enum Tag {
  static let operation = Array("muster operation 1".utf8)
  static let user = Array("muster user 1".utf8)
  static let rosterPerson = Array("muster roster person 1".utf8)
  static let device = Array("muster device 1".utf8)
  static let certificate = Array("muster certificate 1".utf8)
  static let council = Array("muster council 1".utf8)
  static let endorsement = Array("muster endorsement 1".utf8)
  static let vote = Array("muster vote 1".utf8)
  static let voted = Array("muster voted 1".utf8)
  static let log = Array("muster log 1".utf8)
  static let frame = Array("muster frame 1".utf8)
  static let row = Array("muster row 1".utf8)
  static let recordName = Array("muster record name 1".utf8)
  static let epoch = Array("muster epoch 1".utf8)
  static let invite = Array("muster invite 1".utf8)
  static let topic = Array("muster topic 1".utf8)
  static let photo = Array("muster photo 1".utf8)
  static let strand = Array("muster strand 1".utf8)
  static let record = Array("muster record 1".utf8)
  static let crossing = Array("muster crossing 1".utf8)
  static let fenceVersion = Array("muster fence version 1".utf8)
  static let tracker = Array("muster tracker 1".utf8)
  static let unverifiedCall = Array("muster unverified call 1".utf8)
  static let alert = Array("muster alert 1".utf8)
  static let reportShown = Array("muster report shown 1".utf8)
  static let reportDescription = Array("muster report description 1".utf8)
  static let boot = Array("muster boot 1".utf8)
  static let announce = Array("muster announce 2".utf8)
  /// The tag of programs that state no rules version.
  static let unversionedAnnounce = Array("muster announce 1".utf8)
  static let join = Array("muster join 1".utf8)
  /// The tag of join requests that state a rules version.
  static let versionedJoin = Array("muster join 2".utf8)
  static let session = Array("muster session 1".utf8)
  static let bundle = Array("muster bundle 2".utf8)
  static let evidence = Array("muster evidence 1".utf8)
}
