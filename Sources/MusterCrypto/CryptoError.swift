/// The reason why key material was rejected. It never contains any of it.
public enum CryptoError: Error, Hashable, Sendable {
  /// A key, seed or salt had the wrong number of bytes.
  case wrongLength(expected: Int, actual: Int)
  /// An empty passphrase protects nothing; a key file without one is not wrapped at all.
  case emptyPassphrase
  /// Argon2id could not allocate the memory that its cost requires.
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
