import CSodium
import MusterModel

/// Ed25519 (RFC 8032) signatures.
///
/// The library rejects keys and points of small order, non-canonical keys and unreduced values of
/// S, so a valid signature cannot be changed into a second valid one.
enum Ed25519 {
  static let seedBytes = 32
  static let secretBytes = 64
  static let signatureBytes = 64

  /// The library's secret form (seed ‖ public key) and the public key. `seed` MUST be 32 bytes.
  static func keyPair(seed: [UInt8]) -> (secret: SecretBytes, publicKey: Bytes32) {
    precondition(seed.count == seedBytes, "an Ed25519 seed of \(seed.count) bytes")
    var publicKey = Bytes32.zero
    let secret = SecretBytes(count: secretBytes) { secret in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { buffer in
        let status = crypto_sign_seed_keypair(buffer.baseAddress!, secret, seed)
        precondition(status == 0, "Ed25519 refused a seed")
        publicKey = Bytes32(reading: buffer.baseAddress!)
      }
    }
    return (secret, publicKey)
  }

  static func sign(_ message: [UInt8], secret: SecretBytes) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: signatureBytes) { signature, count in
      secret.withPointer { secret in
        let status = crypto_sign_detached(
          signature.baseAddress!, nil, message, UInt64(message.count), secret)
        precondition(status == 0, "Ed25519 could not sign \(message.count) bytes")
      }
      count = signatureBytes
    }
  }

  /// `signature` MUST be 64 bytes.
  static func isValid(_ signature: [UInt8], for message: [UInt8], publicKey: Bytes32) -> Bool {
    Sodium.start()
    return publicKey.withPointer { publicKey in
      crypto_sign_verify_detached(signature, message, UInt64(message.count), publicKey) == 0
    }
  }
}
