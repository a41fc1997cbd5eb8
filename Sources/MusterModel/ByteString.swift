/// Bytes that a JSON document carries as one Base64 string (RFC 4648 §4), a third longer than they
/// are, where an array of numbers would be four times as long.
///
/// As a property wrapper it leaves a property an `[UInt8]` for those who use it.
@propertyWrapper
public struct ByteString: Hashable, Sendable {
  /// The bytes themselves.
  public var wrappedValue: [UInt8]

  /// As a property wrapper does it.
  public init(wrappedValue: [UInt8]) { self.wrappedValue = wrappedValue }

  /// For the payload of an enum's case, which no wrapper can be applied to.
  public init(_ bytes: [UInt8]) { wrappedValue = bytes }

  /// The bytes of a payload.
  public var bytes: [UInt8] { wrappedValue }
}

extension ByteString: ExpressibleByArrayLiteral {
  /// As an array of bytes is written.
  public init(arrayLiteral elements: UInt8...) { wrappedValue = elements }
}

extension ByteString: Codable {
  /// Throws `DecodingError` unless there is canonical Base64.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let bytes = Base64.decode(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not Base64")
    }
    wrappedValue = bytes
  }

  /// Base64, without line breaks.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Base64.encode(wrappedValue))
  }
}
