/// Sixteen bytes, stored as two big-endian words: comparison, hashing and copying are cheap, and
/// the order is that of the bytes.
public struct Bytes16: Hashable, Comparable, Sendable {
  /// The first eight bytes.
  public let high: UInt64
  /// The last eight bytes.
  public let low: UInt64

  /// Joins two words, each in big-endian order.
  @inlinable public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Returns nil unless there are exactly sixteen bytes.
  @inlinable
  public init?(_ bytes: some Sequence<UInt8>) {
    var words: (UInt64, UInt64) = (0, 0)
    var count = 0
    for byte in bytes {
      guard count < 16 else { return nil }
      if count < 8 {
        words.0 = words.0 << 8 | UInt64(byte)
      } else {
        words.1 = words.1 << 8 | UInt64(byte)
      }
      count += 1
    }
    guard count == 16 else { return nil }
    self.init(high: words.0, low: words.1)
  }

  /// Represents "none" in fixed-width encodings.
  public static let zero = Bytes16(high: 0, low: 0)

  /// The bytes in written order, `high` first.
  public var bytes: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
      for index in 0..<8 {
        buffer[index] = UInt8(truncatingIfNeeded: high >> UInt64(56 - 8 * index))
        buffer[8 + index] = UInt8(truncatingIfNeeded: low >> UInt64(56 - 8 * index))
      }
      count = 16
    }
  }

  /// The order of the bytes, first byte first.
  @inlinable public static func < (left: Bytes16, right: Bytes16) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }
}
