internal import MusterCrypto
internal import MusterModel

/// The small datagram that says "I am here, these are my roots, these heads are new".
///
/// Signed by its device, then sealed under the network key with a random nonce: an outsider sees
/// random bytes and cannot follow a laptop by them, while relays and devices with other epochs
/// can read it. A *push* is an announce that carries fresh frames or records instead of roots.
struct Announce: Hashable, Sendable {
  /// The first eight bytes of the sender's certificate's hash: the signature tells whether it is
  /// the one that is known by them.
  var certificate: UInt64
  /// The first eight bytes.
  var incarnation: UInt64
  /// Greater in every later announce of the incarnation, over restarts too.
  var counter: UInt64
  var roots: Roots?
  var heads: [LeafHint] = []
  var position: LatestRecord?
  var runs: [Run] = []
  var records: [LatestRecord] = []
  /// Who need not be passed the runs and records on to, besides those who hear the announce.
  var covered: Set<DeviceTag> = []
  /// The sender's certificates, leaf first, while somebody may not know them.
  var chain: [SignedCertificate] = []

  func sealed(
    operation: OperationID, networkKey: SealingKey, nonce: Nonce24, signedBy signer: SigningKey
  ) -> [UInt8] {
    var wire = WireAnnounce()
    wire.certificate = .init(encodedWords([certificate]))
    wire.incarnation = .init(encodedWords([incarnation]))
    wire.counter = counter
    if let roots { wire.roots = .init(roots.bytes) }
    wire.heads = .init(LeafHint.encoded(heads))
    if let position { wire.position = position.wire }
    wire.runs = runs.map(\.wire)
    wire.records = LatestRecord.wires(records)
    wire.covered = .init(DeviceTag.encoded(covered))
    wire.chain = chain.map(\.wire)
    var signed = WireSignedAnnounce()
    signed.content = .init(wire.bytes)
    signed.signature = .init(signer.sign(Tag.announce + Array(signed.content)).bytes)
    return networkKey.sealBody(
      signed.bytes, nonce: nonce, additionalData: Tag.announce + operation.bytes)
  }

  /// An announce that has been unsealed and parsed; whoever knows the device checks the signature.
  struct Unverified: Sendable {
    let announce: Announce
    private let content: [UInt8]
    private let signature: Signature

    /// Nil when it is not sealed under this network key: a stranger's, or noise.
    init?(
      opening bytes: ArraySlice<UInt8>, operation: OperationID, networkKey: SealingKey
    ) throws(WireError) {
      let additionalData = Tag.announce + operation.bytes
      guard let plaintext = networkKey.openBody(bytes, additionalData: additionalData) else {
        return nil
      }
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
      if !wire.roots.isEmpty { announce.roots = try Roots(Array(wire.roots)) }
      announce.heads = try LeafHint.decode(Array(wire.heads))
      if wire.hasPosition {
        announce.position = try LatestRecord(wire.position, operation: operation)
      }
      for run in wire.runs { announce.runs.append(try Run(run)) }
      announce.records = try LatestRecord.decode(wire.records, operation: operation)
      announce.covered = try DeviceTag.decode(Array(wire.covered))
      guard wire.chain.count <= Limits.certificateChain else { throw .overLimit("chain") }
      for certificate in wire.chain { announce.chain.append(try SignedCertificate(certificate)) }
      self.announce = announce
    }

    func isSigned(by key: VerifyingKey, sharing findings: SharedFindings?) -> Bool {
      key.isValid(signature, for: Tag.announce + content, sharing: findings)
    }
  }
}
