/// Thirty-two bytes, kept as two halves so that comparing, hashing and copying are cheap
/// and the order is that of the bytes.
public struct Bytes32: Hashable, Comparable, Sendable {
  /// The first sixteen bytes, which name the whole where the wire wants it short.
  public let prefix: Bytes16
  /// The last sixteen bytes, which only the full form tells.
  public let suffix: Bytes16

  /// Joins two halves in the order in which they are written.
  public init(prefix: Bytes16, suffix: Bytes16) {
    self.prefix = prefix
    self.suffix = suffix
  }

  /// Nil unless there are exactly thirty-two bytes.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 32,
      let prefix = Bytes16(bytes.prefix(16)), let suffix = Bytes16(bytes.dropFirst(16))
    else { return nil }
    self.init(prefix: prefix, suffix: suffix)
  }

  /// Stands for "none" in fixed-width forms.
  public static let zero = Bytes32(prefix: .zero, suffix: .zero)

  /// In the order in which they are written, `prefix` first.
  public var bytes: [UInt8] { prefix.bytes + suffix.bytes }

  /// The order of the bytes, first byte first.
  public static func < (left: Bytes32, right: Bytes32) -> Bool {
    left.prefix != right.prefix ? left.prefix < right.prefix : left.suffix < right.suffix
  }
}
