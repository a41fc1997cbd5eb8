/// HMAC (RFC 2104) over BLAKE2b-512, which Noise requires although BLAKE2b has a keyed mode;
/// libsodium has neither this nor an HKDF.
enum HMACBlake2b {
  static let codeBytes = 64
  private static let blockBytes = 128

  /// Returns the code of the concatenated parts. `key` MUST NOT be longer than a block, 128 bytes.
  static func code(key: SecretBytes, _ parts: SecretBytes...) -> SecretBytes {
    precondition(key.count <= blockBytes, "an HMAC key of \(key.count) bytes")
    let inner = hash(padded(key, with: 0x36), parts)
    return hash(padded(key, with: 0x5c), [inner])
  }

  private static func padded(_ key: SecretBytes, with padding: UInt8) -> SecretBytes {
    SecretBytes(count: blockBytes) { block in
      block.initialize(repeating: padding, count: blockBytes)
      key.withPointer { bytes in
        for index in 0..<key.count { block[index] ^= bytes[index] }
      }
    }
  }

  private static func hash(_ block: SecretBytes, _ parts: [SecretBytes]) -> SecretBytes {
    SecretBytes(count: codeBytes) { code in
      Blake2bState.withTemporary(digestBytes: codeBytes) { state in
        for part in [block] + parts {
          part.withPointer { state.update(UnsafeRawBufferPointer(start: $0, count: part.count)) }
        }
        state.finish(digestBytes: codeBytes) { code.initialize(from: $0, count: codeBytes) }
      }
    }
  }
}
