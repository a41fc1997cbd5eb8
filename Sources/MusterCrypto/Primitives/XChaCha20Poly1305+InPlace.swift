import CSodium

/// In-place encryption and decryption with a separate tag.
extension XChaCha20Poly1305 {
  /// Encrypts in place. The nonce MUST be 24 bytes, and `tag` have room for 16.
  static func seal(
    inPlace text: UnsafeMutableRawBufferPointer, tag: UnsafeMutableRawPointer,
    nonce: UnsafeRawPointer, additionalData: UnsafeRawBufferPointer, key: SecretBytes
  ) {
    let bytes = text.bindMemory(to: UInt8.self).baseAddress!
    let status = key.withPointer { key in
      crypto_aead_xchacha20poly1305_ietf_encrypt_detached(
        bytes, tag.assumingMemoryBound(to: UInt8.self), nil, bytes, UInt64(text.count),
        additionalData.bindMemory(to: UInt8.self).baseAddress, UInt64(additionalData.count), nil,
        nonce.assumingMemoryBound(to: UInt8.self), key)
    }
    precondition(status == 0, "XChaCha20-Poly1305 refused \(text.count) bytes")
  }

  /// Verifies the tag and, with `plaintext`, also decrypts; it may be the ciphertext's memory. The
  /// output is cleared if verification fails.
  static func open(
    _ ciphertext: UnsafeRawBufferPointer, to plaintext: UnsafeMutableRawPointer?,
    tag: UnsafeRawPointer, nonce: UnsafeRawPointer, additionalData: UnsafeRawBufferPointer,
    key: SecretBytes
  ) -> Bool {
    key.withPointer { key in
      crypto_aead_xchacha20poly1305_ietf_decrypt_detached(
        plaintext?.assumingMemoryBound(to: UInt8.self), nil,
        ciphertext.bindMemory(to: UInt8.self).baseAddress!, UInt64(ciphertext.count),
        tag.assumingMemoryBound(to: UInt8.self),
        additionalData.bindMemory(to: UInt8.self).baseAddress, UInt64(additionalData.count),
        nonce.assumingMemoryBound(to: UInt8.self), key) == 0
    }
  }

  /// Decrypts in place without verifying a tag.
  static func decipher(
    inPlace text: UnsafeMutableRawBufferPointer, nonce: UnsafeRawPointer, key: SecretBytes
  ) {
    let bytes = text.bindMemory(to: UInt8.self).baseAddress!
    // The first block of the stream is the tag's key.
    let status = key.withPointer { key in
      crypto_stream_xchacha20_xor_ic(
        bytes, bytes, UInt64(text.count), nonce.assumingMemoryBound(to: UInt8.self), 1, key)
    }
    precondition(status == 0, "XChaCha20 refused \(text.count) bytes")
  }
}
