import CSodium

/// ChaCha20-Poly1305 (RFC 8439): 12-byte nonces, safe only if a counter generates them.
enum ChaCha20Poly1305 {
  static let keyBytes = 32
  static let nonceBytes = 12
  static let tagBytes = 16

  /// Returns ciphertext ‖ tag. The nonce MUST be 12 bytes.
  static func seal(
    _ plaintext: [UInt8], nonce: UnsafePointer<UInt8>, additionalData: [UInt8], key: SecretBytes
  ) -> [UInt8] {
    let sealedBytes = plaintext.count + tagBytes
    return [UInt8](unsafeUninitializedCapacity: sealedBytes) { output, count in
      let status = key.withPointer { key in
        crypto_aead_chacha20poly1305_ietf_encrypt(
          output.baseAddress!, nil, plaintext, UInt64(plaintext.count), additionalData,
          UInt64(additionalData.count), nil, nonce, key)
      }
      precondition(status == 0, "ChaCha20-Poly1305 refused \(plaintext.count) bytes")
      count = sealedBytes
    }
  }

  /// Returns the plaintext; nil if authentication fails.
  static func open(
    _ ciphertext: UnsafeBufferPointer<UInt8>, nonce: UnsafePointer<UInt8>,
    additionalData: [UInt8], key: SecretBytes
  ) -> [UInt8]? {
    open(ciphertext) { plaintext, start in
      key.withPointer { key in
        crypto_aead_chacha20poly1305_ietf_decrypt(
          plaintext, nil, nil, start, UInt64(ciphertext.count), additionalData,
          UInt64(additionalData.count), nonce, key) == 0
      }
    }
  }

  /// Returns the plaintext that `decrypt` writes; nil if it finds the ciphertext not authentic.
  static func open(
    _ ciphertext: UnsafeBufferPointer<UInt8>,
    decrypt: (UnsafeMutablePointer<UInt8>?, UnsafePointer<UInt8>) -> Bool
  ) -> [UInt8]? {
    guard let start = ciphertext.baseAddress, ciphertext.count >= tagBytes else { return nil }
    var isAuthentic = false
    let plaintextBytes = ciphertext.count - tagBytes
    let plaintext = [UInt8](unsafeUninitializedCapacity: plaintextBytes) { plaintext, count in
      isAuthentic = decrypt(plaintext.baseAddress, start)
      count = isAuthentic ? plaintextBytes : 0
    }
    return isAuthentic ? plaintext : nil
  }
}
