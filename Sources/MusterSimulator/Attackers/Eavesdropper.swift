/// An outsider without any key, which records all traffic and replays it, or sends noise.
struct Eavesdropper {
  private(set) var recorded: [[UInt8]] = []
  private var captured = 0
  private var random: RandomStream
  private static let most = 4096

  init(seed: UInt64) { random = RandomStream(seed: seed, named: "eavesdropper") }

  /// Keeps a fair sample of the traffic when it cannot keep all.
  mutating func capture(_ bytes: [UInt8]) {
    captured += 1
    guard recorded.count == Self.most else { return recorded.append(bytes) }
    let place = Int(random.below(Int64(captured)))
    if place < Self.most { recorded[place] = bytes }
  }

  mutating func repetition() -> [UInt8]? { random.element(of: recorded) }

  mutating func noise() -> [UInt8] {
    var bytes = random.bytes(Int(random.within(1...1400)))
    // The first byte is the datagram kind: most noise should get beyond its check.
    if random.below(4) != 0 { bytes[0] = UInt8(random.within(1...9)) }
    return bytes
  }

  mutating func victim(of count: Int) -> Int { Int(random.below(Int64(count))) }
}
