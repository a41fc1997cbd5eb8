import CSodium

/// XSalsa20-Poly1305 (NaCl `crypto_secretbox`): only for what other programs encrypt with it.
public struct SecretBox: Sendable {
  static let keyBytes = 32
  static let nonceBytes = 24

  private let key: SecretBytes

  /// - Parameter key: at most 32 bytes; zeros follow a shorter one.
  public init?(paddingKey key: [UInt8]) {
    guard (1...Self.keyBytes).contains(key.count) else { return nil }
    self.key = SecretBytes(key + [UInt8](repeating: 0, count: Self.keyBytes - key.count))
  }

  /// Returns the plaintext of nonce ‖ ciphertext; nil if it is not authentic.
  public func open(_ box: [UInt8]) -> [UInt8]? {
    let overhead = Self.nonceBytes + Int(crypto_secretbox_MACBYTES)
    guard box.count >= overhead else { return nil }
    var plaintext = [UInt8](repeating: 0, count: box.count - overhead)
    let ciphertext = Array(box[Self.nonceBytes...])
    let status = key.withPointer { key in
      crypto_secretbox_open_easy(&plaintext, ciphertext, UInt64(ciphertext.count), box, key)
    }
    return status == 0 ? plaintext : nil
  }
}
