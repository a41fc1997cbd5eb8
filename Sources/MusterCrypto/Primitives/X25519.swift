import CSodium
import MusterModel

/// X25519 (RFC 7748) key agreement.
enum X25519 {
  static let secretBytes = 32

  static func publicKey(of secret: SecretBytes) -> Bytes32 {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { buffer in
      let status = secret.withPointer { crypto_scalarmult_base(buffer.baseAddress!, $0) }
      precondition(status == 0, "X25519 refused a secret")
      return Bytes32(reading: buffer.baseAddress!)
    }
  }

  /// Returns nil if the other key is of small order, since the result would be all zero whatever
  /// the secret (RFC 7748, section 6.1).
  static func sharedSecret(_ secret: SecretBytes, _ publicKey: Bytes32) -> SecretBytes? {
    SecretBytes.computed(count: 32) { shared in
      secret.withPointer { secret in
        publicKey.withPointer { crypto_scalarmult(shared, secret, $0) == 0 }
      }
    }
  }
}
