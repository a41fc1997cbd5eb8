public import MusterCrypto
public import MusterModel

extension IncarnationName {
  /// The encoded size: generation (4) and incarnation (16).
  static let byteCount = 20

  /// The incarnation that issued a record order.
  public init(_ order: RecordOrder) {
    self.init(generation: order.generation, incarnation: order.incarnation)
  }

  func append(to writer: inout ByteWriter) {
    writer.append(generation)
    writer.append(incarnation)
  }

  init(from reader: inout ByteReader) throws(DecodingFault) {
    let generation = try reader.integer(UInt32.self)
    guard (1...Limits.lastGeneration).contains(generation) else { throw .invalid("generation") }
    self.init(generation: generation, incarnation: try reader.identifier(Incarnation.self))
  }

  /// Returns the body of a record that names incarnations: their concatenation.
  static func encoded(_ incarnations: [IncarnationName]) -> [UInt8] {
    precondition(incarnations.count <= Limits.namedIncarnations, "\(incarnations.count) lives")
    var writer = ByteWriter()
    for incarnationName in incarnations { incarnationName.append(to: &writer) }
    return writer.bytes
  }

  static func decode(_ bytes: [UInt8]) throws(WireError) -> [IncarnationName] {
    guard bytes.count <= Limits.namedIncarnations * byteCount else { throw .malformed("lives") }
    do {
      var reader = ByteReader(bytes)
      var incarnations: [IncarnationName] = []
      while reader.remaining > 0 { incarnations.append(try IncarnationName(from: &reader)) }
      return incarnations
    } catch {
      throw .malformed("lives")
    }
  }
}

extension CloneReport {
  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    other.append(to: &writer)
    writer.append(noticedAt.milliseconds)
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(WireError) {
    do {
      var reader = ByteReader(bytes)
      let other = try IncarnationName(from: &reader)
      let moment = Timestamp(milliseconds: try reader.integer(Int64.self))
      try reader.expectEnd()
      self.init(other: other, noticedAt: moment)
    } catch {
      throw .malformed("clone")
    }
  }
}

extension RecordKind {
  /// Whether records of this kind name incarnations of their author's device. They are also sent to
  /// that device, so that each of its live clones receives them.
  var isAboutIncarnations: Bool { self == .otherIncarnations || self == .clone }
}

extension LatestRecord {
  /// Signs the other incarnations of the device that this one knows. `order` MUST be greater than
  /// every order that this incarnation has used.
  public static func otherIncarnations(
    _ incarnations: [IncarnationName], operation: OperationID, certificate: CertificateHash,
    order: RecordOrder,
    signedBy signer: SigningKey
  ) -> LatestRecord {
    inTheClear(
      .otherIncarnations, IncarnationName.encoded(incarnations), operation: operation,
      certificate: certificate,
      order: order, signedBy: signer)
  }

  /// Signs that another incarnation of the device is in use at the same time. `order` MUST be
  /// greater than every order that this incarnation has used.
  public static func clone(
    _ report: CloneReport, operation: OperationID, certificate: CertificateHash,
    order: RecordOrder, signedBy signer: SigningKey
  ) -> LatestRecord {
    inTheClear(
      .clone, report.encoded(), operation: operation, certificate: certificate, order: order,
      signedBy: signer)
  }

  private static func inTheClear(
    _ kind: RecordKind, _ body: [UInt8], operation: OperationID, certificate: CertificateHash,
    order: RecordOrder, signedBy signer: SigningKey
  ) -> LatestRecord {
    LatestRecord(
      topic: RecordTopic(operation: operation, certificate: certificate, kind: kind), kind: kind,
      certificate: certificate, order: order, epoch: .none, body: body, signature: []
    ).signed(by: signer, operation: operation)
  }

  /// The other incarnations of the author's device that the record names; empty for other kinds.
  public var otherIncarnations: [IncarnationName] {
    if let clone { return [clone.other] }
    guard kind == .otherIncarnations else { return [] }
    do {
      return try IncarnationName.decode(body)
    } catch {
      return []
    }
  }

  /// The report in the body; nil for other kinds.
  public var clone: CloneReport? {
    guard kind == .clone else { return nil }
    do {
      return try CloneReport(decoding: body)
    } catch {
      return nil
    }
  }
}
