import CSodium

/// The same cipher over memory that is sealed and opened where it lies, with its tag elsewhere.
extension XChaCha20Poly1305 {
  /// Text becomes ciphertext. The nonce MUST be 24 bytes, and `tag` have room for 16.
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

  /// Whether the tag holds; with `plaintext`, which may be where the ciphertext lies, opens it
  /// too. What does not hold is cleared.
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

  /// Ciphertext becomes what it would open to, tag or no tag.
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
