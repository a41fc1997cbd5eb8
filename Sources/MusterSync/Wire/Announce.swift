internal import MusterCrypto
internal import MusterModel

/// The beacon of a node, by multicast or unicast: its set roots and its new heads.
///
/// The device signs it, then seals it under the network key. An outsider sees the rules version and
/// random bytes, so it cannot track a laptop by them. Relays and devices with other epochs can read
/// it. A *push* is an announce that carries fresh frames or records instead of roots.
package struct Announce: Hashable, Sendable {
  /// The first eight bytes of the hash of the sender's certificate. The signature proves that the
  /// sender holds the key of the certificate that they identify.
  let certificate: UInt64
  /// The first eight bytes of the incarnation.
  let incarnation: UInt64
  /// Increases with every announce of the incarnation, across restarts.
  var counter: UInt64
  var roots: Roots?
  var heads: [LeafHint] = []
  var record: LatestRecord?
  var runs: [Run] = []
  var records: [LatestRecord] = []
  /// Tags, for the topic of the first record, of devices to which receivers need not relay the
  /// data.
  var covered: Set<DeviceTag> = []
  /// Frames that the sender is missing and has no session to request on.
  var wants: [Want] = []
  /// Whether what it carries was asked for. Who else is missing it asks too, so that no receiver
  /// relays it.
  var isAnswer = false
  /// The sender's certificate chain, leaf first, while a receiver may not know it.
  var chain: [SignedCertificate] = []

  /// Returns the datagram: kind, the sender's rules version, and the announce sealed with both.
  func datagram(
    rules: RulesVersion, operation: OperationID, networkKey: SealingKey, nonce: Nonce24,
    signedBy signer: SigningKey
  ) -> [UInt8] {
    let seal = Seal(rules)
    var wire = WireAnnounce()
    wire.certificate = .init(encodedWords([certificate]))
    wire.incarnation = .init(encodedWords([incarnation]))
    wire.counter = counter
    if let roots { wire.roots = .init(roots.bytes) }
    wire.heads = .init(LeafHint.encoded(heads))
    if let record { wire.position = record.wire }
    wire.runs = runs.map(\.wire)
    wire.records = LatestRecord.wires(records)
    wire.covered = .init(DeviceTag.encoded(covered))
    wire.wants = wants.map(\.wire)
    wire.answers = isAnswer
    wire.chain = chain.map(\.wire)
    var signed = WireSignedAnnounce()
    signed.content = .init(wire.bytes)
    signed.signature = .init(signer.sign(seal.signedBytes(Array(signed.content))).bytes)
    return seal.prefix
      + networkKey.sealBody(
        signed.bytes, drawn: nonce, additionalData: seal.additionalData(operation))
  }

  /// The bytes that depend on the sender's rules version. The version is in the clear, so that one
  /// decryption attempt suffices. It is also part of the additional data and of the signed bytes,
  /// so an attacker on the path cannot change it.
  private struct Seal {
    let rules: RulesVersion

    init(_ rules: RulesVersion) { self.rules = rules }

    /// Returns nil for bytes that are not an announce.
    init?(beginning bytes: ArraySlice<UInt8>) {
      switch bytes.first.flatMap(DatagramKind.init) {
      case .unversionedAnnounce: rules = .unstated
      case .announce:
        guard let rules = bytes.dropFirst().first.flatMap(RulesVersion.init), rules.isStated else {
          return nil
        }
        self.rules = rules
      default: return nil
      }
    }

    var prefix: [UInt8] {
      rules.isStated
        ? [DatagramKind.announce.rawValue, rules.raw] : [DatagramKind.unversionedAnnounce.rawValue]
    }

    func additionalData(_ operation: OperationID) -> [UInt8] {
      rules.isStated
        ? Tag.announce + operation.bytes + [rules.raw] : Tag.unversionedAnnounce + operation.bytes
    }

    func signedBytes(_ content: [UInt8]) -> [UInt8] {
      rules.isStated ? Tag.announce + [rules.raw] + content : Tag.unversionedAnnounce + content
    }
  }

  /// An announce that has been opened and parsed. The caller verifies the signature, because only
  /// it knows the sender's key.
  package struct Unverified: Sendable {
    let announce: Announce
    /// The sender's rules version, authenticated by the seal.
    let rules: RulesVersion
    private let content: [UInt8]
    private let signature: Signature

    /// Opens a datagram. Returns nil if it is not sealed under this network key: it belongs to
    /// another operation, or it is noise.
    ///
    /// - Parameter own: the own rules version. Of an announce with another version, only the fields
    ///   that identify the sender are read.
    init?(
      opening datagram: ArraySlice<UInt8>, rules own: RulesVersion, operation: OperationID,
      networkKey: SealingKey
    ) throws(WireError) {
      guard let seal = Seal(beginning: datagram),
        let plaintext = networkKey.openBody(
          datagram.dropFirst(seal.prefix.count), additionalData: seal.additionalData(operation))
      else { return nil }
      rules = seal.rules
      let signed = try WireSignedAnnounce(parsing: plaintext)
      content = Array(signed.content)
      guard let signature = Signature(bytes: signed.signature) else {
        throw .malformed("announce signature")
      }
      self.signature = signature
      let wire = try WireAnnounce(parsing: content)
      guard wire.certificate.count == 8, wire.incarnation.count == 8 else {
        throw .malformed("announce")
      }
      let names = eightByteWords(Array(wire.certificate + wire.incarnation))
      var announce = Announce(
        certificate: names[0], incarnation: names[1], counter: wire.counter)
      guard wire.chain.count <= Limits.certificateChain else { throw .overLimit("chain") }
      for certificate in wire.chain { announce.chain.append(try SignedCertificate(certificate)) }
      if rules == own { try announce.read(wire, operation: operation) }
      self.announce = announce
    }

    func isSigned(by key: VerifyingKey, sharing cache: (any VerificationCache)?) -> Bool {
      key.isValid(signature, for: Seal(rules).signedBytes(content), sharing: cache)
    }
  }

  /// Reads the fields that are valid only if the sender has the same rules version.
  private mutating func read(
    _ wire: WireAnnounce, operation: OperationID
  ) throws(WireError) {
    if !wire.roots.isEmpty { roots = try Roots(Array(wire.roots)) }
    heads = try LeafHint.decode(Array(wire.heads))
    if wire.hasPosition { record = try LatestRecord(wire.position, operation: operation) }
    for run in wire.runs { runs.append(try Run(run)) }
    records = try LatestRecord.decode(wire.records, operation: operation)
    covered = try DeviceTag.decode(Array(wire.covered))
    isAnswer = wire.answers
    for want in wire.wants.prefix(RequestsToAll.perAnnounce) { wants.append(try Want(want)) }
  }
}
