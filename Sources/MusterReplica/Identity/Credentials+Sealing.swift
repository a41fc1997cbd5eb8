internal import MusterCrypto

extension Credentials {
  /// Seals the contents of a file that only this device may read, outside the database.
  ///
  /// - Parameters:
  ///   - name: what the file contains: a file under another name is not opened.
  ///   - seed: 32 random bytes for the nonce, used nowhere else.
  public func sealed(_ text: [UInt8], as name: String, seed: [UInt8]) -> [UInt8] {
    var random = DeterministicRandom(seed: seed)
    return fileKey.sealBody(text, drawn: random.nonce24(), additionalData: Array(name.utf8))
  }

  /// Opens a sealed file; nil unless this device sealed it under this name and it is undamaged.
  public func opened(_ body: [UInt8], as name: String) -> [UInt8]? {
    fileKey.openBody(body, additionalData: Array(name.utf8))
  }

  private var fileKey: SealingKey {
    let derived = Blake2b.hash256(
      Array("muster local file 1".utf8), local.signingKey.exportSeed())
    guard let key = SealingKey(bytes: derived.bytes) else {
      preconditionFailure("32 bytes are a key")
    }
    return key
  }
}
