import MusterCrypto
import MusterModel
import Testing

@testable import MusterSync

@Suite("Earlier fixes in a position record")
struct EarlierFixWireTests {
  private let later = RecordOrder(
    generation: 3, incarnation: Incarnation(raw: Bytes16(high: 0, low: 9)), counter: 50)

  private func fix(_ counter: UInt64, generation: UInt32 = 3, incarnation: UInt64 = 9) -> EarlierFix
  {
    guard let place = Coordinate(latitudeE7: 460_000_000, longitudeE7: -145_000_000) else {
      preconditionFailure("a place")
    }
    return EarlierFix(
      order: RecordOrder(
        generation: generation, incarnation: Incarnation(raw: Bytes16(high: 0, low: incarnation)),
        counter: counter), position: place, accuracyDecimetres: counter == 7 ? nil : 5000)
  }

  private func read(_ fixes: [EarlierFix]) -> [EarlierFix] {
    EarlierFix.list(fixes.map { $0.wire(before: later) }, before: later)
  }

  @Test func `are read as they were written`() {
    let fixes = [
      fix(70, generation: 2), fix(7, incarnation: 8), fix(8), fix(49),
    ]
    #expect(read(fixes) == fixes)
    #expect(read([]) == [])
  }

  @Test func `of a wrong number or order are ignored, and the position counts`() {
    #expect(read([fix(1), fix(2), fix(3), fix(4), fix(5)]).isEmpty, "five")
    #expect(read([fix(2), fix(2)]).isEmpty, "one twice")
    #expect(read([fix(50)]).isEmpty, "the record itself")
    #expect(read([fix(1, incarnation: 10)]).isEmpty, "a later one")
    var wire = fix(1).wire(before: later)
    wire.incarnation = .init([1, 2, 3])
    #expect(EarlierFix.list([wire], before: later).isEmpty)
    wire = fix(1).wire(before: later)
    wire.position.latitudeE7 = .max
    #expect(EarlierFix.list([wire, fix(2).wire(before: later)], before: later).isEmpty)
    wire = fix(1).wire(before: later)
    wire.generation = Limits.lastGeneration + 1
    #expect(EarlierFix.list([wire], before: later).isEmpty)
  }

  @Test func `are sealed in the record, and cost 25 bytes each`() throws {
    var cast = Cast(seed: 84)
    let local = cast.enrol(.member)
    var random = DeterministicRandom(seed: Cast.seed(85))
    let key = try #require(SealingKey(bytes: cast.epoch.key))
    let place = fix(1).position
    let time = Timestamp(milliseconds: 1_750_000_000_000)
    func record(_ earlier: [EarlierFix]) -> LatestRecord {
      LatestRecord.position(
        PositionReport(
          fix: Fix(position: place, accuracyDecimetres: 5000, sampleTime: time), reportedAt: time),
        after: earlier, stamp: nil, operation: local.operation,
        certificate: local.certificate.hash, order: later, epoch: cast.epoch.id, key: key,
        nonce: random.nonce24(), signedBy: local.signingKey)
    }
    let fixes = [fix(7), fix(8)]
    let read = try #require(record(fixes).position(operation: local.operation, key: key))
    #expect(read.earlier == fixes && read.report.fix.position == place)
    let sizes = [[], [fix(8)]].map { record($0).body.count }
    #expect(sizes[1] - sizes[0] == 25 - 4, "a counter of one byte; one of six is usual")
  }
}
