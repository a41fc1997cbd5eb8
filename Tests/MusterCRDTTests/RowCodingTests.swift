import MusterModel
import Testing

@testable import MusterCRDT

struct RowCodingTests {
  /// Rows in intermediate states, with values, superseders and waiting writes.
  private static func rows(seeds: ClosedRange<UInt64>) throws -> [RowState] {
    try seeds.flatMap { try LongHistory(seed: $0).holders.map(\.row) }
  }

  @Test("a row is read back as it was written")
  func roundTrip() throws {
    for row in try Self.rows(seeds: 1...60) {
      #expect(try RowState(key: row.key, decoding: row.encoded()) == row)
    }
  }

  @Test("every prefix of a stored row is rejected")
  func truncation() throws {
    for row in try Self.rows(seeds: 1...4) {
      let bytes = row.encoded()
      for length in bytes.indices {
        #expect(throws: DecodingFault.self) {
          try RowState(key: row.key, decoding: Array(bytes[..<length]))
        }
      }
      #expect(throws: DecodingFault.trailingBytes) {
        try RowState(key: row.key, decoding: bytes + [0])
      }
    }
  }

  @Test("a stored row with one damaged byte is rejected or read, and never traps")
  func mutation() throws {
    var (refused, read) = (0, 0)
    for row in try Self.rows(seeds: 1...3) {
      let bytes = row.encoded()
      for place in bytes.indices {
        for damage: UInt8 in [0x01, 0x80, 0xFF] {
          var damaged = bytes
          damaged[place] ^= damage
          do throws(DecodingFault) {
            let row = try RowState(key: row.key, decoding: damaged)
            _ = (row.canonical, row.conflicts, row.updatedAt)
            read += 1
          } catch {
            refused += 1
          }
        }
      }
    }
    #expect(refused > 0 && read > 0)
  }

  @Test("a count beyond the remaining bytes allocates nothing")
  func hugeCount() {
    let origin = [UInt8](repeating: 0, count: 33)
    #expect(throws: DecodingFault.truncated) {
      try RowState(key: .report, decoding: origin + [0xFF, 0xFF, 0xFF, 0xFF])
    }
  }

  @Test("the canonical form omits pending writes")
  func pendingIsNotVisible() {
    // given a row that knows of a superseded title that has not arrived
    let title = WrittenFrame(1, by: .owner, sets: .reportTitle, to: .text("smoke"))
    let fire = WrittenFrame(2, by: .owner, sets: .reportTitle, to: .text("fire"), over: title)
    var holder = Holder(.report)
    holder.receive([.create, fire])
    let before = holder.row
    // when it arrives
    holder.receive(title)
    // then the visible state is unchanged, and its superseder is forgotten
    #expect(holder.row.canonical == before.canonical)
    #expect(before.superseders == 1 && holder.row.superseders == 0)
  }

  @Test("the canonical form is kind, id, origin and the fields in order")
  func canonicalForm() {
    var holder = Holder(.report)
    let severity = WrittenFrame(5, by: .owner, sets: .reportSeverity, to: .code(3))
    holder.receive([severity, .create])
    let zeros = [UInt8](repeating: 0, count: 7)
    let (owner, none) = (zeros + [1] + zeros + [0], zeros + [0])
    let name = { (number: UInt8) in zeros + [number] + none + [0, 0] }
    let time = { (seconds: Int64) in
      withUnsafeBytes(of: (seconds * 1000).bigEndian) { Array($0) }
    }
    var expected: [UInt8] = [2] + RowKey.report.id.bytes + [2]
    expected += owner + RowKey.report.origin.nonce.bytes + [0, 0, 0, 2]
    expected += [20, 0, 0, 0, 1] + name(100) + owner + [2] + time(100) + [6]
    expected += [24, 0, 0, 0, 1] + name(5) + owner + [2] + time(5) + [2, 3]
    #expect(holder.row.canonical == expected)
  }

  @Test("the canonical form marks and names the principals of a row and of its values")
  func canonicalFormOnBehalfOf() {
    let report = RowKey.report
    var row = RowState(key: report)
    var pending = PendingInMemory(applied: [])
    func write(
      _ number: UInt64, _ field: Field, _ value: Value, for principal: Principal, _ origin: Bool
    ) -> AuthoredWrite {
      AuthoredWrite(
        write: Write(
          row: report.id, field: field, value: value, origin: origin ? report.origin : nil),
        dot: Dot(frame: Bytes16(high: number, low: 0), index: 0), author: .owner,
        writtenAt: Timestamp(milliseconds: 0), onBehalfOf: principal)
    }
    let person = Bytes16(high: 0, low: 3)
    let writes = [
      write(1, .reportExistence, .mark, for: .login("Rui"), true),
      write(5, .reportSeverity, .code(3), for: .person(UserID(raw: person)), false),
    ]
    for (index, write) in writes.enumerated() {
      row.apply(
        write, at: LogPosition(log: 1, sequence: UInt32(index) + 1), beside: &pending)
    }
    let zeros = [UInt8](repeating: 0, count: 7)
    let (owner, none) = (zeros + [1] + zeros + [0], zeros + [0])
    let rui: [UInt8] = [4, 2, 0x52, 0x75, 0x69]
    var expected: [UInt8] = [2] + report.id.bytes + [0x82]
    expected += owner + report.origin.nonce.bytes + rui + [0, 0, 0, 2]
    expected += [20, 0, 0, 0, 1] + zeros + [1] + none + [0, 0] + owner + [0x82] + none + rui + [6]
    expected += [24, 0, 0, 0, 1] + zeros + [5] + none + [0, 0] + owner + [0x82] + none
    expected += [17, 1] + person.bytes + [2, 3]
    #expect(row.canonical == expected)
  }
}
