public import MusterModel

/// The public half of an Ed25519 key.
///
/// Any thirty-two bytes are accepted; those that are not a key of the curve verify nothing.
public struct VerifyingKey: Hashable, Sendable {
  /// The key as RFC 8032 encodes it.
  public let raw: Bytes32

  /// Creates a key from bytes of the right length.
  public init(raw: Bytes32) { self.raw = raw }

  /// Nil unless there are exactly thirty-two bytes.
  public init?(bytes: some Collection<UInt8>) {
    guard let raw = Bytes32(bytes) else { return nil }
    self.init(raw: raw)
  }

  /// The key as RFC 8032 encodes it.
  public var bytes: [UInt8] { raw.bytes }

  /// Returns whether this key's owner signed exactly this message.
  public func isValid(_ signature: Signature, for message: [UInt8]) -> Bool {
    Ed25519.isValid(signature.bytes, for: message, publicKey: raw)
  }
}
