public import MusterCrypto
public import MusterModel

/// What a joiner asks to be certified: its keys, with proof that it holds the signing one.
public struct JoinRequest: Hashable, Sendable {
  /// What the new device will sign its logs with.
  public let signingKey: VerifyingKey
  /// What the new device's handshakes will prove.
  public let agreementKey: AgreementPublicKey
  /// By which the new device would derive its state: none is certified that differ.
  public let rules: RulesVersion
  /// Ed25519 by `signingKey` over tag, rules version, agreement key and binding.
  public let signature: Signature

  /// - Parameters:
  ///   - rules: those of the program that makes it.
  ///   - binding: what ties the request to one invite or to one file, so that it cannot be replayed
  ///     elsewhere.
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

  /// Whether whoever made it held the signing key, and made it for this session or this file.
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

  /// Why a device with other rules is not certified, for the person who joins; nil where the rules
  /// are the same.
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

/// Everything that a new device needs to take part.
public struct JoinGrant: Hashable, Sendable {
  /// The joiner MUST compare it with the one in its invite.
  public let rootKey: VerifyingKey
  /// One line, for people.
  public let operationName: String
  /// The new device's certificate and those up to the root, leaf first.
  public let chain: [SignedCertificate]
  /// 32 bytes: opens announces, and is the pre-shared key of sessions.
  public let networkKey: [UInt8]
  /// The one that is sealed under now, and the joiner asks for those before it; none for a relay.
  public let epochKeys: [EpochKey]

  /// `chain` MUST be that of the device it is sent to: the joiner refuses any other.
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

  /// Protocol Buffers, in the clear: it leaves a device only within a session or sealed in a file.
  public func encoded() -> [UInt8] { wire.bytes }

  /// Checks form and bounds; whether the chain holds is for the joiner to check.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    try self.init(WireJoinGrant(parsing: bytes))
  }
}

/// What the inviting device says to a join request.
public enum JoinAnswer: Hashable, Sendable {
  case granted(JoinGrant)
  /// Why not, for the person who asked.
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
