/// Bytes that a JSON document carries as one Base64 string (RFC 4648 §4), which is a third longer
/// than the bytes. An array of numbers would be four times as long.
///
/// As a property wrapper it leaves the property an `[UInt8]` for its users.
@propertyWrapper
public struct ByteString: Hashable, Sendable {
  /// The bytes.
  public var wrappedValue: [UInt8]

  /// Wraps the initial value of a property.
  public init(wrappedValue: [UInt8]) { self.wrappedValue = wrappedValue }

  /// Wraps the payload of an enum case, which cannot have a property wrapper.
  public init(_ bytes: [UInt8]) { wrappedValue = bytes }

  /// The bytes of a payload.
  public var bytes: [UInt8] { wrappedValue }
}

extension ByteString: ExpressibleByArrayLiteral {
  /// Creates the value from an array literal.
  public init(arrayLiteral elements: UInt8...) { wrappedValue = elements }
}

extension ByteString: Codable {
  /// Decodes a Base64 string. Throws `DecodingError` unless it is canonical Base64.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let bytes = Base64.decode(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not Base64")
    }
    wrappedValue = bytes
  }

  /// Encodes the bytes as Base64 without line breaks.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Base64.encode(wrappedValue))
  }
}
