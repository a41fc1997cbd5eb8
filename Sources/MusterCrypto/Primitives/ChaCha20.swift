import CSodium

/// The ChaCha20 key stream, from which `DeterministicRandom` draws.
enum ChaCha20 {
  static let keyBytes = 32

  /// The first `count` bytes of the stream under an all-zero nonce: a key MUST be used once.
  static func stream(count: Int, key: SecretBytes) -> [UInt8] {
    let nonce: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
    return [UInt8](unsafeUninitializedCapacity: count) { output, written in
      let status = key.withPointer { key in
        crypto_stream_chacha20(output.baseAddress!, UInt64(count), nonce, key)
      }
      precondition(status == 0, "ChaCha20 refused \(count) bytes")
      written = count
    }
  }
}
