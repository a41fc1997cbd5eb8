internal import MusterModel

/// Derives the nonces of a symmetric key from what they protect, so that a nonce is never used for
/// two plaintexts, even if drawn bytes repeat. They do when a virtual machine is resumed twice from
/// one snapshot: both copies of the process draw the same bytes.
///
///     nonce = BLAKE2b-192(prf, drawn (24) ‖ Poly1305(hash, plaintext) (16) ‖ additional data)
///
/// Hash-then-PRF, as in AES-GCM-SIV (RFC 8452): Poly1305 is a universal hash whose output never
/// leaves this type, and BLAKE2b is the pseudorandom function. Equal input gives an equal nonce and
/// an equal ciphertext, which reveals only that the input was equal. Decryption does not need it.
struct NonceKey: Sendable, Redacted {
  private let prf: SecretBytes
  private let hash: SecretBytes

  private static let drawnBytes = XChaCha20Poly1305.nonceBytes

  /// Derives both keys from the symmetric key, which has another use for its own bytes.
  init(of secret: SecretBytes) {
    prf = Self.derived("muster nonce 1", secret)
    hash = Self.derived("muster nonce hash 1", secret)
  }

  private static func derived(_ label: String, _ secret: SecretBytes) -> SecretBytes {
    let label = Array(label.utf8)
    return SecretBytes(count: 32) { output in
      label.withUnsafeBytes { Blake2b.keyed($0, key: secret, to: output, count: 32) }
    }
  }

  /// Replaces the drawn bytes at `nonce` by the nonce of this plaintext.
  func derive(
    at nonce: UnsafeMutableRawPointer, plaintext: UnsafeRawBufferPointer,
    additionalData: UnsafeRawBufferPointer
  ) {
    let start = Self.drawnBytes + Poly1305.tagBytes
    withUnsafeTemporaryAllocation(byteCount: start + additionalData.count, alignment: 8) { input in
      let base = input.baseAddress!
      base.copyMemory(from: nonce, byteCount: Self.drawnBytes)
      Poly1305.hash(plaintext, key: hash, to: base + Self.drawnBytes)
      if let data = additionalData.baseAddress {
        (base + start).copyMemory(from: data, byteCount: additionalData.count)
      }
      Blake2b.keyed(
        UnsafeRawBufferPointer(input), key: prf, to: nonce.assumingMemoryBound(to: UInt8.self),
        count: Self.drawnBytes)
    }
  }
}
