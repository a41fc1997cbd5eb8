/// Thirty-two bytes, stored as two halves: comparison, hashing and copying are cheap, and the order
/// is that of the bytes.
public struct Bytes32: Hashable, Comparable, Sendable {
  /// The first sixteen bytes, which name the whole where the wire uses a short form.
  public let prefix: Bytes16
  /// The last sixteen bytes, which only the full form contains.
  public let suffix: Bytes16

  /// Joins two halves in written order.
  public init(prefix: Bytes16, suffix: Bytes16) {
    self.prefix = prefix
    self.suffix = suffix
  }

  /// Returns nil unless there are exactly thirty-two bytes.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 32,
      let prefix = Bytes16(bytes.prefix(16)), let suffix = Bytes16(bytes.dropFirst(16))
    else { return nil }
    self.init(prefix: prefix, suffix: suffix)
  }

  /// Represents "none" in fixed-width encodings.
  public static let zero = Bytes32(prefix: .zero, suffix: .zero)

  /// The bytes in written order, `prefix` first.
  public var bytes: [UInt8] { prefix.bytes + suffix.bytes }

  /// The order of the bytes, first byte first.
  public static func < (left: Bytes32, right: Bytes32) -> Bool {
    left.prefix != right.prefix ? left.prefix < right.prefix : left.suffix < right.suffix
  }
}
