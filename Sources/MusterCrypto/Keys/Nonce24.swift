/// A nonce of a `SealingKey`: 24 bytes, enough for random nonces without collisions.
public struct Nonce24: Hashable, Sendable {
  /// The length of a nonce.
  public static let byteCount = XChaCha20Poly1305.nonceBytes

  /// Exactly `byteCount` bytes.
  public let bytes: [UInt8]

  /// Nil unless there are exactly twenty-four bytes.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = Array(bytes)
  }
}
