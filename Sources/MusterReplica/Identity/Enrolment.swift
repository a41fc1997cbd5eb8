internal import MusterCrypto
public import MusterModel
internal import MusterSync

/// The joiner's side of enrolment, over the network by an invite or by file.
public struct Enrolment: Sendable {
  private let signingKey: SigningKey
  private let agreementKey: AgreementKey
  private var initiator: JoinInitiator?

  /// The next action of the caller.
  public enum Step: Sendable {
    case send([UInt8], to: Endpoint)
    case joined(Credentials, EpochKeys)
    /// The inviting device's reason for a rejection.
    case refused(String)
  }

  /// Group keys from a grant, to be kept in the store.
  public struct EpochKeys: Sendable {
    let keys: [EpochKey]
  }

  /// The contents of an invite for the user.
  public struct InvitationSummary: Hashable, Sendable {
    /// A hash of the root key, to compare with the commander's.
    public let operation: OperationID
    /// The name in the invite; not unique.
    public let operationName: String
    /// The role that the certificate will grant.
    public let role: Role
    /// By the inviting device's clock, which alone decides.
    public let expiresAt: Timestamp
    /// The addresses of the inviting device, all of which are tried.
    public let endpoints: [Endpoint]
  }

  /// Why received bytes could not be used, in one line.
  public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Includes the remedy.
    public let description: String
  }

  /// - Parameter seed: 32 bytes from the operating system, used nowhere else.
  public init(seed: [UInt8]) {
    var random = DeterministicRandom(seed: seed)
    signingKey = random.signingKey()
    agreementKey = random.agreementKey()
  }

  // MARK: Over the network

  /// Returns the contents of an invite before any device is contacted. Verifies its checksum and
  /// form, but cannot determine whether it is still valid.
  public static func summary(ofInvitation bytes: [UInt8]) throws(Fault) -> InvitationSummary {
    let invitation = try invitation(bytes)
    return InvitationSummary(
      operation: invitation.operation, operationName: invitation.operationName,
      role: invitation.role, expiresAt: invitation.expiresAt, endpoints: invitation.endpoints)
  }

  /// Starts to contact the addresses of an invite, or other addresses of the inviting device;
  /// `passDeadline` sends the first datagrams.
  public mutating func begin(
    invitation bytes: [UInt8], at places: [Endpoint]? = nil, seed: [UInt8], now: Instant
  ) throws(Fault) {
    initiator = JoinInitiator(
      invitation: try Self.invitation(bytes), at: places, signingKey: signingKey,
      agreementKey: agreementKey,
      seed: seed, now: now)
  }

  /// When `passDeadline` is to be called; nil before `begin`, and after an answer.
  public var nextDeadline: Instant? { initiator?.nextDeadline }

  /// Retransmits to addresses that have not answered; does nothing before `nextDeadline`.
  public mutating func passDeadline(now: Instant) -> [Step] {
    (initiator?.passDeadline(now: now) ?? []).compactMap(step)
  }

  /// Processes a datagram; ignores any other than the inviting device's answer.
  public mutating func receive(_ bytes: [UInt8], from endpoint: Endpoint, now: Instant) -> [Step] {
    (initiator?.receive(bytes, from: endpoint, now: now) ?? []).compactMap(step)
  }

  private func step(_ step: JoinInitiator.Step) -> Step? {
    switch step {
    case .send(let bytes, let endpoint): .send(bytes, to: endpoint)
    case .refused(let reason): .refused(reason)
    case .granted(let grant):
      credentials(from: grant).map { .joined($0, EpochKeys(keys: grant.epochKeys)) }
    }
  }

  private static func invitation(_ bytes: [UInt8]) throws(Fault) -> Invitation {
    do {
      return try Invitation(decoding: bytes)
    } catch {
      throw Fault(description: "\(error.reason): ask for a new one")
    }
  }

  // MARK: By file

  /// Returns the contents of a join request file, and of the file that this device keeps until the
  /// grant arrives, sealed if a passphrase is given.
  ///
  /// - Parameter seed: 32 bytes for the salt and the nonce, used nowhere else.
  public func request(
    callsign: String, passphrase: [UInt8]?, seed: [UInt8]
  ) throws(SecretFileFault) -> (request: [UInt8], pending: [UInt8]) {
    let request = JoinRequest(
      signingKey: signingKey, agreementKey: agreementKey.publicKey, rules: .current,
      binding: JoinRequestFile.binding(callsign: callsign))
    var pending = ByteWriter()
    pending.append(fixed: signingKey.exportSeed())
    pending.append(fixed: agreementKey.exportSecret())
    pending.append(callsign)
    return (
      JoinRequestFile(callsign: callsign, request: request).encoded(),
      try SecretFile.pendingJoin.encode(
        pending.bytes, passphrase: passphrase, cost: .interactive, seed: seed)
    )
  }

  /// Resumes a join by file after `request`.
  public static func resume(
    pending bytes: [UInt8], passphrase: [UInt8]?
  ) throws(SecretFileFault) -> (enrolment: Enrolment, callsign: String) {
    let content = try SecretFile.pendingJoin.decode(bytes, passphrase: passphrase)
    do {
      var reader = ByteReader(content)
      let signingKey = try SigningKey(seed: try reader.fixed(SigningKey.seedBytes))
      let agreementKey = try AgreementKey(secret: try reader.fixed(AgreementKey.secretBytes))
      let callsign = try reader.text()
      return (Enrolment(signingKey: signingKey, agreementKey: agreementKey), callsign)
    } catch {
      throw .malformed
    }
  }

  private init(signingKey: SigningKey, agreementKey: AgreementKey) {
    self.signingKey = signingKey
    self.agreementKey = agreementKey
  }

  /// Opens a grant file and verifies its certificates. The root is taken from the grant itself: the
  /// caller MUST let the user compare the operation.
  public func join(grant bytes: [UInt8]) throws(Fault) -> (Credentials, EpochKeys) {
    do throws(WireError) {
      let file = try JoinGrantFile(decoding: bytes)
      guard file.device == signingKey.publicKey else {
        throw .forged("the grant was made for another device")
      }
      let grant = try file.opened(with: agreementKey)
      guard let credentials = credentials(from: grant) else {
        throw .forged("the grant's certificates do not hold")
      }
      return (credentials, EpochKeys(keys: grant.epochKeys))
    } catch {
      throw Fault(description: error.reason)
    }
  }

  private func credentials(from grant: JoinGrant) -> Credentials? {
    guard let networkKey = SealingKey(bytes: grant.networkKey) else { return nil }
    return LocalDevice(
      operationName: grant.operationName, rootKey: grant.rootKey, networkKey: networkKey,
      signingKey: signingKey, agreementKey: agreementKey, chain: grant.chain
    ).map(Credentials.init)
  }
}
