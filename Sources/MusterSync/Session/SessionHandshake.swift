internal import MusterCrypto
internal import MusterModel

/// Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b. The pre-shared key is the network key or an invite's
/// secret, so that outsiders get no answer. The prologue contains the operation id, so that two
/// operations on one network never connect.
struct SessionHandshake: Sendable {
  enum Purpose: Hashable, Sendable {
    case session
    case join(InviteID)
  }

  /// The message that is retransmitted: the initiator's first, or the responder's response.
  struct Message: Sendable {
    var datagram: [UInt8] = []
    /// When it is retransmitted; nil if only a retransmission of the other side triggers it.
    var nextAttempt: Instant?
    var attempts = 1
    /// How many bytes may still be sent to an unvalidated address (anti-amplification); nil once it
    /// is validated.
    var allowedBytes: Int?
  }

  let purpose: Purpose
  let localIndex: UInt32
  var remoteIndex: UInt32?
  let endpoint: Endpoint
  let startedAt: Instant
  var message = Message()
  /// Whether the initiator has answered a cookie request, which it does once.
  var hasCookie = false
  /// The hash of the message that is answered, to detect retransmissions.
  var answeredHash: Bytes16?
  /// The link of the other side's message, for a responder.
  var link = LinkID.unknown
  /// The rules version in the other side's last message.
  private(set) var remoteRules = RulesVersion.unstated
  private let rules: RulesVersion
  private var noise: NoiseHandshake

  init(
    _ role: NoiseHandshake.Role, purpose: Purpose, operation: OperationID, preSharedKey: [UInt8],
    staticKey: AgreementKey, ephemeralKey: AgreementKey, rules: RulesVersion, localIndex: UInt32,
    endpoint: Endpoint, now: Instant
  ) {
    self.rules = rules
    self.purpose = purpose
    self.localIndex = localIndex
    self.endpoint = endpoint
    startedAt = now
    let tag = purpose == .session ? Tag.session : Tag.join
    do {
      noise = try NoiseHandshake(
        role: role, pattern: .xxpsk0, prologue: tag + operation.bytes, staticKey: staticKey,
        ephemeralKey: ephemeralKey, preSharedKey: preSharedKey)
    } catch {
      preconditionFailure("the handshake's own parameters are wrong: \(error)")
    }
  }

  mutating func write(_ payload: HandshakePayload) throws(WireError) -> [UInt8] {
    do {
      return try noise.writeMessage(payload: payload.encoded(rules: rules))
    } catch {
      throw .forged("handshake")
    }
  }

  /// Reads a message. The handshake is unchanged if the bytes are not the peer's.
  mutating func read(_ message: ArraySlice<UInt8>) throws(WireError) -> HandshakePayload {
    let bytes: [UInt8]
    do {
      bytes = try noise.readMessage(Array(message))
    } catch {
      throw .forged("handshake")
    }
    let (payload, rules) = try HandshakePayload.decode(bytes)
    remoteRules = rules
    return payload
  }

  var remoteKey: AgreementPublicKey? { noise.remoteStaticKey }
  /// The handshake hash, to which a join request is bound.
  var hash: [UInt8] { noise.handshakeHash }

  func sessionKeys() -> (send: SessionKey, receive: SessionKey) { noise.split() }
}
