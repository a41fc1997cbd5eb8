/// The replay window of a session, which accepts each counter once.
///
/// The bitmap of RFC 6479: a ring of 64-bit blocks. Entering a block clears it, so that moving
/// forward never shifts bits. One block more than the window's width is kept, because the newest
/// counter may be at the start of its block.
///
/// ```
///          greatest − 2047          greatest
/// rejected │ accepted once each     │ accepted, and the window moves up
/// ```
public struct ReplayWindow: Sendable {
  /// How many counters, including the greatest, may still arrive late.
  public static let width: UInt64 = 2048
  /// From here on counters are rejected: a session is renewed long before it could wrap.
  public static let counterLimit: UInt64 = 0 &- (1 << 13)

  private static let bitsPerBlock: UInt64 = 64
  private static let blockCount = width / bitsPerBlock + 1

  private var greatest: UInt64 = 0
  private var blocks = [UInt64](repeating: 0, count: Int(blockCount))

  /// Creates an empty window.
  public init() {}

  /// Returns the counter with these low bits that is nearest to the greatest accepted one, since
  /// datagrams carry only these bits.
  public func counter(endingIn low: UInt32) -> UInt64 {
    let ahead = low &- UInt32(truncatingIfNeeded: greatest)
    let behind = UInt64(1 << 32) - UInt64(ahead)
    return ahead < 1 << 31 || behind > greatest ? greatest &+ UInt64(ahead) : greatest - behind
  }

  /// Accepts a counter. Returns whether it is new.
  ///
  /// MUST be called only once the datagram has been authenticated. Otherwise an attacker could move
  /// the window past the counters of genuine datagrams.
  public mutating func accept(_ counter: UInt64) -> Bool {
    guard counter < Self.counterLimit else { return false }
    let block = counter / Self.bitsPerBlock
    if counter > greatest {
      clearBlocks(after: greatest / Self.bitsPerBlock, through: block)
      greatest = counter
    } else if greatest - counter >= Self.width {
      return false
    }
    let index = Int(block % Self.blockCount)
    let bit: UInt64 = 1 << (counter % Self.bitsPerBlock)
    guard blocks[index] & bit == 0 else { return false }
    blocks[index] |= bit
    return true
  }

  private mutating func clearBlocks(after old: UInt64, through new: UInt64) {
    for step in 0..<min(new - old, Self.blockCount) {
      blocks[Int((new - step) % Self.blockCount)] = 0
    }
  }
}
