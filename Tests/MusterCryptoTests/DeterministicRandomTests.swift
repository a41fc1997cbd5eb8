import MusterModel
import Testing

@testable import MusterCrypto

@Suite("Deterministic random")
struct DeterministicRandomTests {
  static let zeros = [UInt8](repeating: 0, count: 32)

  @Test("draws the ChaCha20 stream of RFC 8439, after the part that becomes the next key")
  func golden() {
    // Given the all-zero key, whose stream is test vectors 1 and 2 of RFC 8439, appendix A.1
    var random = DeterministicRandom(seed: Self.zeros)

    // Then the first bytes are those from the 33rd on
    let drawn = Hex.encode(random.bytes(48))
    #expect(
      drawn
        == "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"
        + "9f07e7be5551387a98ba977c732d080d")
  }

  @Test("goes on after a batch under the key that the batch began with")
  func nextBatch() {
    // Given a stream of which one batch, less its key, has been drawn
    var random = DeterministicRandom(seed: Self.zeros)
    _ = random.bytes(480)

    // Then it goes on like a stream seeded with that batch's first 32 bytes
    let key = Hex.decode("76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7")
    var next = DeterministicRandom(seed: key ?? [])
    let (rest, expected) = (random.bytes(1000), next.bytes(1000))
    #expect(rest == expected)
  }

  @Test("draws the same bytes however they are asked for", arguments: [1, 7, 32, 479, 480, 481])
  func chunking(size: Int) {
    var whole = DeterministicRandom(seed: Self.zeros)
    var parts = DeterministicRandom(seed: Self.zeros)
    let expected = whole.bytes(size * 5)
    let drawn = (0..<5).flatMap { _ in parts.bytes(size) }
    #expect(drawn == expected)
  }

  @Test("reads integers with the least significant byte first")
  func integers() {
    var random = DeterministicRandom(seed: Self.zeros)
    let drawn = [random.uint64(), random.next()]
    #expect(drawn == [0x8d48_5751_7c59_41da, 0x374a_d8b8_3fe0_2477])
  }

  @Test("gives forks streams of their own, which drawing from either leaves alone")
  func forks() {
    // Given one stream forked twice
    var parent = DeterministicRandom(seed: Self.zeros)
    var first = parent.fork()
    var second = parent.fork()
    let drawn = (first.bytes(64), second.bytes(64), parent.bytes(64))
    #expect(drawn.0 != drawn.1)
    #expect(drawn.0 != drawn.2)

    // When all is done again in another order
    var again = DeterministicRandom(seed: Self.zeros)
    var firstAgain = again.fork()
    _ = firstAgain.bytes(1000)
    var secondAgain = again.fork()

    // Then the others have not noticed
    let drawnAgain = (secondAgain.bytes(64), again.bytes(64))
    #expect(drawnAgain.0 == drawn.1)
    #expect(drawnAgain.1 == drawn.2)
  }

  @Test("chooses below a bound with equal likelihood", arguments: [1, 2, 3, 10, 17, 64])
  func uniformity(bound: UInt64) {
    // Given many choices
    var random = DeterministicRandom(seed: [UInt8](repeating: 42, count: 32))
    let draws = 60_000
    var counts = [Int](repeating: 0, count: Int(bound))
    for _ in 0..<draws { counts[Int(random.uniform(below: bound))] += 1 }

    // Then chi-squared is no further from its mean than six standard deviations
    let expected = Double(draws) / Double(bound)
    let chiSquared = counts.reduce(0.0) { sum, count in
      let deviation = Double(count) - expected
      return sum + deviation * deviation / expected
    }
    let freedom = Double(bound - 1)
    #expect(chiSquared <= freedom + 6 * (2 * freedom).squareRoot())
  }

  @Test("is not biased where the bound does not divide the range")
  func largeBound() {
    // Given a bound of three quarters of the range, where to multiply without rejecting would make
    // the multiples of three twice as likely as the rest, and to take remainders the lowest third
    let bound: UInt64 = 3 << 62
    var random = DeterministicRandom(seed: [UInt8](repeating: 7, count: 32))
    let draws = (0..<30_000).map { _ in random.uniform(below: bound) }
    let (low, multiples) = (draws.count { $0 < bound / 3 }, draws.count { $0 % 3 == 0 })

    // Then each is a third of the draws
    #expect((9_500...10_500).contains(low))
    #expect((9_500...10_500).contains(multiples))
  }

  @Test("makes keys and nonces that a replay makes again")
  func keys() {
    func draw() -> [[UInt8]] {
      var random = DeterministicRandom(seed: Self.zeros)
      return [
        random.signingKey().publicKey.bytes, random.agreementKey().publicKey.bytes,
        random.sealingKey().export(), random.nonce24().bytes, random.bytes16().bytes,
      ]
    }
    #expect(draw() == draw())
    #expect(Set(draw()).count == 5)
  }

  @Test("is seeded by the system with other bytes each time")
  func systemSeed() {
    #expect(SystemRandom.seed().count == 32)
    #expect(SystemRandom.seed() != SystemRandom.seed())
  }
}
