import MusterModel
import Testing

struct BytesTests {
  /// Words that differ at every byte boundary and in the sign bit.
  private static let words: [UInt64] =
    [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, .max]
    + (1..<8).map { 1 << UInt64(8 * $0) }

  private static let sixteens = words.flatMap { high in
    words.map { Bytes16(high: high, low: $0) }
  }

  @Test("sixteen bytes are read back, and ordered as bytes are")
  func bytes16() throws {
    for left in Self.sixteens {
      try #require(Bytes16(left.bytes) == left)
      try #require(left.bytes.count == 16)
      for right in Self.sixteens {
        try #require((left < right) == left.bytes.lexicographicallyPrecedes(right.bytes))
      }
    }
  }

  @Test("thirty-two bytes are read back, and ordered as bytes are")
  func bytes32() throws {
    let some = Self.sixteens.indices.filter { $0.isMultiple(of: 23) }.map { Self.sixteens[$0] }
    let all = some.flatMap { prefix in some.map { Bytes32(prefix: prefix, suffix: $0) } }
    for left in all {
      try #require(Bytes32(left.bytes) == left)
      for right in all {
        try #require((left < right) == left.bytes.lexicographicallyPrecedes(right.bytes))
      }
    }
  }

  @Test("any other number of bytes is rejected")
  func lengths() {
    for count in 0...40 {
      let bytes = [UInt8](repeating: 7, count: count)
      #expect((Bytes16(bytes) != nil) == (count == 16))
      #expect((Bytes32(bytes) != nil) == (count == 32))
      #expect((RowID(bytes: bytes) != nil) == (count == 16))
      #expect((FrameHash(bytes: bytes) != nil) == (count == 32))
    }
  }

  @Test("the first byte is the most significant")
  func byteOrder() {
    let raw = Bytes16(Array(0..<16))
    #expect(raw == Bytes16(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F))
    #expect(Bytes32(Array(0..<32))?.prefix == raw)
  }

  @Test("hexadecimal digits of either case are read, lower case is written")
  func hex() {
    let all = [UInt8](0...255)
    #expect(Hex.decode(Hex.encode(all)) == all)
    #expect(Hex.decode(Hex.encode(all).uppercased()) == all)
    #expect(Hex.encode([0x00, 0xAB, 0xFF]) == "00abff")
    #expect(Hex.decode("") == [])
    for malformed in ["0", "0g", "g0", "0x", " 0", "0 ", "é0", "00-0", "٠٠"] {
      #expect(Hex.decode(malformed) == nil, "\(malformed)")
    }
  }

  @Test("ids are 32 digits, and are ordered as they are written")
  func identifiers() {
    let text = "00112233445566778899aabbccddeeff"
    let row = RowID(hex: text)
    #expect(row?.description == text)
    #expect(row?.short == "00112233")
    #expect(RowID(hex: String(text.dropLast())) == nil)
    #expect(RowID(hex: String(text.dropLast(2))) == nil)
    #expect(RowID(hex: text + "00") == nil)
    let ids = Self.sixteens.map(RowID.init(raw:))
    #expect(ids.sorted().map(\.description) == ids.map(\.description).sorted())
  }

  @Test("dots are ordered by frame, then by index")
  func dots() {
    let frames = [Bytes16(high: 0, low: 1), Bytes16(high: 1, low: 0)]
    let dots = frames.flatMap { frame in
      [0, 1, 255, 256, .max].map { Dot(frame: frame, index: $0) }
    }
    #expect(dots.shuffledByStride.sorted() == dots)
  }
}

struct OrderTests {
  @Test("of two records the higher generation is newer, then the incarnation, then the counter")
  func records() {
    let orders = [UInt32(0), 1, 1024].flatMap { generation in
      [Bytes16.zero, Bytes16(high: 1, low: 0)].flatMap { incarnation in
        [UInt64(0), 1, .max].map {
          RecordOrder(
            generation: generation, incarnation: Incarnation(raw: incarnation), counter: $0)
        }
      }
    }
    #expect(orders.shuffledByStride.sorted() == orders)
    for (left, right) in zip(orders, orders.dropFirst()) {
      #expect(left < right && !(right < left) && !(left < left))
    }
  }

  @Test("lanes are ordered by priority, rows by kind and then id")
  func lanesAndRows() {
    #expect(Lane.allCases.sorted() == [.control, .urgent, .state, .history])
    let rows = [EntityKind.user, .report, .fence].flatMap { kind in
      [0, 1].map { RowKey(kind: kind, id: RowID(raw: Bytes16(high: 0, low: $0))) }
    }
    #expect(rows.shuffledByStride.sorted() == rows)
  }

  @Test("coordinates are ordered by latitude, then longitude")
  func coordinates() {
    let places = [-5, 0, 5].flatMap { latitude in
      [-7, 0, 7].compactMap { Coordinate(latitudeE7: latitude, longitudeE7: $0) }
    }
    #expect(places.count == 9)
    #expect(places.shuffledByStride.sorted() == places)
  }

  @Test("endpoints are ordered by address, port and scope")
  func endpoints() {
    let endpoints = [[UInt8](repeating: 1, count: 4), [1, 1, 1, 2]].flatMap { address in
      [UInt16(1), 2].flatMap { port in
        [UInt32(0), 3].compactMap { Endpoint(address: address, port: port, scope: $0) }
      }
    }
    #expect(endpoints.count == 8)
    #expect(endpoints.shuffledByStride.sorted() == endpoints)
  }
}

extension Array {
  /// The same elements in another order, the same each time.
  fileprivate var shuffledByStride: [Element] {
    let step = [7, 5, 3, 2].first { count % $0 != 0 } ?? 1
    return indices.map { self[$0 * step % count] }
  }
}
