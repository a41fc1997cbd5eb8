public import MusterCrypto
public import MusterModel

/// The byte layout of a bundle file (docs/wire.md §14).
///
///     "muster bundle 2\n" ‖ rules version ‖ salt ‖ mark of the operation ‖ check
///                                                            │ piece │ piece │ … │ end mark
///                                              piece: length ‖ nonce ‖ ciphertext ‖ tag
///
/// Every piece is sealed under the network key together with its number. An outsider can read none
/// of them, and a piece that is removed, duplicated or moved is detected. The content of a piece is
/// verified as if it was received from a peer.
public struct BundleForm: Sendable {
  static let magic = Array("muster bundle 2\n".utf8)
  /// The magic of bundles that state no rules version.
  static let unversionedMagic = Array("muster bundle 1\n".utf8)
  static let headerBytes = magic.count + 1 + 16 + 16 + checkBytes
  private static let checkBytes = 4
  /// The nonce and the tag of a piece.
  private static let sealBytes = 24 + 16
  /// Fits a run of 33 frames, with room to spare.
  static let largestPieceBytes = 64 * 1024
  /// The maximum number of records in a piece.
  public static let recordsPerPiece = 32
  /// The maximum number of keys in a piece.
  public static let keysPerPiece = 256

  private let operation: OperationID
  private let networkKey: SealingKey
  private let rules: RulesVersion
  let salt: Bytes16

  /// - Parameter salt: 16 random bytes, drawn for this file.
  public init(of local: LocalDevice, salt: Bytes16) {
    operation = local.operation
    networkKey = local.networkKey
    rules = local.rulesVersion
    self.salt = salt
  }

  /// The header of the file. Only members of the operation can derive from it which operation it
  /// belongs to.
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

  /// Returns one piece of the file, or nil if it does not fit: content of a database that others
  /// write. The nonce MUST be fresh.
  public func sealedIfItFits(_ carried: BundleItem, number: UInt64, nonce: Nonce24) -> [UInt8]? {
    let plaintext = carried.encoded()
    guard plaintext.count <= Self.largestPieceBytes - Self.sealBytes else {
      return nil
    }
    return sealed(plaintext: plaintext, number: number, nonce: nonce)
  }

  /// Returns one piece of the file. The nonce MUST be fresh.
  public func sealed(_ carried: BundleItem, number: UInt64, nonce: Nonce24) -> [UInt8] {
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
