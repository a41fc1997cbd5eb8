public import MusterModel

/// The private half of an X25519 key: agrees on session secrets and opens sealed boxes.
public struct AgreementKey: Sendable, Redacted {
  /// The length of a secret.
  public static let secretBytes = X25519.secretBytes

  /// The public key with which others agree and seal.
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

  /// Returns the shared secret; nil if the other key is of small order, which would always give
  /// zero. The result is not uniform: hash it before using it as a key.
  public func sharedSecret(with other: AgreementPublicKey) -> [UInt8]? {
    agree(with: other)?.exported()
  }

  /// Returns the shared secret in memory that is wiped on release.
  func agree(with other: AgreementPublicKey) -> SecretBytes? {
    X25519.sharedSecret(secret, other.raw)
  }

  /// Returns the secret in plaintext, for key files only. The caller MUST protect the copy.
  public func exportSecret() -> [UInt8] { secret.exported() }
}
