import MusterCrypto
import MusterModel
import SwiftProtobuf
import Testing

@testable import MusterSync

@Suite("Stamps on the wire")
struct StampWireTests {
  private let boot = BootID(raw: Bytes16(high: 7, low: 8))
  private let echoes = (1...4).map { StampedRecordID(raw: Bytes16(high: 9, low: $0)) }

  private func stamp(
    _ milliseconds: Int64 = 86_400_000, echoing echoes: [StampedRecordID]? = nil
  ) throws -> RecordStamp {
    let reading = try #require(Stamp(boot: boot, milliseconds: milliseconds))
    return try #require(RecordStamp(reading, echoes: echoes))
  }

  @Test func `read back as they were written`() throws {
    for stamp in [
      try stamp(0), try stamp(Stamp.last), try stamp(echoing: []), try stamp(echoing: echoes),
    ] {
      #expect(RecordStamp(stamp.wire) == stamp)
      #expect(RecordStamp(try WireStamp(parsing: stamp.wire.bytes)) == stamp)
    }
  }

  @Test func `of another form are none`() throws {
    func isNone(_ change: (inout WireStamp) throws -> Void) throws -> Bool {
      var wire = try stamp(echoing: echoes).wire
      try change(&wire)
      return RecordStamp(wire) == nil
    }
    #expect(try isNone { $0.boot = .init([1, 2, 3]) })
    #expect(try isNone { $0.boot = .init() })
    #expect(try isNone { $0.milliseconds = 1 << 48 + 1 })
    #expect(try isNone { $0.milliseconds = .max })
    #expect(try isNone { $0.isAnchor = false })
    #expect(try isNone { $0.echoes.append(0) })
    #expect(try isNone { $0.echoes.append(contentsOf: [UInt8](repeating: 1, count: 16)) })
    #expect(RecordStamp(WireStamp()) == nil)
  }

  @Test func `a malformed one leaves the position, the presence and the frame as they are`() throws
  {
    var cast = Cast(seed: 81)
    let local = cast.enrol(.member)
    let key = try #require(SealingKey(bytes: cast.epoch.key))
    let bad = WireStamp.with { $0.boot = .init([1]) }
    let body = WireFrameBody.with {
      $0.writtenAt = 5
      $0.stamp = bad
    }
    let read = try FrameBody(decoding: body.bytes, writesAt: nil)
    #expect(read == FrameBody(writtenAt: Timestamp(milliseconds: 5), contents: .operations([])))
    var random = DeterministicRandom(seed: Cast.seed(82))
    let order = RecordOrder(
      generation: 1, incarnation: Incarnation(raw: Bytes16(high: 1, low: 2)), counter: 9)
    func sealed(_ plaintext: [UInt8], _ kind: RecordKind) -> LatestRecord {
      let data = LatestRecord.additionalData(
        operation: local.operation, kind: kind, certificate: local.certificate.hash, order: order,
        epoch: cast.epoch.id)
      let topic = RecordTopic(
        operation: local.operation, certificate: local.certificate.hash, kind: kind)
      return LatestRecord(
        topic: topic, kind: kind, certificate: local.certificate.hash, order: order,
        epoch: cast.epoch.id,
        body: key.sealBody(plaintext, drawn: random.nonce24(), additionalData: data),
        signature: []
      ).signed(by: local.signingKey, operation: local.operation)
    }
    let position = WirePositionBody.with {
      $0.fix.position.latitudeE7 = 1
      $0.stamp = bad
    }
    let report = try #require(
      sealed(position.bytes, .position).position(operation: local.operation, key: key))
    #expect(report.report.fix.position.latitudeE7 == 1 && report.stamp == nil)
    let presence = WirePresenceBody.with {
      $0.reportedAt = 7
      $0.stamp = bad
    }
    let present = try #require(
      sealed(presence.bytes, .presence).presence(operation: local.operation, key: key))
    #expect(present.reportedAt.milliseconds == 7 && present.stamp == nil)
  }

  @Test func `cost the bytes that the record of the decision gives`() throws {
    var cast = Cast(seed: 83)
    let local = cast.enrol(.member)
    let key = try #require(SealingKey(bytes: cast.epoch.key))
    var random = DeterministicRandom(seed: Cast.seed(84))
    let order = RecordOrder(
      generation: 1, incarnation: Incarnation(raw: Bytes16(high: 1, low: 2)), counter: 1 << 32)
    let wall = Timestamp(milliseconds: 1_800_000_000_000)
    let place = try #require(Coordinate(latitudeE7: 460_500_000, longitudeE7: -145_000_000))
    let fix = Fix(position: place, accuracyDecimetres: 50, sampleTime: wall)
    func position(_ stamp: RecordStamp?) -> LatestRecord {
      .position(
        PositionReport(fix: fix, reportedAt: wall), stamp: stamp, operation: local.operation,
        certificate: local.certificate.hash, order: order, epoch: cast.epoch.id, key: key,
        nonce: random.nonce24(), signedBy: local.signingKey)
    }
    let (plain, anchor) = (try stamp(), try stamp(echoing: echoes))
    let presence = LatestRecord.presence(
      reportedAt: wall, stamp: anchor, operation: local.operation,
      certificate: local.certificate.hash, order: order, epoch: cast.epoch.id, key: key,
      nonce: random.nonce24(), signedBy: local.signingKey)
    let sizes = [
      plain.encodedSize, anchor.encodedSize, position(nil).wire.bytes.count,
      position(plain).wire.bytes.count, position(anchor).wire.bytes.count,
      presence.wire.bytes.count,
    ]
    print("bytes with stamps:", sizes)
    #expect(sizes[0] <= 26 && sizes[1] <= 94)
    #expect(sizes[3] == sizes[2] + plain.encodedSize)
    #expect(sizes[4] <= sizes[2] + anchor.encodedSize + 2)
    #expect(sizes[5] <= 300)
  }
}
