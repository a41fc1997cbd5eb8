import MusterModel
import MusterTestKit
import Testing

@testable import MusterCrypto

/// Row A8 of the faults: no nonce is given twice. `MUSTER_VOLUME=10000000` for the whole volume.
@Suite("Nonces")
struct NonceTests {
  private static let volume = Volume.orUsual(50_000)

  @Test func `none comes twice, of one source or of two that part`() {
    var random = DeterministicRandom(seed: [UInt8](repeating: 9, count: 32))
    var other = random.fork()
    // Eight of their bytes distinguish ten million, except once in four hundred thousand runs.
    var drawn: [UInt64] = []
    drawn.reserveCapacity(Self.volume)
    for number in 0..<Self.volume {
      let nonce = number.isMultiple(of: 2) ? random.nonce24() : other.nonce24()
      drawn.append(nonce.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    }
    drawn.sort()
    let repeated = zip(drawn, drawn.dropFirst()).count { $0 == $1 }
    #expect(repeated == 0)
  }

  @Test func `one drawn nonce gives every plaintext and header a nonce of its own`() throws {
    let key = try #require(SealingKey(bytes: [UInt8](repeating: 4, count: 32)))
    let other = try #require(SealingKey(bytes: [UInt8](repeating: 5, count: 32)))
    var random = DeterministicRandom(seed: [UInt8](repeating: 9, count: 32))
    let drawn = random.nonce24()
    var nonces: Set<[UInt8]> = []
    for length in [0, 1, 16, 900] {
      for last: UInt8 in 0..<25 {
        let plaintext = [UInt8](repeating: 0, count: length) + [last]
        nonces.insert(Array(key.sealBody(plaintext, drawn: drawn, additionalData: []).prefix(24)))
        nonces.insert(
          Array(key.sealBody(plaintext, drawn: drawn, additionalData: [0]).prefix(24)))
        nonces.insert(
          Array(other.sealBody(plaintext, drawn: drawn, additionalData: []).prefix(24)))
      }
    }
    #expect(nonces.count == 300)
  }

  @Test func `copies of a source draw other bytes once they are given other entropy`() {
    let snapshot = DeterministicRandom(seed: [UInt8](repeating: 9, count: 32))
    var drawn: Set<[UInt8]> = []
    for number: UInt64 in 0..<100 {
      for _ in 0..<2 {
        var copy = snapshot
        copy.stir(Bytes16(high: 7, low: number))
        drawn.insert(copy.bytes(24))
      }
    }
    #expect(drawn.count == 100)
  }
}
