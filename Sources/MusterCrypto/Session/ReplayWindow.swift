/// Remembers which of a session's counters arrived, so that a recorded datagram counts once.
///
/// The bitmap of RFC 6479: a ring of 64-bit blocks, of which the one being entered is cleared, so
/// that moving forward never shifts bits. One block more than the window's width is kept, because
/// the newest counter may stand at the start of its block.
///
/// ```
///        greatest − 2047          greatest
///  refused │ accepted once each │ accepted, and the window moves up
/// ```
public struct ReplayWindow: Sendable {
  /// How many counters, the greatest included, can still arrive late.
  public static let width: UInt64 = 2048
  /// From here on a counter is refused: a session is renewed long before it could wrap.
  public static let counterLimit: UInt64 = 0 &- (1 << 13)

  private static let bitsPerBlock: UInt64 = 64
  private static let blockCount = width / bitsPerBlock + 1

  private var greatest: UInt64 = 0
  private var blocks = [UInt64](repeating: 0, count: Int(blockCount))

  /// A window that has seen nothing.
  public init() {}

  /// The counter that ends in these bits and stands nearest to the greatest that arrived: datagrams
  /// carry no more of it.
  public func counter(endingIn low: UInt32) -> UInt64 {
    let ahead = low &- UInt32(truncatingIfNeeded: greatest)
    let behind = UInt64(1 << 32) - UInt64(ahead)
    return ahead < 1 << 31 || behind > greatest ? greatest &+ UInt64(ahead) : greatest - behind
  }

  /// Whether this counter is new; if so it is remembered.
  ///
  /// MUST be called only once the datagram has been authenticated, or anyone could move the
  /// window past what honest datagrams still carry.
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
