internal import MusterCrypto
internal import MusterModel

/// Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b as we use it: the network key, or an invite's secret, as
/// pre-shared key, so that strangers get silence; the operation id in the prologue, so that two
/// operations on one wire never meet.
struct SessionHandshake: Sendable {
  enum Purpose: Hashable, Sendable {
    case session
    case join(InviteID)
  }

  let purpose: Purpose
  let localIndex: UInt32
  var remoteIndex: UInt32?
  let endpoint: Endpoint
  let startedAt: Instant
  /// What is said until it is answered: the initiator's first datagram, the responder's answer.
  var datagram: [UInt8] = []
  /// The initiator was asked for a cookie and has shown it, which it does once.
  var hasCookie = false
  /// When the datagram leaves again; nil where only its like from the other side brings it out.
  var nextAttempt: Instant?
  var attempts = 1
  /// Of the message that is answered, to know its repetitions by.
  var answeredHash: Bytes16?
  /// By which the other side came, for a responder.
  var link = LinkID.unknown
  /// What may still be sent to an address that nobody has proved to be at; nil where somebody has.
  var allowedBytes: Int?
  /// The other side's, as its last message said.
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

  /// Leaves the handshake as it was when the bytes are not the peer's.
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
  /// Names this one handshake: what a join request is bound to.
  var hash: [UInt8] { noise.handshakeHash }

  func sessionKeys() -> (send: SessionKey, receive: SessionKey) { noise.split() }
}
