import CSodium

/// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): 24-byte nonces, long enough to be random.
enum XChaCha20Poly1305 {
  static let keyBytes = 32
  static let nonceBytes = 24
  static let tagBytes = 16

  /// Writes ciphertext ‖ tag, `plaintext.count + 16` bytes, to `output`. The nonce MUST be 24
  /// bytes.
  static func seal(
    _ plaintext: [UInt8], nonce: UnsafePointer<UInt8>, additionalData: [UInt8], key: SecretBytes,
    to output: UnsafeMutablePointer<UInt8>
  ) {
    let status = key.withPointer { key in
      crypto_aead_xchacha20poly1305_ietf_encrypt(
        output, nil, plaintext, UInt64(plaintext.count), additionalData,
        UInt64(additionalData.count), nil, nonce, key)
    }
    precondition(status == 0, "XChaCha20-Poly1305 refused \(plaintext.count) bytes")
  }

  /// Returns nil if authentication fails.
  static func open(
    _ ciphertext: UnsafeBufferPointer<UInt8>, nonce: UnsafePointer<UInt8>,
    additionalData: [UInt8], key: SecretBytes
  ) -> [UInt8]? {
    ChaCha20Poly1305.open(ciphertext) { plaintext, start in
      key.withPointer { key in
        crypto_aead_xchacha20poly1305_ietf_decrypt(
          plaintext, nil, nil, start, UInt64(ciphertext.count), additionalData,
          UInt64(additionalData.count), nonce, key) == 0
      }
    }
  }
}
