public import MusterCrypto
public import MusterModel

/// The encoding of a latest-only record. The signature is over BLAKE2b-256(tag ‖ operation ‖ kind ‖
/// certificate ‖ generation ‖ incarnation ‖ counter ‖ epoch ‖ BLAKE2b-256(body)). The body is
/// sealed with the same bytes, without the hash of the body, as additional data. The topic is not
/// sent: it follows from the certificate, the kind and the start of the body.
extension LatestRecord {
  static func additionalData(
    operation: OperationID, kind: RecordKind, certificate: CertificateHash, order: RecordOrder,
    epoch: EpochID
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(fixed: Tag.record)
    writer.append(operation)
    writer.append(kind.rawValue)
    writer.append(certificate)
    writer.append(order)
    writer.append(epoch)
    return writer.bytes
  }

  func additionalData(operation: OperationID) -> [UInt8] {
    Self.additionalData(
      operation: operation, kind: kind, certificate: certificate, order: order, epoch: epoch)
  }

  func signedHash(operation: OperationID) -> Bytes32 {
    Self.signedHash(additionalData(operation: operation), bodyHash: Blake2b.hash256(body))
  }

  static func signedHash(_ additionalData: [UInt8], bodyHash: Bytes32) -> Bytes32 {
    Blake2b.hash256(additionalData, bodyHash.bytes)
  }

  private func signedBytes(operation: OperationID) -> [UInt8] {
    signedHash(operation: operation).bytes
  }

  /// Returns the record with a signature. `signer` MUST be the key of its certificate.
  func signed(by signer: SigningKey, operation: OperationID) -> LatestRecord {
    var record = self
    record.signature = signer.sign(signedBytes(operation: operation)).bytes
    return record
  }

  /// Returns whether the signature is valid under this key and operation. The caller MUST pass the
  /// key of the record's certificate.
  public func isSigned(by key: VerifyingKey, operation: OperationID) -> Bool {
    isSigned(by: key, operation: operation, sharing: nil)
  }

  /// Returns the same result, from the shared cache if it is there.
  package func isSigned(
    by key: VerifyingKey, operation: OperationID, sharing cache: (any VerificationCache)?
  ) -> Bool {
    guard let parsed = Signature(bytes: signature) else { return false }
    return key.isValid(parsed, for: signedBytes(operation: operation), sharing: cache)
  }

  /// Seals and signs a position of this device, or of the tracker whose row has that nonce. `nonce`
  /// MUST be fresh, and `order` greater than every order that this incarnation has used.
  ///
  /// - Parameters:
  ///   - fixOrder: the order of the record that published the fix first; nil for a new fix.
  ///   - earlier: fixes of earlier records that this one does not supersede.
  public static func position(
    _ report: PositionReport, firstIn fixOrder: RecordOrder? = nil,
    after earlier: [EarlierFix] = [], of tracker: Bytes16? = nil,
    telemetry: Telemetry = .none, stamp: RecordStamp?, operation: OperationID,
    certificate: CertificateHash, order: RecordOrder, epoch: EpochID, key: SealingKey,
    nonce: Nonce24, signedBy signer: SigningKey
  ) -> LatestRecord {
    var content = WirePositionBody()
    content.fix = report.fix.wire
    content.reportedAt = report.reportedAt.milliseconds
    content.state(report.age)
    if let fixOrder, fixOrder < order { content.first = fixOrder.wire(before: order) }
    if let stamp { content.stamp = stamp.wire }
    content.earlier = earlier.map { $0.wire(before: order) }
    content.batteryPercentPlusOne = telemetry.batteryPercent.map { UInt32($0) + 1 } ?? 0
    content.stillSecondsPlusOne = telemetry.stillSeconds.map { $0 + 1 } ?? 0
    return sealed(
      content, of: tracker, operation: operation, certificate: certificate, order: order,
      epoch: epoch, key: key, nonce: nonce, signedBy: signer)
  }

  /// Seals and signs a contact with a tracker that has reported no position yet: a position record
  /// without a fix. The requirements for `nonce` and `order` are those of a position.
  public static func contact(
    ofTracker tracker: Bytes16, at time: Timestamp, batteryPercent: UInt8? = nil,
    stamp: RecordStamp, operation: OperationID, certificate: CertificateHash, order: RecordOrder,
    epoch: EpochID, key: SealingKey, nonce: Nonce24, signedBy signer: SigningKey
  ) -> LatestRecord {
    var content = WirePositionBody()
    content.reportedAt = time.milliseconds
    content.stamp = stamp.wire
    content.batteryPercentPlusOne = batteryPercent.map { UInt32($0) + 1 } ?? 0
    return sealed(
      content, of: tracker, operation: operation, certificate: certificate, order: order,
      epoch: epoch, key: key, nonce: nonce, signedBy: signer)
  }

  private static func sealed(
    _ content: WirePositionBody, of tracker: Bytes16?, operation: OperationID,
    certificate: CertificateHash, order: RecordOrder, epoch: EpochID, key: SealingKey,
    nonce: Nonce24, signedBy signer: SigningKey
  ) -> LatestRecord {
    let kind: RecordKind = tracker == nil ? .position : .trackerPosition
    let body = key.sealBody(
      content.bytes, drawn: nonce,
      additionalData: additionalData(
        operation: operation, kind: kind, certificate: certificate, order: order, epoch: epoch))
    let topic =
      tracker.map {
        RecordTopic(operation: operation, certificate: certificate, tracker: $0)
      } ?? RecordTopic(operation: operation, certificate: certificate, kind: .position)
    return LatestRecord(
      topic: topic, kind: kind, certificate: certificate, order: order, epoch: epoch,
      body: (tracker?.bytes ?? []) + body, signature: []
    ).signed(by: signer, operation: operation)
  }

  /// The nonce of the tracker's row in a tracker's position; nil for other kinds.
  public var tracker: Bytes16? {
    kind == .trackerPosition ? Bytes16(body.prefix(16)) : nil
  }

  /// Decrypts the position, with its earlier fixes and its stamp as far as these are well-formed.
  /// Returns nil if the key is another epoch's or the content is malformed.
  public func position(
    operation: OperationID, key: SealingKey
  ) -> (
    report: PositionReport, fixOrder: RecordOrder, earlier: [EarlierFix], stamp: RecordStamp?
  )? {
    guard let content = positionBody(operation: operation, key: key) else { return nil }
    return Fix(content.fix).map {
      (
        PositionReport(
          fix: $0, reportedAt: Timestamp(milliseconds: content.reportedAt), age: content.age),
        content.hasFirst ? RecordOrder(content.first, before: order) ?? order : order,
        EarlierFix.list(content.earlier, before: order),
        content.hasStamp ? RecordStamp(content.stamp) : nil
      )
    }
  }

  /// Returns the stamp of a contact with a tracker that has no position; nil for other records, and
  /// if the key is another epoch's.
  public func trackerContact(operation: OperationID, key: SealingKey) -> RecordStamp? {
    guard kind == .trackerPosition,
      let content = positionBody(operation: operation, key: key), !content.hasFix,
      content.hasStamp
    else { return nil }
    return RecordStamp(content.stamp)
  }

  private func positionBody(operation: OperationID, key: SealingKey) -> WirePositionBody? {
    guard kind == .position || kind == .trackerPosition else { return nil }
    let sealed = kind == .position ? body : Array(body.dropFirst(16))
    guard let plaintext = key.openBody(sealed, additionalData: additionalData(operation: operation))
    else { return nil }
    do {
      return try WirePositionBody(parsing: plaintext)
    } catch {
      return nil
    }
  }

  /// Seals and signs a presence record: the device is in contact, but has no position to publish.
  /// The requirements for `nonce` and `order` are those of a position.
  public static func presence(
    reportedAt: Timestamp, batteryPercent: UInt8? = nil, stamp: RecordStamp,
    operation: OperationID, certificate: CertificateHash, order: RecordOrder, epoch: EpochID,
    key: SealingKey, nonce: Nonce24, signedBy signer: SigningKey
  ) -> LatestRecord {
    var content = WirePresenceBody()
    content.reportedAt = reportedAt.milliseconds
    content.stamp = stamp.wire
    content.batteryPercentPlusOne = batteryPercent.map { UInt32($0) + 1 } ?? 0
    let body = key.sealBody(
      content.bytes, drawn: nonce,
      additionalData: additionalData(
        operation: operation, kind: .presence, certificate: certificate, order: order,
        epoch: epoch))
    return LatestRecord(
      topic: RecordTopic(operation: operation, certificate: certificate, kind: .presence),
      kind: .presence, certificate: certificate, order: order, epoch: epoch, body: body,
      signature: []
    ).signed(by: signer, operation: operation)
  }

  /// When a presence record was made, by its author; nil when the key is another's or the content
  /// is not one.
  public func presence(
    operation: OperationID, key: SealingKey
  ) -> (reportedAt: Timestamp, stamp: RecordStamp?)? {
    guard kind == .presence,
      let plaintext = key.openBody(body, additionalData: additionalData(operation: operation))
    else { return nil }
    do {
      let content = try WirePresenceBody(parsing: plaintext)
      return (
        Timestamp(milliseconds: content.reportedAt),
        content.hasStamp ? RecordStamp(content.stamp) : nil
      )
    } catch {
      return nil
    }
  }

  /// Signs what a command device has stored of a log. `order` MUST be greater than every order that
  /// this incarnation has used.
  public static func receipt(
    _ receipt: Receipt, operation: OperationID, certificate: CertificateHash, order: RecordOrder,
    signedBy signer: SigningKey
  ) -> LatestRecord {
    LatestRecord(
      topic: RecordTopic(
        operation: operation, certificate: certificate, receiptFor: receipt.log),
      kind: .receipt, certificate: certificate, order: order, epoch: .none,
      body: receipt.encoded(), signature: []
    ).signed(by: signer, operation: operation)
  }

  /// Signs which blobs of a log a command device keeps. The requirement for `order` is that of a
  /// receipt.
  public static func blobReceipt(
    _ receipt: BlobReceipt, operation: OperationID, certificate: CertificateHash,
    order: RecordOrder, signedBy signer: SigningKey
  ) -> LatestRecord {
    LatestRecord(
      topic: RecordTopic(
        operation: operation, certificate: certificate, blobReceiptFor: receipt.log),
      kind: .blobReceipt, certificate: certificate, order: order, epoch: .none,
      body: receipt.encoded(), signature: []
    ).signed(by: signer, operation: operation)
  }

  /// The receipt for blobs in the body; nil for other kinds.
  public var blobReceipt: BlobReceipt? {
    guard kind == .blobReceipt else { return nil }
    do {
      return try BlobReceipt(decoding: body)
    } catch {
      return nil
    }
  }

  /// The receipt in the body; nil for other kinds.
  public var receipt: Receipt? {
    guard kind == .receipt else { return nil }
    do {
      return try Receipt(decoding: body)
    } catch {
      return nil
    }
  }

  /// Encodes a list of records. A record omits certificate, generation and incarnation if they
  /// equal those of the record before.
  static func wires(_ records: [LatestRecord]) -> [WireRecord] {
    var before: LatestRecord?
    return records.map { record in
      var wire = record.wire
      if let before, before.certificate == record.certificate,
        before.order.generation == record.order.generation,
        before.order.incarnation == record.order.incarnation
      {
        wire.certificate = .init()
        wire.generation = 0
        wire.incarnation = .init()
      }
      before = record
      return wire
    }
  }

  /// Parses a list that `wires` has encoded, and skips records of unknown kinds. Throws `malformed`
  /// if a record of a known kind has a wrong form.
  static func decode(
    _ wires: [WireRecord], operation: OperationID
  ) throws(WireError) -> [LatestRecord] {
    var (records, before) = ([LatestRecord](), WireRecord())
    for var wire in wires {
      if wire.certificate.isEmpty {
        wire.certificate = before.certificate
        wire.generation = before.generation
        wire.incarnation = before.incarnation
      }
      before = wire
      guard isKnown(wire.kind, as: RecordKind.self) else { continue }
      records.append(try LatestRecord(wire, operation: operation))
    }
    return records
  }

  var wire: WireRecord {
    var wire = WireRecord()
    wire.kind = UInt32(kind.rawValue)
    wire.certificate = .init(certificate.bytes)
    wire.generation = order.generation
    wire.incarnation = .init(order.incarnation.bytes)
    wire.counter = order.counter
    if epoch != .none { wire.epoch = .init(epoch.bytes) }
    wire.body = .init(body)
    wire.signature = .init(signature)
    return wire
  }

  init(_ wire: WireRecord, operation: OperationID) throws(WireError) {
    guard let code = UInt8(exactly: wire.kind), let kind = RecordKind(rawValue: code),
      let certificate = CertificateHash(bytes: wire.certificate),
      let incarnation = Incarnation(bytes: wire.incarnation),
      (1...Limits.lastGeneration).contains(wire.generation),
      wire.counter <= UInt64(Int64.max), wire.body.count <= Limits.frameBodyBytes,
      wire.signature.count == 64
    else { throw .malformed("record") }
    let epoch: EpochID
    let topic: RecordTopic
    switch kind {
    case .position, .presence:
      guard let named = EpochID(bytes: wire.epoch) else { throw .malformed("epoch of a record") }
      epoch = named
      topic = RecordTopic(operation: operation, certificate: certificate, kind: kind)
    case .trackerPosition:
      guard let named = EpochID(bytes: wire.epoch), let nonce = Bytes16(wire.body.prefix(16))
      else { throw .malformed("epoch or nonce of a tracker's record") }
      epoch = named
      topic = RecordTopic(operation: operation, certificate: certificate, tracker: nonce)
    case .neighbours:
      guard let named = EpochID(bytes: wire.epoch),
        NeighbourRecord.isSealedLength(wire.body.count)
      else { throw .malformed("epoch or length of neighbours") }
      epoch = named
      topic = RecordTopic(operation: operation, certificate: certificate, kind: kind)
    case .receipt:
      guard wire.epoch.isEmpty else { throw .malformed("epoch of a receipt") }
      epoch = .none
      let receipt = try Receipt(decoding: Array(wire.body))
      topic = RecordTopic(
        operation: operation, certificate: certificate, receiptFor: receipt.log)
    case .blobReceipt:
      guard wire.epoch.isEmpty else { throw .malformed("epoch of a receipt") }
      epoch = .none
      let receipt = try BlobReceipt(decoding: Array(wire.body))
      topic = RecordTopic(
        operation: operation, certificate: certificate, blobReceiptFor: receipt.log)
    case .otherIncarnations, .clone:
      guard wire.epoch.isEmpty else { throw .malformed("epoch of a record about lives") }
      epoch = .none
      if kind == .clone {
        _ = try CloneReport(decoding: Array(wire.body))
      } else {
        _ = try IncarnationName.decode(Array(wire.body))
      }
      topic = RecordTopic(operation: operation, certificate: certificate, kind: kind)
    }
    self.init(
      topic: topic, kind: kind, certificate: certificate,
      order: RecordOrder(
        generation: wire.generation, incarnation: incarnation, counter: wire.counter),
      epoch: epoch, body: Array(wire.body), signature: Array(wire.signature))
  }
}

extension WirePositionBody {
  /// The age of the fix; unknown if it is out of range.
  fileprivate var age: FixAge {
    FixAge(
      SampleAge(code: fixAgeKind, milliseconds: Int64(clamping: fixAge)),
      heldMilliseconds: Int64(clamping: held))
  }

  fileprivate mutating func state(_ age: FixAge) {
    fixAge = UInt64(age.atReceipt.leastMilliseconds ?? 0)
    fixAgeKind = age.atReceipt.code
    held = UInt64(age.heldMilliseconds)
  }
}
