public import MusterModel

/// One direction of a session: ChaCha20-Poly1305 with counter nonces as in the Noise Protocol
/// Framework (four zero bytes ‖ 64-bit little-endian counter).
///
/// It holds no counter: datagrams get lost and reordered, so each carries its own.
public struct SessionKey: Sendable, Redacted {
  /// How much longer than its plaintext a sealed message is.
  public static let overheadBytes = ChaCha20Poly1305.tagBytes

  private let secret: SecretBytes

  init(secret: SecretBytes) {
    precondition(secret.count == ChaCha20Poly1305.keyBytes, "a key of \(secret.count) bytes")
    self.secret = secret
  }

  /// Returns ciphertext ‖ tag. A counter MUST NOT be used twice.
  public func seal(
    _ plaintext: [UInt8], counter: UInt64, additionalData: [UInt8]
  ) -> [UInt8] {
    Self.withNonce(counter) { nonce in
      ChaCha20Poly1305.seal(
        plaintext, nonce: nonce, additionalData: additionalData, key: secret)
    }
  }

  /// Returns the plaintext; nil if authentication fails. Replay protection is up to `ReplayWindow`,
  /// afterwards.
  public func open(
    _ ciphertext: [UInt8], counter: UInt64, additionalData: [UInt8]
  ) -> [UInt8]? {
    ciphertext.withUnsafeBufferPointer {
      open($0, counter: counter, additionalData: additionalData)
    }
  }

  /// Opens a message inside a larger buffer.
  public func open(
    _ ciphertext: ArraySlice<UInt8>, counter: UInt64, additionalData: [UInt8]
  ) -> [UInt8]? {
    ciphertext.withUnsafeBufferPointer {
      open($0, counter: counter, additionalData: additionalData)
    }
  }

  private func open(
    _ ciphertext: UnsafeBufferPointer<UInt8>, counter: UInt64, additionalData: [UInt8]
  ) -> [UInt8]? {
    Self.withNonce(counter) { nonce in
      ChaCha20Poly1305.open(
        ciphertext, nonce: nonce, additionalData: additionalData, key: secret)
    }
  }

  private static func withNonce<Result>(
    _ counter: UInt64, _ body: (UnsafePointer<UInt8>) -> Result
  ) -> Result {
    // Three 32-bit words, so that the tuple has no padding: zero, then the counter's low and high.
    let words = (
      UInt32(0), UInt32(truncatingIfNeeded: counter).littleEndian,
      UInt32(truncatingIfNeeded: counter >> 32).littleEndian
    )
    return withUnsafeBytes(of: words) { body($0.bindMemory(to: UInt8.self).baseAddress!) }
  }
}
