/// The secret half of an X25519 key: agrees on session secrets and opens sealed boxes.
public struct AgreementKey: Sendable, Redacted {
  /// The length of a secret.
  public static let secretBytes = X25519.secretBytes

  /// What others agree and seal with.
  public let publicKey: AgreementPublicKey
  let secret: SecretBytes

  /// The key of 32 random bytes; X25519 clamps them itself, at each use.
  public init(secret: [UInt8]) throws(CryptoError) {
    try CryptoError.requireLength(X25519.secretBytes, of: secret)
    self.init(secret: SecretBytes(secret))
  }

  init(secret: SecretBytes) {
    self.secret = secret
    publicKey = AgreementPublicKey(raw: X25519.publicKey(of: secret))
  }

  /// Nil where the other's key is of small order, so that all would agree on zero with it.
  /// The result is not uniform: hash it before using it as a key.
  public func sharedSecret(with other: AgreementPublicKey) -> [UInt8]? {
    agree(with: other)?.exported()
  }

  /// As `sharedSecret`, wiped when it is let go.
  func agree(with other: AgreementPublicKey) -> SecretBytes? {
    X25519.sharedSecret(secret, other.raw)
  }

  /// The secret in the clear, for key files only; the copy is the caller's to guard.
  public func exportSecret() -> [UInt8] { secret.exported() }
}
