internal import MusterCrypto
internal import MusterModel

/// The operation's root key, read from its file for one act. It is not kept.
public struct RootKey: Sendable {
  let signingKey: SigningKey

  /// Reads the contents of a root key file.
  ///
  /// - Parameter passphrase: ignored where the file is not protected by one.
  public init(file bytes: [UInt8], passphrase: [UInt8]?) throws(SecretFileFault) {
    let seed = try SecretFile.rootKey.decode(bytes, passphrase: passphrase)
    do {
      signingKey = try SigningKey(seed: seed)
    } catch {
      throw .malformed
    }
  }
}
