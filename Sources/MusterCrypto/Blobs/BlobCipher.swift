import CSodium
public import MusterModel

/// The cipher of one blob: ChaCha20 (RFC 8439) under a key that is used for this blob alone, with a
/// nonce of zeros. Each range that begins at a multiple of 64 bytes is decrypted by itself. It does
/// not authenticate: the Merkle root in the author's signed frame does.
public struct BlobCipher: Sendable, Redacted {
  private let key: SecretBytes
  private static let blockBytes = 64

  /// Takes the key from a report.
  public init(key: Bytes32) { self.key = SecretBytes(key.bytes) }

  /// Encrypts or decrypts bytes in place.
  ///
  /// - Parameter offset: where the bytes begin in the blob; MUST be a multiple of 64.
  public func apply(to bytes: inout [UInt8], at offset: Int = 0) {
    precondition(offset >= 0 && offset % Self.blockBytes == 0, "a range from byte \(offset)")
    let nonce = [UInt8](repeating: 0, count: 12)
    bytes.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return }
      let status = key.withPointer { key in
        crypto_stream_chacha20_ietf_xor_ic(
          start, start, UInt64(buffer.count), nonce, UInt32(offset / Self.blockBytes), key)
      }
      precondition(status == 0, "ChaCha20 refused \(buffer.count) bytes")
    }
  }

  /// Encrypts a new blob in place and hashes it, so that a photo is in memory once.
  ///
  /// - Parameter drawn: random bytes. The key is derived from these and the content: copies of a
  ///   process that draw the same bytes use one key for two blobs only if these are equal.
  public static func seal(
    _ bytes: inout [UInt8], drawn: Bytes32
  ) -> (key: Bytes32, tree: BlobTree) {
    let content = Array("muster blob key 1".utf8) + Blake2b.hash256(bytes[...]).bytes
    let key = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { output in
      content.withUnsafeBytes {
        Blake2b.keyed(
          $0, key: SecretBytes(drawn.bytes), to: output.baseAddress!, count: output.count)
      }
      return Bytes32(reading: UnsafePointer(output.baseAddress!))
    }
    BlobCipher(key: key).apply(to: &bytes)
    return (key, BlobTree(of: bytes))
  }
}
