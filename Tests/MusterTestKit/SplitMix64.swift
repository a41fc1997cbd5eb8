/// Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (2014): a failing test
/// is repeated from its seed alone.
package struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  package mutating func number(below bound: Int) -> Int { Int(next() % UInt64(bound)) }

  package mutating func chance(oneIn bound: Int) -> Bool { number(below: bound) == 0 }

  /// Returns a random element of one or more.
  package mutating func choice<Element>(of elements: [Element]) -> Element {
    elements[number(below: elements.count)]
  }

  package mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }
}
