public import MusterCrypto
public import MusterModel

/// The bytes of a bundle's file (docs/wire.md §14).
///
///     "muster bundle 2\n" ‖ rules version ‖ salt ‖ mark of the operation ‖ check
///                                                            │ piece │ piece │ … │ end mark
///                                              piece: length ‖ nonce ‖ ciphertext ‖ tag
///
/// Every piece is sealed under the network key with its number, so that an outsider reads nothing
/// and nothing can be left out, doubled or put elsewhere unnoticed; whether what it says holds is
/// proved as on the wire.
public struct BundleForm: Sendable {
  static let magic = Array("muster bundle 2\n".utf8)
  /// Of bundles that state no rules version.
  static let unversionedMagic = Array("muster bundle 1\n".utf8)
  static let headerBytes = magic.count + 1 + 16 + 16 + checkBytes
  private static let checkBytes = 4
  /// A run of 33 frames, and room for more.
  static let largestPieceBytes = 64 * 1024
  /// Records that go together.
  public static let recordsPerPiece = 32
  /// Keys that go together.
  public static let keysPerPiece = 256

  private let operation: OperationID
  private let networkKey: SealingKey
  private let rules: RulesVersion
  let salt: Bytes16

  /// - Parameter salt: 16 random bytes, of each file its own.
  public init(of local: LocalDevice, salt: Bytes16) {
    operation = local.operation
    networkKey = local.networkKey
    rules = local.rulesVersion
    self.salt = salt
  }

  /// What the file begins with. Which operation it is of only its members can tell.
  public var header: [UInt8] {
    var writer = ByteWriter()
    writer.append(fixed: Self.magic)
    writer.append(rules.raw)
    writer.append(salt)
    writer.append(Self.mark(of: operation, salt: salt))
    writer.append(fixed: Self.check(writer.bytes))
    return writer.bytes
  }

  static func mark(of operation: OperationID, salt: Bytes16) -> Bytes16 {
    Blake2b.hash128(Tag.bundle, operation.bytes, salt.bytes)
  }

  static func check(_ bytes: [UInt8]) -> [UInt8] {
    Array(Blake2b.hash128(Tag.bundle, bytes).bytes.prefix(checkBytes))
  }

  /// One piece of the file; the nonce MUST be fresh.
  public func sealed(_ carried: Carried, number: UInt64, nonce: Nonce24) -> [UInt8] {
    sealed(plaintext: carried.encoded(), number: number, nonce: nonce)
  }

  func sealed(plaintext: [UInt8], number: UInt64, nonce: Nonce24) -> [UInt8] {
    let body = networkKey.sealBody(
      plaintext, drawn: nonce, additionalData: additionalData(number))
    precondition(body.count <= Self.largestPieceBytes, "a piece of \(body.count) bytes")
    var writer = ByteWriter()
    writer.append(lengthPrefixed: body)
    return writer.bytes
  }

  func opened(_ body: ArraySlice<UInt8>, number: UInt64) -> [UInt8]? {
    networkKey.openBody(body, additionalData: additionalData(number))
  }

  private func additionalData(_ number: UInt64) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(fixed: Tag.bundle)
    writer.append(operation)
    writer.append(rules.raw)
    writer.append(salt)
    writer.append(number)
    return writer.bytes
  }
}
