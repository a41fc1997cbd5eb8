public import MusterCrypto
public import MusterModel
internal import MusterSync

/// Everything secret and certified that makes a device part of an operation: what its key file
/// holds.
public struct Credentials: Sendable {
  let local: LocalDevice

  init(_ local: LocalDevice) { self.local = local }

  public var operation: OperationID { local.operation }
  public var operationName: String { local.operationName }
  public var device: DeviceID { local.device }
  public var user: UserID { local.author.user }
  public var role: Role { local.author.role }
}

/// Why a key file could not be read.
public enum CredentialsFault: Error, Hashable, Sendable, CustomStringConvertible {
  case malformed
  case passphraseNeeded
  case wrongPassphrase

  public var description: String {
    switch self {
    case .malformed: "the key file is damaged: restore it from a copy, or join again"
    case .passphraseNeeded: "the key file is protected: give its passphrase"
    case .wrongPassphrase: "the passphrase is wrong"
    }
  }
}

// MARK: - The key file

extension Credentials {
  private static let magic = Array("muster device key 1\n".utf8)

  /// The key file's contents as they stand: whoever can read the file has the keys.
  public func encoded() -> [UInt8] { Self.magic + [0] + content }

  /// The key file's contents sealed under a key made from a passphrase with Argon2id.
  ///
  /// - Parameter seed: 32 bytes for the salt and the nonce, used nowhere else.
  public func wrapped(passphrase: [UInt8], seed: [UInt8]) throws(CryptoError) -> [UInt8] {
    try wrapped(passphrase: passphrase, cost: .interactive, seed: seed)
  }

  func wrapped(
    passphrase: [UInt8], cost: PasswordCost, seed: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    var random = DeterministicRandom(seed: seed)
    let salt = random.bytes(PasswordHash.saltBytes)
    let key = try PasswordHash.deriveKey(passphrase: passphrase, salt: salt, cost: cost)
    var writer = ByteWriter()
    writer.append(fixed: Self.magic)
    writer.append(UInt8(1))
    writer.append(fixed: salt)
    writer.append(UInt32(cost.passes))
    writer.append(UInt32(cost.memoryBytes / 1024))
    writer.append(
      fixed: key.sealBody(content, nonce: random.nonce24(), additionalData: Self.magic))
    return writer.bytes
  }

  /// Whether a key file asks for a passphrase; false too for what is not a key file.
  public static func isWrapped(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: magic) && bytes.dropFirst(magic.count).first == 1
  }

  public init(decoding bytes: [UInt8], passphrase: [UInt8]?) throws(CredentialsFault) {
    guard bytes.starts(with: Self.magic) else { throw .malformed }
    guard Self.isWrapped(bytes) else {
      try self.init(content: Array(bytes.dropFirst(Self.magic.count + 1)))
      return
    }
    guard let passphrase else { throw .passphraseNeeded }
    let (key, body) = try Self.unwrappingKey(bytes, passphrase: passphrase)
    guard let content = key.openBody(body, additionalData: Self.magic) else {
      throw .wrongPassphrase
    }
    try self.init(content: content)
  }

  private static func unwrappingKey(
    _ bytes: [UInt8], passphrase: [UInt8]
  ) throws(CredentialsFault) -> (SealingKey, [UInt8]) {
    do {
      var reader = ByteReader(bytes.dropFirst(magic.count + 1))
      let salt = try reader.fixed(PasswordHash.saltBytes)
      let passes = Int(try reader.integer(UInt32.self))
      let kibibytes = Int(try reader.integer(UInt32.self))
      guard kibibytes <= 4 * 1024 * 1024,
        let cost = PasswordCost(passes: passes, memoryBytes: kibibytes * 1024)
      else { throw DecodingFault.invalid("cost") }
      let key = try PasswordHash.deriveKey(passphrase: passphrase, salt: salt, cost: cost)
      return (key, try reader.fixed(reader.remaining))
    } catch {
      throw .malformed
    }
  }

  private var content: [UInt8] {
    var writer = ByteWriter()
    writer.append(local.operationName)
    writer.append(local.rootKey.raw)
    writer.append(fixed: local.networkKey.export())
    writer.append(fixed: local.signingKey.exportSeed())
    writer.append(fixed: local.agreementKey.exportSecret())
    writer.append(UInt8(local.chain.certificates.count))
    for certificate in local.chain.certificates {
      writer.append(lengthPrefixed: certificate.content)
      writer.append(fixed: certificate.signature.bytes)
    }
    return writer.bytes
  }

  private init(content: [UInt8]) throws(CredentialsFault) {
    do {
      var reader = ByteReader(content)
      let name = try reader.text()
      let rootKey = VerifyingKey(raw: try reader.bytes32())
      guard let networkKey = SealingKey(bytes: try reader.fixed(32)) else {
        throw DecodingFault.invalid("network key")
      }
      let signingKey = try SigningKey(seed: try reader.fixed(SigningKey.seedBytes))
      let agreementKey = try AgreementKey(secret: try reader.fixed(AgreementKey.secretBytes))
      var chain: [SignedCertificate] = []
      for _ in 0..<(try reader.integer(UInt8.self)) {
        let certificate = try reader.lengthPrefixed()
        chain.append(
          try SignedCertificate(
            content: certificate, signature: try reader.fixed(Signature.byteCount)))
      }
      try reader.expectEnd()
      guard
        let local = LocalDevice(
          operationName: name, rootKey: rootKey, networkKey: networkKey, signingKey: signingKey,
          agreementKey: agreementKey, chain: chain)
      else { throw DecodingFault.invalid("chain") }
      self.init(local)
    } catch {
      throw .malformed
    }
  }
}
