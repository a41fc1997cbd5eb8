public import MusterModel

/// The only randomness of pure code: a stream that a seed determines, so that a run can be
/// replayed, and that is unpredictable without the seed.
///
/// ChaCha20 with *fast key erasure*: each batch of key stream begins with the key of the next one,
/// and used output is cleared, so that a memory disclosure reveals nothing drawn before. (D. J.
/// Bernstein, "Fast-key-erasure random-number generators", 2017.)
///
/// A copy repeats what the original will draw: keep one in one place and `fork` it for others.
public struct DeterministicRandom: RandomNumberGenerator, Sendable, Redacted {
  /// The length of a seed.
  public static let seedBytes = ChaCha20.keyBytes

  private static let batchBytes = 512

  private var key: SecretBytes
  private var batch: [UInt8] = []
  private var position = 0
  /// Entropy that the next draw mixes in.
  private var stirring: Bytes16?

  /// `seed` MUST be 32 bytes: from `SystemRandom` in a node, from the scenario in a simulation.
  public init(seed: [UInt8]) {
    precondition(seed.count == Self.seedBytes, "a seed of \(seed.count) bytes")
    key = SecretBytes(seed)
  }

  /// Mixes entropy into everything that is drawn from here on: a copy of this stream that was given
  /// other entropy draws other bytes. Entropy that an attacker knows or chose weakens nothing.
  public mutating func stir(_ entropy: Bytes16) { stirring = entropy }

  /// Returns the next bytes of the stream; `count` MUST NOT be negative.
  public mutating func bytes(_ count: Int) -> [UInt8] {
    precondition(count >= 0, "\(count) random bytes")
    if let stirring { mix(stirring) }
    var drawn: [UInt8] = []
    drawn.reserveCapacity(count)
    while drawn.count < count {
      if position == batch.count { refill() }
      let end = min(batch.count, position + count - drawn.count)
      drawn.append(contentsOf: batch[position..<end])
      for index in position..<end { batch[index] = 0 }
      position = end
    }
    return drawn
  }

  /// Returns eight bytes of the stream, the first the least significant.
  public mutating func uint64() -> UInt64 {
    bytes(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Returns the next value for the standard library's shuffles and choices.
  public mutating func next() -> UInt64 { uint64() }

  /// Returns a uniformly distributed number in 0 ..< `bound`; `bound` MUST NOT be zero.
  ///
  /// Implemented here, since the standard library's method may change between releases and with it
  /// every replay. (D. Lemire, "Fast random integer generation in an interval", 2019.)
  public mutating func uniform(below bound: UInt64) -> UInt64 {
    precondition(bound > 0, "a choice among none")
    // Of the 2^64 products this many are surplus; dropping them leaves as many for each result.
    let surplus = (0 &- bound) % bound
    while true {
      let product = uint64().multipliedFullWidth(by: bound)
      if product.low >= surplus { return product.high }
    }
  }

  /// Returns an independent stream for another part of the program: the draws of either reveal and
  /// change nothing of the other's.
  public mutating func fork() -> DeterministicRandom {
    DeterministicRandom(seed: bytes(Self.seedBytes))
  }

  /// The next batch depends on the present key and on the entropy; the rest of this one is dropped.
  private mutating func mix(_ entropy: Bytes16) {
    stirring = nil
    key = SecretBytes(count: ChaCha20.keyBytes) { output in
      entropy.bytes.withUnsafeBytes {
        Blake2b.keyed($0, key: key, to: output, count: ChaCha20.keyBytes)
      }
    }
    for index in position..<batch.count { batch[index] = 0 }
    position = batch.count
  }

  private mutating func refill() {
    batch = ChaCha20.stream(count: Self.batchBytes, key: key)
    key = SecretBytes(batch.prefix(ChaCha20.keyBytes))
    for index in 0..<ChaCha20.keyBytes { batch[index] = 0 }
    position = ChaCha20.keyBytes
  }
}
