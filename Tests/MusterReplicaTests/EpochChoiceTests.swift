import MusterModel
import MusterSync
import Testing

@testable import MusterReplica

@Suite("The choice of the epoch for writing")
struct EpochChoiceTests {
  private func epoch(
    _ number: UInt64, generation: UInt32, isCommand: Bool = true, rank: Int = 1,
    maker: UInt64 = 1
  ) -> CountingEpoch {
    let certificate = CertificateHash(
      raw: Bytes32(prefix: Bytes16(high: maker, low: 0), suffix: .zero))
    return CountingEpoch(
      announcement: EpochAnnouncement(
        id: EpochID(raw: Bytes16(high: number, low: 0)), generation: generation, base: nil,
        excludes: [], sealed: []),
      rank: rank, certificate: certificate, isCommand: isCommand,
      place: AnnouncementPosition(
        certificate: certificate, log: LogID(raw: .zero), sequence: 1, index: 0))
  }

  private func order(_ epochs: [CountingEpoch]) -> [UInt64] {
    var counting = CountingEpochs()
    for epoch in epochs { counting.add(epoch) }
    return counting.ordered { _ in true }.map(\.raw.high)
  }

  @Test func `the greatest reachable generation comes first`() {
    #expect(order([epoch(1, generation: 1), epoch(2, generation: 2)]) == [2, 1])
  }

  @Test func `a generation far beyond the others comes last, with any author`() {
    let honest = [epoch(7, generation: 1), epoch(8, generation: 2)]
    #expect(order(honest + [epoch(1, generation: .max)]) == [8, 7, 1])
    #expect(order(honest + [epoch(1, generation: .max, isCommand: false)]) == [8, 7, 1])
    // and the next rotation is the epoch for writing.
    var counting = CountingEpochs()
    for epoch in honest + [epoch(1, generation: .max)] { counting.add(epoch) }
    #expect(counting.reach == 2)
    counting.add(epoch(9, generation: counting.reach + 1))
    #expect(counting.ordered { _ in true }.first?.raw.high == 9)
  }

  @Test func `a commander's epoch comes before a member's with a greater generation`() {
    #expect(
      order([epoch(9, generation: 3), epoch(1, generation: 4, isCommand: false)]) == [9, 1])
  }

  @Test func `a chosen id gives no advantage between two authors`() {
    let near = epoch(9, generation: 3, rank: 1, maker: 5)
    let far = epoch(1, generation: 3, rank: 2, maker: 4)
    #expect(order([near, far]) == [9, 1])
    #expect(
      order([epoch(9, generation: 3, maker: 4), epoch(1, generation: 3, maker: 5)]) == [9, 1])
  }

  @Test func `another device's announcement of an epoch does not exclude it`() {
    var counting = CountingEpochs()
    counting.add(epoch(5, generation: 2, maker: 2))
    counting.add(epoch(5, generation: 3, maker: 1))
    let fit = counting.ordered { $0.generation == 2 }
    #expect(fit.map(\.raw.high) == [5])
  }

  @Test func `an epoch whose bases were cut off is used while there is no better one`() {
    var counting = CountingEpochs()
    counting.add(epoch(5, generation: 5000))
    #expect(counting.ordered { _ in true }.map(\.raw.high) == [5])
    counting.add(epoch(6, generation: counting.reach + 1))
    #expect(counting.ordered { _ in true }.map(\.raw.high) == [6, 5])
  }
}
