import MusterCrypto
import Testing

@Suite("The replay window")
struct ReplayWindowTests {
  /// A reference implementation of the window, as simple as possible.
  struct NaiveWindow {
    var greatest: UInt64?
    var seen: Set<UInt64> = []

    mutating func accept(_ counter: UInt64) -> Bool {
      guard counter < UInt64.max - 8191 else { return false }
      if let greatest, counter < greatest, greatest - counter >= 2048 { return false }
      greatest = max(greatest ?? 0, counter)
      return seen.insert(counter).inserted
    }
  }

  @Test("accepts each counter once")
  func repeats() {
    var window = ReplayWindow()
    let accepted = [0, 0, 1, 1, 0].map { window.accept($0) }
    #expect(accepted == [true, false, true, false, false])
  }

  @Test("finds the whole counter nearest to the greatest from its last 32 bits")
  func shortCounters() {
    for greatest in [0, 5, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 40, .max - 8192] as [UInt64] {
      var window = ReplayWindow()
      _ = window.accept(greatest)
      for distance in [0, 1, 2047, (1 << 31) - 1] as [UInt64] {
        let later = greatest &+ distance
        if later > greatest || distance == 0 {
          #expect(window.counter(endingIn: UInt32(truncatingIfNeeded: later)) == later)
        }
        guard distance <= greatest else { continue }
        let earlier = greatest - distance
        #expect(window.counter(endingIn: UInt32(truncatingIfNeeded: earlier)) == earlier)
      }
    }
  }

  @Test("accepts late counters up to 2,047 behind, and none older")
  func lateness() {
    var window = ReplayWindow()
    let counters: [UInt64] = [5000, 5000 - 2047, 5000 - 2047, 5000 - 2048, 0]
    #expect(counters.map { window.accept($0) } == [true, true, false, false, false])
  }

  @Test("forgets nothing within its width when it jumps far")
  func jumps() {
    var window = ReplayWindow()
    let far: UInt64 = 1 << 40
    let counters = [63, far, 63, far - 1, far, far - 1]
    #expect(counters.map { window.accept($0) } == [true, true, false, true, false, false])
  }

  @Test("refuses counters so high that the session should have been renewed, and stays put")
  func limit() {
    var window = ReplayWindow()
    let limit: UInt64 = 0 &- (1 << 13)
    let counters = [.max, limit, 0, limit - 1]
    #expect(counters.map { window.accept($0) } == [false, false, true, true])
  }

  @Test("agrees with a naive model over random counters", arguments: UInt8(1)...12)
  func model(seed: UInt8) {
    // Given counters that mostly creep forward, with late ones, repeats and jumps among them
    var random = DeterministicRandom(seed: [UInt8](repeating: seed, count: 32))
    var window = ReplayWindow()
    var naive = NaiveWindow()
    var newest: UInt64 = random.uniform(below: 10_000)
    var accepted = 0
    for step in 0..<20_000 {
      let counter: UInt64
      switch random.uniform(below: 100) {
      case 0..<50: counter = newest + random.uniform(below: 3)
      case 50..<97: counter = newest - min(newest, random.uniform(below: 2200))
      case 97: counter = newest + 64 * random.uniform(below: 70)
      case 98: counter = newest + random.uniform(below: 1 << 20)
      default: counter = random.uniform(below: newest + 1)
      }
      newest = max(newest, counter)

      // Then both give the same result for each
      let expected = naive.accept(counter)
      let actual = window.accept(counter)
      #expect(actual == expected, "seed \(seed), step \(step), \(counter)")
      if expected { accepted += 1 }
    }
    #expect(accepted > 5000)
  }
}
