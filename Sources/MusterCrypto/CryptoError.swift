/// Why key material was refused. It never carries any of it.
public enum CryptoError: Error, Hashable, Sendable {
  /// A key, seed or salt had the wrong number of bytes.
  case wrongLength(expected: Int, actual: Int)
  /// An empty passphrase protects nothing; a key file without one is not wrapped at all.
  case emptyPassphrase
  /// Argon2id could not get the memory that its cost asks for.
  case outOfMemory
}

extension CryptoError {
  /// Throws unless `bytes` has exactly `expected` bytes.
  static func requireLength(
    _ expected: Int, of bytes: some Collection<UInt8>
  ) throws(CryptoError) {
    let actual = bytes.count
    guard actual == expected else {
      throw .wrongLength(expected: expected, actual: actual)
    }
  }
}
