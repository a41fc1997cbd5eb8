import MusterModel
import Testing

struct ByteReaderTests {
  @Test("what was written is read back, big-endian, lengths first")
  func roundTrip() throws {
    var writer = ByteWriter()
    writer.append(UInt8(0xFE))
    writer.append(UInt16(0x0102))
    writer.append(Int32(-2))
    writer.append(Int64.min)
    writer.append("né")
    writer.append(lengthPrefixed: [9, 8])
    writer.append(fixed: [7])
    writer.append(Dot(frame: Bytes16(high: 1, low: 2), index: 3))
    writer.append(Bytes32(prefix: .zero, suffix: Bytes16(high: 0, low: 5)))
    #expect(Hex.encode(writer.bytes.prefix(7)) == "fe0102fffffffe")
    var reader = ByteReader(writer.bytes)
    #expect(try reader.integer(UInt8.self) == 0xFE)
    #expect(try reader.integer(UInt16.self) == 0x0102)
    #expect(try reader.integer(Int32.self) == -2)
    #expect(try reader.integer(Int64.self) == .min)
    #expect(try reader.text() == "né")
    #expect(try reader.lengthPrefixed() == [9, 8])
    #expect(try reader.fixed(1) == [7])
    #expect(try reader.dot() == Dot(frame: Bytes16(high: 1, low: 2), index: 3))
    #expect(try reader.bytes32().suffix.low == 5)
    try reader.expectEnd()
  }

  @Test("a slice is read from where it starts")
  func slice() throws {
    var reader = ByteReader([1, 2, 3, 4][2...])
    #expect(reader.remaining == 2)
    #expect(try reader.integer(UInt16.self) == 0x0304)
    #expect(throws: DecodingFault.truncated) { try reader.integer(UInt8.self) }
  }

  @Test("counts and lengths beyond the remaining bytes are rejected before allocation")
  func hugeCounts() throws {
    let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3]
    #expect(throws: DecodingFault.truncated) {
      var reader = ByteReader(huge)
      return try reader.lengthPrefixed()
    }
    #expect(throws: DecodingFault.truncated) {
      var reader = ByteReader(huge)
      return try reader.text()
    }
    for width in [0, 1, 8, .max] {
      #expect(throws: DecodingFault.truncated) {
        var reader = ByteReader(huge)
        return try reader.count(ofAtLeast: width)
      }
    }
    for count in [-1, 8, .min, .max] {
      #expect(throws: DecodingFault.truncated) {
        var reader = ByteReader(huge)
        return try reader.fixed(count)
      }
    }
  }

  @Test("a count is accepted up to exactly what the remaining bytes could hold")
  func exactCount() throws {
    for (count, isRead) in [(UInt8(2), true), (3, false)] {
      var reader = ByteReader([0, 0, 0, count] + [UInt8](repeating: 0, count: 17))
      #expect(((try? reader.count(ofAtLeast: 8)) != nil) == isRead)
    }
  }

  @Test("a failed read consumes nothing")
  func failedRead() throws {
    var reader = ByteReader([1, 2, 3])
    #expect(throws: DecodingFault.truncated) { try reader.integer(UInt32.self) }
    #expect(reader.remaining == 3)
    #expect(throws: DecodingFault.trailingBytes) { try reader.expectEnd() }
  }

  @Test(
    "text that is not UTF-8 is rejected",
    arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xC3], [0xF4, 0x90, 0x80, 0x80]]
      as [[UInt8]])
  func malformedText(_ bytes: [UInt8]) {
    #expect(throws: DecodingFault.invalid("text is not UTF-8")) {
      var reader = ByteReader([0, 0, 0, UInt8(bytes.count)] + bytes)
      return try reader.text()
    }
  }
}
