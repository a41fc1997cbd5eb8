// How values appear in JSON where the shape that the compiler derives would be long, or would let
// in what the type's own initializer refuses. Each `init(from:)` throws `DecodingError`.

extension Identifier {
  /// From 32 hexadecimal digits.
  public init(from decoder: any Decoder) throws {
    self = try decoder.value("not \(Self.self)") { (text: String) in Self(hex: text) }
  }

  /// 32 hexadecimal digits.
  public func encode(to encoder: any Encoder) throws { try encoder.encode(description) }
}

extension Digest32 {
  /// From 64 hexadecimal digits.
  public init(from decoder: any Decoder) throws {
    self = try decoder.value("not \(Self.self)") { (text: String) in
      Hex.decode(text).flatMap { Self(bytes: $0) }
    }
  }

  /// 64 hexadecimal digits.
  public func encode(to encoder: any Encoder) throws { try encoder.encode(description) }
}

extension Timestamp {
  /// From a number of milliseconds since 1970.
  public init(from decoder: any Decoder) throws {
    self.init(milliseconds: try Int64(from: decoder))
  }

  /// Milliseconds since 1970: exact, also outside the years that RFC 3339 can write.
  public func encode(to encoder: any Encoder) throws { try encoder.encode(milliseconds) }
}

extension Coordinate {
  /// From latitude and longitude in units of 1e-7 degrees; refuses what is not on Earth.
  public init(from decoder: any Decoder) throws {
    self = try decoder.value("not on Earth") { (pair: [Int64]) in
      pair.count == 2 ? Self(latitudeE7: pair[0], longitudeE7: pair[1]) : nil
    }
  }

  /// Latitude and longitude in units of 1e-7 degrees.
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([latitudeE7, longitudeE7])
  }
}

extension FenceGeometry {
  /// From the bytes of `encoded`; refuses what exceeds `Limits`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    var reader = ByteReader(try container.decode(ByteString.self).bytes)
    do throws(DecodingFault) {
      self = try FenceGeometry(from: &reader)
      try reader.expectEnd()
    } catch {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "geometry: \(error)")
    }
  }

  /// The bytes of `encoded`: short, and read back with every check.
  public func encode(to encoder: any Encoder) throws { try encoder.encode(ByteString(encoded)) }
}

extension ChangeCounts {
  /// From one count for each `Dataset`.
  public init(from decoder: any Decoder) throws {
    self = try decoder.value("not one count for each set") { (counts: [UInt64]) in
      ChangeCounts(counts)
    }
  }

  /// One count for each `Dataset`, in their order.
  public func encode(to encoder: any Encoder) throws { try encoder.encode(counts) }
}

extension Decoder {
  /// The single value here, in a form that cannot be wrong.
  fileprivate func value<Form: Decodable, Value>(
    _ problem: String, _ convert: (Form) -> Value?
  ) throws -> Value {
    let container = try singleValueContainer()
    guard let value = convert(try container.decode(Form.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: problem)
    }
    return value
  }
}

extension Encoder {
  fileprivate func encode(_ value: some Encodable) throws {
    var container = singleValueContainer()
    try container.encode(value)
  }
}
