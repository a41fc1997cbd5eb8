import MusterModel
import MusterStore
import Testing

@testable import MusterReplica

/// The record outside the database that shows what damage took.
@Suite("Frontier")
struct FrontierTests {
  private let credentials = Self.credentials(1)
  private static func credentials(_ number: UInt8) -> Credentials {
    Genesis(
      operationName: "Ridge", seed: [UInt8](repeating: number, count: 32),
      now: Timestamp(milliseconds: 1)
    ).credentials
  }
  private let seed = [UInt8](repeating: 9, count: 32)

  private func head(_ log: UInt64, _ sequence: UInt64) -> KnownHead {
    KnownHead(
      log: LogID(raw: Bytes16(high: 7, low: log)),
      certificate: CertificateHash(raw: Bytes32(prefix: Bytes16(high: 0, low: log), suffix: .zero)),
      sequence: sequence)
  }

  @Test func `they are read back unchanged`() throws {
    let holdings = Frontier([head(2, 5), head(1, Limits.lastSequence), head(3, 0)])
    let bytes = holdings.sealed(counter: 12, of: credentials, seed: seed)
    let opened = try #require(Frontier.opened(bytes, of: credentials))
    #expect(opened.counter == 12)
    #expect(opened.holdings == holdings)
    #expect(opened.holdings.heads.map(\.sequence) == [Limits.lastSequence, 5, 0])
  }

  @Test func `damaged, truncated, extended or foreign holdings are rejected`() {
    let bytes = Frontier([head(1, 5)]).sealed(counter: 1, of: credentials, seed: seed)
    for place in bytes.indices {
      var flipped = bytes
      flipped[place] ^= 0x10
      #expect(Frontier.opened(flipped, of: credentials) == nil, "byte \(place)")
      #expect(Frontier.opened(Array(bytes[..<place]), of: credentials) == nil, "\(place) bytes")
    }
    #expect(Frontier.opened(bytes + [0], of: credentials) == nil)
    #expect(Frontier.opened(bytes, of: Self.credentials(2)) == nil)
  }

  @Test func `nothing of them can be read without the key`() {
    let named = head(0x0123_4567_89AB_CDEF, 0x42)
    let bytes = Frontier([named]).sealed(counter: 1, of: credentials, seed: seed)
    let id: [UInt8] = [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF]
    #expect(!bytes.indices.contains { bytes[$0...].starts(with: id) })
  }

  @Test func `of one log the furthest counts, and of too many the longest`() {
    #expect(Frontier([head(1, 3), head(1, 7), head(1, 5)]).heads == [head(1, 7)])
    let many = (0..<UInt64(Limits.holdings) + 50).map { head($0, $0) }
    let kept = Frontier(many).heads
    #expect(kept.count == Limits.holdings)
    #expect(kept.first == head(50, 50))
    let bytes = Frontier(many).sealed(counter: 1, of: credentials, seed: seed)
    #expect(bytes.count == Frontier.mostBytes)
  }
}
