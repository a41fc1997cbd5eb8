internal import MusterCrypto
internal import MusterModel

/// Why a key file could not be read.
public enum SecretFileFault: Error, Hashable, Sendable, CustomStringConvertible {
  case malformed
  case passphraseNeeded
  case wrongPassphrase
  case passphraseUnusable

  /// The text for the terminal, with the remedy.
  public var description: String {
    switch self {
    case .malformed: "the key file is damaged: restore it from a copy, or join again"
    case .passphraseNeeded: "the key file is protected: give its passphrase"
    case .wrongPassphrase: "the passphrase is wrong"
    case .passphraseUnusable: "the passphrase is empty, or there is too little memory to use it"
    }
  }
}

/// The format of a file with secrets, with or without a passphrase:
///
///     magic ‖ 0 ‖ content
///     magic ‖ 1 ‖ salt (16) ‖ passes (4) ‖ memory in KiB (4) ‖ nonce (24) ‖ ciphertext ‖ tag (16)
///
/// Argon2id (RFC 9106) derives the key from the passphrase; the cipher is XChaCha20-Poly1305, with
/// the magic as additional data.
public enum SecretFile: String, Sendable {
  case deviceKey = "muster device key 1\n"
  /// The pending request of a device that joins by file.
  case pendingJoin = "muster pending join 1\n"
  case rootKey = "muster root key 1\n"

  private var magic: [UInt8] { Array(rawValue.utf8) }

  /// Whether the file needs a passphrase; false for any other file.
  public func isWrapped(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: magic) && bytes.dropFirst(magic.count).first == 1
  }

  func encode(
    _ content: [UInt8], passphrase: [UInt8]?, cost: PasswordCost, seed: [UInt8]
  ) throws(SecretFileFault) -> [UInt8] {
    guard let passphrase else { return magic + [0] + content }
    var random = DeterministicRandom(seed: seed)
    let salt = random.bytes(PasswordHash.saltBytes)
    let key: SealingKey
    do {
      key = try PasswordHash.deriveKey(passphrase: passphrase, salt: salt, cost: cost)
    } catch {
      throw .passphraseUnusable
    }
    var writer = ByteWriter()
    writer.append(fixed: magic)
    writer.append(UInt8(1))
    writer.append(fixed: salt)
    writer.append(UInt32(cost.passes))
    writer.append(UInt32(cost.memoryBytes / 1024))
    writer.append(fixed: key.sealBody(content, drawn: random.nonce24(), additionalData: magic))
    return writer.bytes
  }

  func decode(_ bytes: [UInt8], passphrase: [UInt8]?) throws(SecretFileFault) -> [UInt8] {
    guard bytes.starts(with: magic), bytes.count > magic.count else { throw .malformed }
    guard isWrapped(bytes) else { return Array(bytes.dropFirst(magic.count + 1)) }
    guard let passphrase else { throw .passphraseNeeded }
    let salt: [UInt8]
    let cost: PasswordCost
    let body: [UInt8]
    do {
      var reader = ByteReader(bytes.dropFirst(magic.count + 1))
      salt = try reader.fixed(PasswordHash.saltBytes)
      let passes = Int(try reader.integer(UInt32.self))
      let kibibytes = Int(try reader.integer(UInt32.self))
      guard let bounded = PasswordCost(passes: passes, memoryBytes: kibibytes * 1024) else {
        throw DecodingFault.invalid("cost")
      }
      cost = bounded
      body = try reader.fixed(reader.remaining)
    } catch {
      throw .malformed
    }
    let key: SealingKey
    do {
      key = try PasswordHash.deriveKey(passphrase: passphrase, salt: salt, cost: cost)
    } catch {
      throw .passphraseUnusable
    }
    guard let content = key.openBody(body, additionalData: magic) else { throw .wrongPassphrase }
    return content
  }
}
