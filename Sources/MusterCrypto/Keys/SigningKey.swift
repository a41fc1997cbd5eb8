public import MusterModel

/// The private half of an Ed25519 key: signs frames, certificates, records.
public struct SigningKey: Sendable, Redacted {
  /// The length of a seed.
  public static let seedBytes = Ed25519.seedBytes

  /// The public key that verifies this key's signatures.
  public let publicKey: VerifyingKey
  private let secret: SecretBytes

  /// Creates the key of a seed of 32 random bytes.
  public init(seed: [UInt8]) throws(CryptoError) {
    try CryptoError.requireLength(Ed25519.seedBytes, of: seed)
    self.init(validSeed: seed)
  }

  init(validSeed seed: [UInt8]) {
    let pair = Ed25519.keyPair(seed: seed)
    secret = pair.secret
    publicKey = VerifyingKey(raw: pair.publicKey)
  }

  /// Signs deterministically (RFC 8032): one message always has the same signature.
  public func sign(_ message: [UInt8]) -> Signature {
    Signature(valid: Ed25519.sign(message, secret: secret))
  }

  /// Returns the seed in plaintext, for key files only. The caller MUST protect the copy.
  public func exportSeed() -> [UInt8] { Array(secret.exported().prefix(Ed25519.seedBytes)) }
}
