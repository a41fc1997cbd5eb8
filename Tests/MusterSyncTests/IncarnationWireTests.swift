import MusterModel
import Testing

@testable import MusterSync

@Suite("Records about lives")
struct IncarnationWireTests {
  private let order = RecordOrder(
    generation: 3, incarnation: Incarnation(raw: Bytes16(high: 1, low: 2)), counter: 9)

  private func incarnationName(_ generation: UInt32, _ number: UInt64) -> IncarnationName {
    IncarnationName(
      generation: generation, incarnation: Incarnation(raw: Bytes16(high: 7, low: number)))
  }

  @Test func `records of incarnations round-trip, and nothing else decodes as one`() throws {
    var cast = Cast(seed: 27)
    let local = cast.enrol(.relay)
    for count in [0, 1, Limits.namedIncarnations] {
      let incarnations = (0..<count).map { incarnationName(Limits.lastGeneration, UInt64($0)) }
      let record = LatestRecord.otherIncarnations(
        incarnations, operation: local.operation, certificate: local.certificate.hash, order: order,
        signedBy: local.signingKey)
      #expect(record.body.count == 20 * count)
      #expect(record.otherIncarnations == incarnations && record.clone == nil)
      let read = try LatestRecord(record.wire, operation: local.operation)
      #expect(read == record)
      #expect(read.isSigned(by: local.signingKey.publicKey, operation: local.operation))
      for length in [1, 19, 21, 20 * (Limits.namedIncarnations + 1)] {
        try expectRefused(record, body: [UInt8](repeating: 1, count: length), of: local)
      }
      try expectRefused(record, body: incarnationName(0, 1).body, of: local)
      try expectRefused(record, body: incarnationName(Limits.lastGeneration + 1, 1).body, of: local)
    }
  }

  @Test func `that two are in use survives the wire, byte for byte as it is written down`() throws {
    var cast = Cast(seed: 27)
    let local = cast.enrol(.member)
    let report = CloneReport(other: incarnationName(2, 5), noticedAt: Timestamp(milliseconds: -2))
    let record = LatestRecord.clone(
      report, operation: local.operation, certificate: local.certificate.hash, order: order,
      signedBy: local.signingKey)
    #expect(
      Hex.encode(record.body) == "00000002" + "0000000000000007" + "0000000000000005"
        + "fffffffffffffffe")
    #expect(record.clone == report && record.otherIncarnations == [report.other])
    #expect(try LatestRecord(record.wire, operation: local.operation) == record)
    for length in 0..<record.body.count {
      try expectRefused(record, body: Array(record.body.prefix(length)), of: local)
    }
    try expectRefused(record, body: record.body + [0], of: local)
    var sealed = record.wire
    sealed.epoch = .init(repeating: 1, count: 16)
    #expect(throws: WireError.self) { try LatestRecord(sealed, operation: local.operation) }
  }

  private func expectRefused(
    _ record: LatestRecord, body: [UInt8], of local: LocalDevice
  ) throws {
    var wire = record.wire
    wire.body = .init(body)
    #expect(throws: WireError.self) { try LatestRecord(wire, operation: local.operation) }
  }
}

extension IncarnationName {
  /// With any contents.
  fileprivate var body: [UInt8] {
    var writer = ByteWriter()
    append(to: &writer)
    return writer.bytes
  }
}
