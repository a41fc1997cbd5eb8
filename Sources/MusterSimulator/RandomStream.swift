import MusterCrypto
import MusterModel

/// One of a run's random streams, determined by a seed and a name, so that the draws of one part of
/// the world do not affect another.
///
/// Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (2014). Not used for
/// secrets: keys and nonces are the replicas' own, from seeds that it supplies.
struct RandomStream: Sendable {
  private var state: UInt64

  /// Creates the stream of that name for a run's seed.
  init(seed: UInt64, named name: String) {
    var hasher = Blake2bHasher(outputBytes: 8)
    hasher.update(withUnsafeBytes(of: seed.littleEndian) { Array($0) })
    hasher.update(Array(name.utf8))
    state = hasher.finalize().reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// 0 ..< `bound`, which MUST be positive.
  mutating func below(_ bound: Int64) -> Int64 {
    precondition(bound > 0, "a choice among none")
    return Int64(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  mutating func within(_ range: ClosedRange<Int64>) -> Int64 {
    range.lowerBound + below(range.upperBound - range.lowerBound + 1)
  }

  /// Returns true with this probability; draws nothing if it is 0.
  mutating func happens(perMillion: Int64) -> Bool {
    perMillion > 0 && below(1_000_000) < perMillion
  }

  mutating func element<T>(of choices: [T]) -> T? {
    choices.isEmpty ? nil : choices[Int(below(Int64(choices.count)))]
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 32) }
  }

  /// Returns a seed for a replica, an enrolment, a founding.
  mutating func seed32() -> [UInt8] { bytes(DeterministicRandom.seedBytes) }
}
