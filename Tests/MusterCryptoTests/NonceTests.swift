import Foundation
import Testing

@testable import MusterCrypto

/// Row A8 of the faults: no nonce is given twice. `MUSTER_VOLUME=10000000` for the whole volume.
@Suite("Nonces")
struct NonceTests {
  private static let volume =
    ProcessInfo.processInfo.environment["MUSTER_VOLUME"].flatMap(Int.init) ?? 50_000

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
}
