/// The SymmetricState and CipherState of the Noise Protocol Framework (revision 34, section 5): a
/// hash of all messages and a key derived from all shared secrets.
struct NoiseSymmetricState: Sendable {
  private(set) var hash: [UInt8]
  private var chainingKey: SecretBytes
  private var key: SessionKey?
  private var counter: UInt64 = 0

  init(protocolName: String) {
    let name = Array(protocolName.utf8)
    // All protocol names are shorter than a hash, and are padded to its length.
    precondition(name.count <= HMACBlake2b.codeBytes, "protocol name \(protocolName)")
    hash = name + [UInt8](repeating: 0, count: HMACBlake2b.codeBytes - name.count)
    chainingKey = SecretBytes(hash)
  }

  var hasKey: Bool { key != nil }

  mutating func mixHash(_ data: [UInt8]) {
    hash = Blake2b.hash512(hash, data)
  }

  mutating func mixKey(_ input: SecretBytes) {
    let outputs = NoiseKeyDerivation.two(chainingKey: chainingKey, input: input)
    chainingKey = outputs.0
    begin(with: outputs.1)
  }

  mutating func mixKeyAndHash(_ input: SecretBytes) {
    let outputs = NoiseKeyDerivation.three(chainingKey: chainingKey, input: input)
    chainingKey = outputs.0
    mixHash(outputs.1.exported())
    begin(with: outputs.2)
  }

  private mutating func begin(with output: SecretBytes) {
    key = SessionKey(secret: output.prefix(ChaCha20Poly1305.keyBytes))
    counter = 0
  }

  /// Returns the plaintext itself if no key is agreed on yet.
  mutating func encryptAndHash(_ plaintext: [UInt8]) -> [UInt8] {
    guard let key else {
      mixHash(plaintext)
      return plaintext
    }
    let ciphertext = key.seal(plaintext, counter: counter, additionalData: hash)
    counter += 1
    mixHash(ciphertext)
    return ciphertext
  }

  mutating func decryptAndHash(_ ciphertext: [UInt8]) throws(NoiseError) -> [UInt8] {
    guard let key else {
      mixHash(ciphertext)
      return ciphertext
    }
    guard let plaintext = key.open(ciphertext, counter: counter, additionalData: hash) else {
      throw .notAuthentic
    }
    counter += 1
    mixHash(ciphertext)
    return plaintext
  }

  func split() -> (initiatorSends: SessionKey, responderSends: SessionKey) {
    let outputs = NoiseKeyDerivation.two(chainingKey: chainingKey, input: nil)
    return (
      SessionKey(secret: outputs.0.prefix(ChaCha20Poly1305.keyBytes)),
      SessionKey(secret: outputs.1.prefix(ChaCha20Poly1305.keyBytes))
    )
  }
}
