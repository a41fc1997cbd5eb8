// JSON encodings of types whose derived form would be long, or would accept what the type's own
// initializer rejects. Each `init(from:)` throws `DecodingError`.

extension Identifier {
  /// Decodes 32 hexadecimal digits.
  public init(from decoder: any Decoder) throws {
    self = try decoder.value("not \(Self.self)") { (text: String) in Self(hex: text) }
  }

  /// Encodes 32 hexadecimal digits.
  public func encode(to encoder: any Encoder) throws { try encoder.encode(description) }
}

extension Digest32 {
  /// Decodes 64 hexadecimal digits.
  public init(from decoder: any Decoder) throws {
    self = try decoder.value("not \(Self.self)") { (text: String) in
      Hex.decode(text).flatMap { Self(bytes: $0) }
    }
  }

  /// Encodes 64 hexadecimal digits.
  public func encode(to encoder: any Encoder) throws { try encoder.encode(description) }
}

extension Bytes32: Codable {
  /// Decodes 64 hexadecimal digits.
  public init(from decoder: any Decoder) throws {
    self = try decoder.value("not 32 bytes") { (text: String) in
      Hex.decode(text).flatMap { Bytes32($0) }
    }
  }

  /// Encodes 64 hexadecimal digits.
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(Hex.encode(bytes))
  }
}

extension Timestamp {
  /// Decodes a number of milliseconds since 1970.
  public init(from decoder: any Decoder) throws {
    self.init(milliseconds: try Int64(from: decoder))
  }

  /// Encodes milliseconds since 1970: exact, also outside the range of RFC 3339.
  public func encode(to encoder: any Encoder) throws { try encoder.encode(milliseconds) }
}

extension Coordinate {
  /// Decodes latitude and longitude in units of 1e-7 degrees. Rejects coordinates out of range.
  public init(from decoder: any Decoder) throws {
    self = try decoder.value("not on Earth") { (pair: [Int64]) in
      pair.count == 2 ? Self(latitudeE7: pair[0], longitudeE7: pair[1]) : nil
    }
  }

  /// Encodes latitude and longitude in units of 1e-7 degrees.
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([latitudeE7, longitudeE7])
  }
}

extension FenceGeometry {
  /// Decodes the bytes of `encoded`. Rejects what exceeds `Limits`.
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

  /// Encodes the bytes of `encoded`: short, and decoded with every check.
  public func encode(to encoder: any Encoder) throws { try encoder.encode(ByteString(encoded)) }
}

extension ChangeCounts {
  /// Decodes one count for each `Dataset`.
  public init(from decoder: any Decoder) throws {
    self = try decoder.value("not one count for each set") { (counts: [UInt64]) in
      ChangeCounts(counts)
    }
  }

  /// Encodes one count for each `Dataset`, in their order.
  public func encode(to encoder: any Encoder) throws { try encoder.encode(counts) }
}

extension Decoder {
  /// Decodes a single value and converts it to a validated type.
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
