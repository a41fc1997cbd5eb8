import MusterCrypto
import MusterModel
import Testing

@testable import MusterSync

/// What position and presence records state about their device.
@Suite struct TelemetryWireTests {
  private struct Sealer {
    let cast: Cast
    let local: LocalDevice
    let key: SealingKey
    var random = DeterministicRandom(seed: Cast.seed(92))
    private let order = RecordOrder(
      generation: 1, incarnation: Incarnation(raw: Bytes16(high: 1, low: 2)), counter: 9)
    private let time = Timestamp(milliseconds: 1_750_000_000_000)

    init() throws {
      var cast = Cast(seed: 91)
      local = cast.enrol(.member)
      key = try #require(SealingKey(bytes: cast.epoch.key))
      self.cast = cast
    }

    mutating func position(_ telemetry: Telemetry, of tracker: Bytes16? = nil) throws
      -> LatestRecord
    {
      let place = try #require(Coordinate(latitudeE7: 460_500_000, longitudeE7: -145_000_000))
      return LatestRecord.position(
        PositionReport(fix: Fix(position: place, sampleTime: time), reportedAt: time),
        of: tracker, telemetry: telemetry, stamp: nil, operation: local.operation,
        certificate: local.certificate.hash, order: order, epoch: cast.epoch.id, key: key,
        nonce: random.nonce24(), signedBy: local.signingKey)
    }

    mutating func presence(_ percent: UInt8?) throws -> LatestRecord {
      let stamp = try #require(
        Stamp(boot: BootID(raw: Bytes16(high: 3, low: 4)), milliseconds: 5))
      return LatestRecord.presence(
        reportedAt: time, batteryPercent: percent,
        stamp: try #require(RecordStamp(stamp, echoes: [])), operation: local.operation,
        certificate: local.certificate.hash, order: order,
        epoch: cast.epoch.id, key: key, nonce: random.nonce24(), signedBy: local.signingKey)
    }

    func read(_ record: LatestRecord) -> Telemetry? {
      record.telemetry(operation: local.operation, key: key)
    }
  }

  @Test func `is sealed in the record, and read again`() throws {
    var sealer = try Sealer()
    let stated = [
      Telemetry.none, Telemetry(batteryPercent: 0), Telemetry(batteryPercent: 100),
      Telemetry(stillSeconds: 0), Telemetry(batteryPercent: 7, stillSeconds: Limits.spanSeconds),
    ]
    for telemetry in stated {
      #expect(sealer.read(try sealer.position(telemetry)) == telemetry)
      let tracker = Bytes16(high: 5, low: 6)
      #expect(sealer.read(try sealer.position(telemetry, of: tracker)) == telemetry)
    }
    #expect(sealer.read(try sealer.presence(nil)) == Telemetry.none)
    #expect(sealer.read(try sealer.presence(42)) == Telemetry(batteryPercent: 42))
  }

  @Test func `costs no byte if nothing is stated, and two for a battery`() throws {
    var sealer = try Sealer()
    let sizes = [
      try sealer.position(.none), try sealer.position(Telemetry(batteryPercent: 64)),
      try sealer.position(Telemetry(batteryPercent: 64, stillSeconds: 600)),
    ].map(\.body.count)
    #expect(sizes[1] - sizes[0] == 2 && sizes[2] - sizes[1] == 3)
  }

  @Test func `values out of range are not stated`() throws {
    #expect(Telemetry(batteryPercent: 101).batteryPercent == nil)
    #expect(Telemetry(stillSeconds: .max).stillSeconds == Limits.spanSeconds)
    let sealer = try Sealer()
    for wrong in [102, UInt32.max] {
      var content = WirePositionBody()
      content.batteryPercentPlusOne = wrong
      content.stillSecondsPlusOne = .max
      var record = LatestRecord(
        topic: RecordTopic(
          operation: sealer.local.operation, certificate: sealer.local.certificate.hash,
          kind: .position),
        kind: .position, certificate: sealer.local.certificate.hash,
        order: RecordOrder(
          generation: 1, incarnation: Incarnation(raw: Bytes16(high: 1, low: 2)), counter: 9),
        epoch: sealer.cast.epoch.id, body: [], signature: [])
      var random = DeterministicRandom(seed: Cast.seed(93))
      record.body = sealer.key.sealBody(
        content.bytes, drawn: random.nonce24(),
        additionalData: record.additionalData(operation: sealer.local.operation))
      #expect(sealer.read(record) == Telemetry(stillSeconds: Limits.spanSeconds))
    }
  }
}
