public import MusterModel

/// One side of a Noise handshake over X25519, ChaCha20-Poly1305 and BLAKE2b, sans-I/O (Noise
/// Protocol Framework, revision 34, section 5.3).
///
/// ```
/// initiator                            responder
/// writeMessage ── psk, e ────────────▶ readMessage
/// readMessage  ◀─ e, ee, s, es ─────── writeMessage
/// writeMessage ── s, se ─────────────▶ readMessage
/// both: isComplete, then split()
/// ```
///
/// A value: a rejected message leaves it unchanged, so that injected garbage cannot break a
/// handshake in progress. Section 7.7 lists what the payloads of the first two messages prove: with
/// `xxpsk0` the sender knows the pre-shared key, and may still be a replay attacker. Retransmission
/// and timeouts are up to the session.
public struct NoiseHandshake: Sendable, Redacted {
  /// The role of this side.
  public enum Role: Hashable, Sendable {
    case initiator
    case responder
  }

  /// The framework's limit for one message.
  public static let maximumMessageBytes = 65_535
  /// The length of a pre-shared key.
  public static let preSharedKeyBytes = 32

  /// The role of this side.
  public let role: Role
  /// The other side's static key, once its message has arrived; authenticated only when complete.
  public private(set) var remoteStaticKey: AgreementPublicKey?

  private let pattern: NoisePattern
  private let staticKey: AgreementKey
  private let ephemeralKey: AgreementKey
  private var symmetric: NoiseSymmetricState
  private var remoteEphemeralKey: AgreementPublicKey?
  private var remainingPreSharedKeys: ArraySlice<SecretBytes>
  private var messageCount = 0

  /// Creates a handshake before its first message.
  ///
  /// `prologue` MUST be equal on both sides: the operation's id. `ephemeralKey` MUST be fresh: the
  /// caller draws it, so that a run can be replayed from a seed. `preSharedKeys` are as many as the
  /// pattern requires, in its order.
  public init(
    role: Role, pattern: NoisePattern, prologue: [UInt8], staticKey: AgreementKey,
    ephemeralKey: AgreementKey, preSharedKeys: [[UInt8]]
  ) throws(NoiseError) {
    guard preSharedKeys.count == pattern.preSharedKeyCount,
      preSharedKeys.allSatisfy({ $0.count == Self.preSharedKeyBytes })
    else { throw .wrongPreSharedKeys }
    self.role = role
    self.pattern = pattern
    self.staticKey = staticKey
    self.ephemeralKey = ephemeralKey
    remainingPreSharedKeys = preSharedKeys.map { SecretBytes($0) }[...]
    symmetric = NoiseSymmetricState(protocolName: pattern.protocolName)
    symmetric.mixHash(prologue)
  }

  /// Creates a handshake for a pattern with at most one pre-shared key.
  public init(
    role: Role, pattern: NoisePattern, prologue: [UInt8], staticKey: AgreementKey,
    ephemeralKey: AgreementKey, preSharedKey: [UInt8]?
  ) throws(NoiseError) {
    try self.init(
      role: role, pattern: pattern, prologue: prologue, staticKey: staticKey,
      ephemeralKey: ephemeralKey, preSharedKeys: preSharedKey.map { [$0] } ?? [])
  }

  /// Whether every message has been written or read, so that `split` may be called.
  public var isComplete: Bool { messageCount == pattern.messages.count }

  /// Whether this side writes the next message.
  public var isTurnToWrite: Bool {
    !isComplete && messageCount.isMultiple(of: 2) == (role == .initiator)
  }

  /// The hash of all messages so far: once complete, 64 bytes that identify this session on both
  /// sides.
  public var handshakeHash: [UInt8] { symmetric.hash }

  /// Returns the next message, carrying `payload` with the protection that the pattern provides so
  /// far.
  public mutating func writeMessage(payload: [UInt8]) throws(NoiseError) -> [UInt8] {
    guard isTurnToWrite else { throw .outOfTurn }
    guard payload.count <= Self.maximumMessageBytes else { throw .wrongLength }
    var next = self
    var message: [UInt8] = []
    for token in pattern.messages[messageCount] {
      switch token {
      case .ephemeral:
        message += ephemeralKey.publicKey.bytes
        next.mixEphemeral(ephemeralKey.publicKey)
      case .static:
        message += next.symmetric.encryptAndHash(staticKey.publicKey.bytes)
      case .ephemeralEphemeral, .ephemeralStatic, .staticEphemeral, .preSharedKey:
        try next.mixSecret(of: token)
      }
    }
    message += next.symmetric.encryptAndHash(payload)
    guard message.count <= Self.maximumMessageBytes else { throw .wrongLength }
    next.messageCount += 1
    self = next
    return message
  }

  /// Returns the payload of the other side's next message.
  public mutating func readMessage(_ message: [UInt8]) throws(NoiseError) -> [UInt8] {
    guard !isComplete, !isTurnToWrite else { throw .outOfTurn }
    guard message.count <= Self.maximumMessageBytes else { throw .wrongLength }
    var next = self
    var rest = message[...]
    for token in pattern.messages[messageCount] {
      switch token {
      case .ephemeral:
        let key = try Self.key(Self.take(32, from: &rest))
        next.remoteEphemeralKey = key
        next.mixEphemeral(key)
      case .static:
        let byteCount = 32 + (next.symmetric.hasKey ? SessionKey.overheadBytes : 0)
        let sealed = try Self.take(byteCount, from: &rest)
        next.remoteStaticKey = try Self.key(next.symmetric.decryptAndHash(sealed))
      case .ephemeralEphemeral, .ephemeralStatic, .staticEphemeral, .preSharedKey:
        try next.mixSecret(of: token)
      }
    }
    let payload = try next.symmetric.decryptAndHash(Array(rest))
    next.messageCount += 1
    self = next
    return payload
  }

  /// Returns the session's two keys; MUST be called only when `isComplete`.
  public func split() -> (send: SessionKey, receive: SessionKey) {
    precondition(isComplete, "a handshake split after \(messageCount) messages")
    let keys = symmetric.split()
    return role == .initiator
      ? (send: keys.initiatorSends, receive: keys.responderSends)
      : (send: keys.responderSends, receive: keys.initiatorSends)
  }
}

extension NoiseHandshake {
  private mutating func mixEphemeral(_ key: AgreementPublicKey) {
    symmetric.mixHash(key.bytes)
    // Section 9.2: without this, keys derived from a pre-shared key alone would repeat.
    if pattern.preSharedKeyCount > 0 { symmetric.mixKey(SecretBytes(key.bytes)) }
  }

  private mutating func mixSecret(of token: NoisePattern.Token) throws(NoiseError) {
    switch token {
    case .ephemeral, .static:
      preconditionFailure("\(token) carries a key and mixes no secret")
    case .ephemeralEphemeral:
      symmetric.mixKey(try agree(ephemeralKey, remoteEphemeralKey))
    case .ephemeralStatic:
      symmetric.mixKey(
        role == .initiator
          ? try agree(ephemeralKey, remoteStaticKey) : try agree(staticKey, remoteEphemeralKey))
    case .staticEphemeral:
      symmetric.mixKey(
        role == .initiator
          ? try agree(staticKey, remoteEphemeralKey) : try agree(ephemeralKey, remoteStaticKey))
    case .preSharedKey:
      symmetric.mixKeyAndHash(remainingPreSharedKeys.removeFirst())
    }
  }

  private func agree(
    _ own: AgreementKey, _ remote: AgreementPublicKey?
  ) throws(NoiseError) -> SecretBytes {
    guard let remote else { preconditionFailure("\(pattern.name) mixes a key before it is sent") }
    guard let secret = own.agree(with: remote) else { throw .weakKey }
    return secret
  }

  private static func take(
    _ byteCount: Int, from rest: inout ArraySlice<UInt8>
  ) throws(NoiseError) -> [UInt8] {
    guard rest.count >= byteCount else { throw .wrongLength }
    defer { rest = rest.dropFirst(byteCount) }
    return Array(rest.prefix(byteCount))
  }

  private static func key(_ bytes: [UInt8]) throws(NoiseError) -> AgreementPublicKey {
    guard let key = AgreementPublicKey(bytes: bytes) else { throw .wrongLength }
    return key
  }
}
