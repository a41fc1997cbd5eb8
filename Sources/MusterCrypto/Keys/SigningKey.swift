/// The secret half of an Ed25519 key: signs frames, certificates, records.
public struct SigningKey: Sendable, Redacted {
  /// The length of a seed.
  public static let seedBytes = Ed25519.seedBytes

  /// What others check this key's signatures with.
  public let publicKey: VerifyingKey
  private let secret: SecretBytes

  /// The key that belongs to a seed of 32 random bytes.
  public init(seed: [UInt8]) throws(CryptoError) {
    try CryptoError.requireLength(Ed25519.seedBytes, of: seed)
    self.init(validSeed: seed)
  }

  init(validSeed seed: [UInt8]) {
    let pair = Ed25519.keyPair(seed: seed)
    secret = pair.secret
    publicKey = VerifyingKey(raw: pair.publicKey)
  }

  /// Deterministic (RFC 8032): the same message always gets the same signature.
  public func sign(_ message: [UInt8]) -> Signature {
    Signature(valid: Ed25519.sign(message, secret: secret))
  }

  /// The seed in the clear, for key files only; the copy is the caller's to guard.
  public func exportSeed() -> [UInt8] { Array(secret.exported().prefix(Ed25519.seedBytes)) }
}
