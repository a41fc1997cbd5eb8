public import MusterCrypto
public import MusterModel

/// The request of a joining device for a certificate: its public keys, with proof that it holds the
/// signing key.
public struct JoinRequest: Hashable, Sendable {
  /// The key with which the new device will sign its logs.
  public let signingKey: VerifyingKey
  /// The static key of the new device's handshakes.
  public let agreementKey: AgreementPublicKey
  /// The rules version of the new device. A device with another version than the inviting one gets
  /// no certificate.
  public let rules: RulesVersion
  /// Ed25519 by `signingKey` over tag, rules version, agreement key and binding.
  public let signature: Signature

  /// Creates and signs a request.
  ///
  /// - Parameters:
  ///   - rules: the rules version of the program.
  ///   - binding: the context of the request, an invite or a file, so that it cannot be replayed in
  ///     another one.
  public init(
    signingKey: SigningKey, agreementKey: AgreementPublicKey, rules: RulesVersion,
    binding: [UInt8]
  ) {
    self.signingKey = signingKey.publicKey
    self.agreementKey = agreementKey
    self.rules = rules
    signature = signingKey.sign(
      Self.signedBytes(agreementKey: agreementKey, rules: rules, binding: binding))
  }

  /// Returns whether the requester held the signing key and made the request for this context.
  public func isSigned(binding: [UInt8]) -> Bool {
    signingKey.isValid(
      signature,
      for: Self.signedBytes(agreementKey: agreementKey, rules: rules, binding: binding))
  }

  private static func signedBytes(
    agreementKey: AgreementPublicKey, rules: RulesVersion, binding: [UInt8]
  ) -> [UInt8] {
    let tag = rules.isStated ? Tag.versionedJoin + [rules.raw] : Tag.join
    return tag + agreementKey.raw.bytes + binding
  }

  /// Returns the reason why a device with other rules gets no certificate, as a text for the user
  /// who joins. Returns nil if both versions are the same.
  public static func refusal(joiner: RulesVersion, inviter: RulesVersion) -> String? {
    switch UpdateNeed(own: joiner, peer: inviter) {
    case nil: nil
    case .thisLaptop:
      "this laptop needs an update: its muster is older than that of the laptop that invites; "
        + "update muster, then join again"
    case .peer:
      "the laptop that invites needs an update: its muster is older than this one's; update it, "
        + "then join again"
    }
  }

  var wire: WireJoinRequest {
    var wire = WireJoinRequest()
    wire.signingKey = .init(signingKey.raw.bytes)
    wire.agreementKey = .init(agreementKey.raw.bytes)
    wire.signature = .init(signature.bytes)
    wire.rules = rules.wire
    return wire
  }

  init(_ wire: WireJoinRequest) throws(WireError) {
    guard let signingKey = VerifyingKey(bytes: wire.signingKey),
      let agreementKey = AgreementPublicKey(bytes: wire.agreementKey),
      let signature = Signature(bytes: wire.signature)
    else { throw .malformed("join request") }
    self.signingKey = signingKey
    self.agreementKey = agreementKey
    self.signature = signature
    rules = try RulesVersion(wire: wire.rules)
  }
}

/// The data that a new device needs to take part in the operation.
public struct JoinGrant: Hashable, Sendable {
  /// The root key. The joiner MUST compare it with the one in its invite.
  public let rootKey: VerifyingKey
  /// The display name, one line.
  public let operationName: String
  /// The certificate chain of the new device, leaf first.
  public let chain: [SignedCertificate]
  /// 32 bytes: the key of announces, and the pre-shared key of sessions.
  public let networkKey: [UInt8]
  /// The key of the epoch under which new frames are sealed now. The joiner requests earlier ones
  /// from its peers. Empty for a relay.
  public let epochKeys: [EpochKey]

  /// Creates a grant. `chain` MUST be that of the receiving device, because the joiner rejects any
  /// other.
  public init(
    rootKey: VerifyingKey, operationName: String, chain: [SignedCertificate], networkKey: [UInt8],
    epochKeys: [EpochKey]
  ) {
    self.rootKey = rootKey
    self.operationName = operationName
    self.chain = chain
    self.networkKey = networkKey
    self.epochKeys = epochKeys
  }

  var wire: WireJoinGrant {
    var wire = WireJoinGrant()
    wire.rootKey = .init(rootKey.raw.bytes)
    wire.operation = operationName
    wire.chain = chain.map(\.wire)
    wire.networkKey = .init(networkKey)
    wire.keys = epochKeys.map(\.wire)
    return wire
  }

  init(_ wire: WireJoinGrant) throws(WireError) {
    guard let rootKey = VerifyingKey(bytes: wire.rootKey), wire.networkKey.count == 32,
      TextRule.line.accepts(wire.operation),
      (1...Limits.certificateChain).contains(wire.chain.count)
    else { throw .malformed("join grant") }
    var chain: [SignedCertificate] = []
    for certificate in wire.chain { chain.append(try SignedCertificate(certificate)) }
    var keys: [EpochKey] = []
    for key in wire.keys { keys.append(try EpochKey(key)) }
    self.init(
      rootKey: rootKey, operationName: wire.operation, chain: chain,
      networkKey: Array(wire.networkKey), epochKeys: keys)
  }

  /// Returns the grant as Protocol Buffers, in the clear. It MUST leave the device only within a
  /// session or sealed in a file.
  public func encoded() -> [UInt8] { wire.bytes }

  /// Parses a grant. Throws `WireError` for a wrong form or an exceeded limit. The caller verifies
  /// the chain.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    try self.init(WireJoinGrant(parsing: bytes))
  }
}

/// The response of the inviting device to a join request.
public enum JoinAnswer: Hashable, Sendable {
  case granted(JoinGrant)
  /// The reason, for the user who asked.
  case refused(String)

  var wire: WireJoinAnswer {
    var wire = WireJoinAnswer()
    switch self {
    case .granted(let grant): wire.grant = grant.wire
    case .refused(let reason): wire.refusal = reason
    }
    return wire
  }

  init(_ wire: WireJoinAnswer) throws(WireError) {
    if wire.hasGrant {
      self = .granted(try JoinGrant(wire.grant))
    } else {
      guard TextRule.line.accepts(wire.refusal) else { throw .malformed("join answer") }
      self = .refused(wire.refusal)
    }
  }
}
