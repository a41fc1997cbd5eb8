internal import MusterModel

/// A prefix of a sixteen-byte key, in nibbles: the path of a node in a 16-way trie.
struct NibblePrefix: Hashable, Comparable, Sendable {
  /// The nibbles, left-aligned and zero-padded.
  let bits: Bytes16
  /// The number of nibbles, 0 to 32.
  let depth: Int

  static let root = NibblePrefix(of: .zero, depth: 0)

  init(of key: Bytes16, depth: Int) {
    precondition((0...32).contains(depth), "prefix of \(depth) nibbles")
    let highBits = min(depth, 16) * 4
    let lowBits = max(0, depth - 16) * 4
    bits = Bytes16(
      high: key.high & Self.mask(highBits), low: key.low & Self.mask(lowBits))
    self.depth = depth
  }

  /// Returns nil unless the bytes hold exactly `depth` nibbles and spare bits are zero.
  init?(packed: [UInt8], depth: Int) {
    guard (0...32).contains(depth), packed.count == (depth + 1) / 2,
      let key = Bytes16(packed + [UInt8](repeating: 0, count: 16 - packed.count))
    else { return nil }
    self.init(of: key, depth: depth)
    guard bits == key else { return nil }
  }

  var packed: [UInt8] { Array(bits.bytes.prefix((depth + 1) / 2)) }

  func child(_ nibble: Int) -> NibblePrefix {
    precondition(depth < 32 && (0..<16).contains(nibble), "child \(nibble) of depth \(depth)")
    let shift = UInt64(60 - 4 * (depth % 16))
    let bit = UInt64(nibble) << shift
    let key =
      depth < 16
      ? Bytes16(high: bits.high | bit, low: 0) : Bytes16(high: bits.high, low: bits.low | bit)
    return NibblePrefix(of: key, depth: depth + 1)
  }

  /// The smallest and the largest key with this prefix.
  var range: ClosedRange<Bytes16> {
    let highBits = min(depth, 16) * 4
    let lowBits = max(0, depth - 16) * 4
    let last = Bytes16(
      high: bits.high | ~Self.mask(highBits), low: bits.low | ~Self.mask(lowBits))
    return bits...last
  }

  static func < (left: NibblePrefix, right: NibblePrefix) -> Bool {
    left.bits != right.bits ? left.bits < right.bits : left.depth < right.depth
  }

  /// Returns a mask of the highest `count` bits.
  private static func mask(_ count: Int) -> UInt64 {
    count == 0 ? 0 : ~0 << UInt64(64 - count)
  }
}
