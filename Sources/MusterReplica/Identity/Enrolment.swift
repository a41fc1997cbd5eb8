internal import MusterCrypto
public import MusterModel
internal import MusterSync

/// The joiner's side of enrolment, over the network by an invite or by file.
public struct Enrolment: Sendable {
  private let signingKey: SigningKey
  private let agreementKey: AgreementKey
  private var initiator: JoinInitiator?

  /// What to do next.
  public enum Step: Sendable {
    case send([UInt8], to: Endpoint)
    case joined(Credentials, EpochKeys)
    /// The inviting device says why not.
    case refused(String)
  }

  /// Group content keys on their way from a grant to the store.
  public struct EpochKeys: Sendable {
    let keys: [EpochKey]
  }

  /// What an invite says to a person.
  public struct InvitationSummary: Hashable, Sendable {
    /// A hash of the root key, for comparing with what the commander reads out.
    public let operation: OperationID
    /// As the inviting device wrote it; not unique.
    public let operationName: String
    /// What the certificate will grant.
    public let role: Role
    /// By the inviting device's clock, which alone judges it.
    public let expiresAt: Timestamp
    /// Where the inviting device may be found, all of which are called.
    public let endpoints: [Endpoint]
  }

  /// Why bytes from outside could not be used, in one line.
  public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    /// Says what to do, too.
    public let description: String
  }

  /// - Parameter seed: 32 bytes from the operating system, used nowhere else.
  public init(seed: [UInt8]) {
    var random = DeterministicRandom(seed: seed)
    signingKey = random.signingKey()
    agreementKey = random.agreementKey()
  }

  // MARK: Over the network

  /// Shows what an invite is for before anybody is called; checks its checksum and its form, and
  /// cannot tell whether it is still good.
  public static func summary(ofInvitation bytes: [UInt8]) throws(Fault) -> InvitationSummary {
    let invitation = try invitation(bytes)
    return InvitationSummary(
      operation: invitation.operation, operationName: invitation.operationName,
      role: invitation.role, expiresAt: invitation.expiresAt, endpoints: invitation.endpoints)
  }

  /// Begins to call the addresses of an invite, or other places where the inviting device may be;
  /// `passDeadline` sends the first datagrams.
  public mutating func begin(
    invitation bytes: [UInt8], at places: [Endpoint]? = nil, seed: [UInt8], now: Instant
  ) throws(Fault) {
    initiator = JoinInitiator(
      invitation: try Self.invitation(bytes), at: places, signingKey: signingKey,
      agreementKey: agreementKey,
      seed: seed, now: now)
  }

  /// When `passDeadline` is wanted; nil before `begin`, and once there is an answer.
  public var nextDeadline: Instant? { initiator?.nextDeadline }

  /// Calls again whoever has not answered; does nothing before `nextDeadline`.
  public mutating func passDeadline(now: Instant) -> [Step] {
    (initiator?.passDeadline(now: now) ?? []).compactMap(step)
  }

  /// Takes a datagram; what is not the inviting device's answer is passed over.
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

  /// The contents of a join request file, and of the file that this device keeps until the grant
  /// comes, sealed where a passphrase is given.
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

  /// Takes up a join by file where `request` left it.
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

  /// Opens a grant that came by file and checks its certificates. The root is taken from the grant
  /// itself: the caller MUST let the person compare the operation.
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
