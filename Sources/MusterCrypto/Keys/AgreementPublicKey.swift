public import MusterModel

/// The public half of an X25519 key.
///
/// Any thirty-two bytes are accepted; with the few of small order no secret can be agreed on.
public struct AgreementPublicKey: Hashable, Sendable {
  /// The u coordinate as RFC 7748 encodes it.
  public let raw: Bytes32

  /// Creates a key from bytes of the right length.
  public init(raw: Bytes32) { self.raw = raw }

  /// Nil unless there are exactly thirty-two bytes.
  public init?(bytes: some Collection<UInt8>) {
    guard let raw = Bytes32(bytes) else { return nil }
    self.init(raw: raw)
  }

  /// The u coordinate as RFC 7748 encodes it.
  public var bytes: [UInt8] { raw.bytes }
}
