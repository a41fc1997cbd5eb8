import CSodium

/// Argon2id (RFC 9106), which derives the key of a wrapped key file from a passphrase.
public enum PasswordHash {
  /// The length of a salt, which is drawn at random for each key file and stored in it.
  public static let saltBytes = Int(crypto_pwhash_SALTBYTES)

  /// Derives a key with the time and memory that `cost` states.
  public static func deriveKey(
    passphrase: [UInt8], salt: [UInt8], cost: PasswordCost
  ) throws(CryptoError) -> SealingKey {
    try CryptoError.requireLength(saltBytes, of: salt)
    guard !passphrase.isEmpty else { throw .emptyPassphrase }
    let key = SecretBytes.computed(count: SealingKey.byteCount) { key in
      passphrase.withUnsafeBytes { passphrase in
        crypto_pwhash(
          key, UInt64(SealingKey.byteCount), passphrase.bindMemory(to: CChar.self).baseAddress!,
          UInt64(passphrase.count), salt, UInt64(cost.passes), cost.memoryBytes,
          crypto_pwhash_ALG_ARGON2ID13) == 0
      }
    }
    guard let key else { throw .outOfMemory }
    return SealingKey(secret: key)
  }
}
