import MusterCrypto
import MusterModel
import Testing

@testable import MusterSync

@Suite("The neighbours of a device, in bytes")
struct NeighbourRecordTests {
  private var cast = Cast(seed: 90)

  private func neighbours(_ count: Int) throws -> [Neighbour] {
    try (0..<count).map { number in
      Neighbour(
        device: try #require(DevicePrefix(raw: UInt64(number) << 40 | 7)),
        path: NeighbourPath.allCases[number % 3], minutes: UInt16(number * 259))
    }
  }

  private func record(_ published: NeighbourRecord, by device: LocalDevice) throws -> LatestRecord {
    var random = DeterministicRandom(seed: Cast.seed(5))
    return LatestRecord.neighbours(
      published, operation: device.operation, certificate: device.certificate.hash,
      order: RecordOrder(
        generation: 1, incarnation: Incarnation(raw: Bytes16(high: 1, low: 2)), counter: 9),
      epoch: cast.epoch.id, key: try #require(SealingKey(bytes: cast.epoch.key)),
      nonce: random.nonce24(), signedBy: device.signingKey)
  }

  @Test func `it round-trips, and the maximum number fits a datagram`() throws {
    var cast = cast
    let local = cast.enrol(.member)
    let key = try #require(SealingKey(bytes: cast.epoch.key))
    for count in [0, 1, Limits.neighbours] {
      let published = NeighbourRecord(
        sentAt: Timestamp(milliseconds: count == 0 ? .min : 1_700_000_000_123),
        neighbours: try neighbours(count).shuffled())
      #expect(published.neighbours == (try neighbours(count)), "by device")
      let record = try record(published, by: local)
      #expect(record.body.count == 48 + 8 * count)
      let read = try LatestRecord(record.wire, operation: local.operation)
      #expect(read == record)
      #expect(read.isSigned(by: local.signingKey.publicKey, operation: local.operation))
      #expect(read.neighbourhood(operation: local.operation, key: key) == published)
      #expect(read.position(operation: local.operation, key: key) == nil)
      var announce = Announce(certificate: 1, incarnation: 2, counter: .max)
      announce.records = [record]
      let sealed = announce.datagram(
        rules: .current, operation: local.operation, networkKey: local.networkKey,
        nonce: Nonce24(bytes: [UInt8](repeating: 1, count: 24))!, signedBy: local.signingKey)
      #expect(sealed.count < Limits.datagramBytes - 2 * Limits.coveredDevices)
    }
  }

  @Test func `who lacks the key, as a relay does, reads nothing of it`() throws {
    var cast = cast
    let local = cast.enrol(.member)
    let published = NeighbourRecord(
      sentAt: Timestamp(milliseconds: 1), neighbours: try neighbours(3))
    let record = try record(published, by: local)
    let other = try #require(SealingKey(bytes: [UInt8](repeating: 3, count: 32)))
    #expect(record.neighbourhood(operation: local.operation, key: other) == nil)
    for neighbour in published.neighbours {
      let bytes = withUnsafeBytes(of: neighbour.device.raw.bigEndian) { Array($0.dropFirst(2)) }
      #expect(!record.body.indices.dropLast(6).contains { record.body[$0..<$0 + 6] == bytes[...] })
    }
  }

  @Test func `a body of a length that none has, and one without an epoch, is refused`() throws {
    var cast = cast
    let record = try record(
      NeighbourRecord(sentAt: Timestamp(milliseconds: 1), neighbours: try neighbours(64)),
      by: cast.enrol(.member))
    for length in 0...Limits.frameBodyBytes + 1 {
      var wire = record.wire
      wire.body = .init([UInt8](repeating: 7, count: length))
      let isRead = (try? LatestRecord(wire, operation: cast.operation)) != nil
      #expect(isRead == (length >= 48 && length <= 560 && length % 8 == 0), "\(length) bytes")
    }
    var bare = record.wire
    bare.epoch = .init()
    #expect(throws: WireError.self) { try LatestRecord(bare, operation: cast.operation) }
  }

  @Test func `what a member with the key makes up is refused, passed over or bounded`() throws {
    let three = NeighbourRecord(
      sentAt: Timestamp(milliseconds: 1), neighbours: try neighbours(3)
    ).encoded()
    // One device twice, and two out of order
    for (from, to) in [(8, 16), (16, 8)] {
      var bytes = three
      bytes.replaceSubrange(to..<to + 6, with: three[from..<from + 6])
      #expect(throws: WireError.malformed("neighbourhood")) { try NeighbourRecord(decoding: bytes) }
    }
    // A path of a later version
    var later = three
    later[22] &= 0x3F
    #expect(try NeighbourRecord(decoding: later).neighbours.count == 2)
    // More than the limit
    let crowd = [UInt8](repeating: 0, count: 8) + (0..<65).flatMap { [0, 0, 0, 0, 0, $0, 0x40, 0] }
    #expect(throws: WireError.self) { try NeighbourRecord(decoding: crowd) }
    #expect(try NeighbourRecord(decoding: crowd.dropLast(8)).neighbours.count == 64)
    // Every bit of it, and every length
    for length in 0...three.count {
      _ = try? NeighbourRecord(decoding: Array(three.prefix(length)))
    }
    for place in three.indices {
      for bit in 0..<8 {
        var bytes = three
        bytes[place] ^= 1 << bit
        if let read = try? NeighbourRecord(decoding: bytes) {
          #expect(read.neighbours.count <= 3)
        }
      }
    }
  }

  @Test func `more minutes than there is room for count as the most`() throws {
    let device = try #require(DevicePrefix(raw: 1 << 48 - 1))
    #expect(DevicePrefix(raw: 1 << 48) == nil)
    let published = NeighbourRecord(
      sentAt: Timestamp(milliseconds: 1),
      neighbours: [Neighbour(device: device, path: .uplink, minutes: .max)])
    let read = try NeighbourRecord(decoding: published.encoded())
    #expect(read == published && read.neighbours[0].minutes == 16_383)
  }
}
