import MusterCrypto
import MusterModel
import Testing

@testable import MusterSync

@Suite("The age of a fix in a position record")
struct FixAgeWireTests {
  private static func order(_ counter: UInt64, generation: UInt32 = 3) -> RecordOrder {
    RecordOrder(
      generation: generation, incarnation: Incarnation(raw: Bytes16(high: 0, low: 9)),
      counter: counter)
  }

  private static let ages = [
    FixAge.none, FixAge(.exactly(milliseconds: 5)),
    FixAge(.about(milliseconds: 200), heldMilliseconds: 60_000),
    FixAge(.atLeast(milliseconds: 10_800_000)), FixAge(.unknown, heldMilliseconds: 7),
  ]

  @Test(arguments: ages, [order(50), order(7), order(60, generation: 2)])
  func `is read as it was written, with the record that published the fix`(
    age: FixAge, first: RecordOrder
  ) throws {
    var cast = Cast(seed: 95)
    let local = cast.enrol(.member)
    var random = DeterministicRandom(seed: Cast.seed(96))
    let key = try #require(SealingKey(bytes: cast.epoch.key))
    let place = try #require(Coordinate(latitudeE7: 460_000_000, longitudeE7: -145_000_000))
    let time = Timestamp(milliseconds: 1_750_000_000_000)
    let record = LatestRecord.position(
      PositionReport(
        fix: Fix(position: place, accuracyDecimetres: 50, sampleTime: time), reportedAt: time,
        age: age),
      firstIn: first, of: Bytes16(high: 1, low: 2), stamp: nil, operation: local.operation,
      certificate: local.certificate.hash, order: Self.order(50), epoch: cast.epoch.id, key: key,
      nonce: random.nonce24(), signedBy: local.signingKey)
    let read = try #require(record.position(operation: local.operation, key: key))
    #expect(read.report.age == age && read.fixOrder == first)
    #expect(record.trackerContact(operation: local.operation, key: key) == nil)
  }

  @Test func `may be missing, with the fix, in a contact with a tracker`() throws {
    var cast = Cast(seed: 97)
    let local = cast.enrol(.member)
    var random = DeterministicRandom(seed: Cast.seed(98))
    let key = try #require(SealingKey(bytes: cast.epoch.key))
    let boot = BootID(raw: Bytes16(high: 1, low: 1))
    let stamp = try #require(
      Stamp(boot: boot, milliseconds: 3_600_000).flatMap { RecordStamp($0, echoes: nil) })
    let record = LatestRecord.contact(
      ofTracker: Bytes16(high: 1, low: 2), at: Timestamp(milliseconds: 1000), batteryPercent: 55,
      stamp: stamp, operation: local.operation, certificate: local.certificate.hash,
      order: Self.order(50), epoch: cast.epoch.id, key: key, nonce: random.nonce24(),
      signedBy: local.signingKey)
    #expect(record.position(operation: local.operation, key: key) == nil)
    #expect(record.trackerContact(operation: local.operation, key: key) == stamp)
    #expect(record.telemetry(operation: local.operation, key: key)?.batteryPercent == 55)
  }

  @Test func `out of range is unknown`() {
    #expect(FixAge(.atLeast(milliseconds: FixAge.longest + 1)).isUnknown)
    #expect(FixAge(.exactly(milliseconds: -5)) == .none)
    #expect(FixAge(.unknown, heldMilliseconds: .max).heldMilliseconds == FixAge.longest)
    #expect(FixAge(.unknown, heldMilliseconds: .max).held(longerBy: .max).isUnknown)
  }
}
