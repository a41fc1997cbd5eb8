internal import Foundation
internal import MusterNode

/// The JSON encoding and decoding of control messages, in one place.
///
/// The JSON has the shape that `Codable` derives; ids are hexadecimal, bytes Base64. Each type's
/// `init(from:)` validates its values, so that nothing malformed is decoded.
enum ControlMessage {
  /// Encodes a `Request` on one line.
  static func encode(_ request: Request) -> [UInt8] { json(request) }

  /// Encodes a `Reply` on one line.
  static func encode(_ reply: Reply) -> [UInt8] { json(reply) }

  /// Decodes a request. Throws `ControlFault.malformed`, which mentions another version, for any
  /// other bytes.
  static func request(_ bytes: some Sequence<UInt8>) throws(ControlFault) -> Request {
    try value(of: bytes, "command")
  }

  /// Decodes a reply. Throws `ControlFault.malformed`, which mentions another version, for any
  /// other bytes.
  static func reply(_ bytes: some Sequence<UInt8>) throws(ControlFault) -> Reply {
    try value(of: bytes, "answer")
  }

  private static func json(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    do {
      return Array(try encoder.encode(value))
    } catch {
      // Fails only for numbers that are not finite, and our types contain only integers.
      preconditionFailure("\(value) cannot be encoded: \(error)")
    }
  }

  private static func value<Value: Decodable>(
    of bytes: some Sequence<UInt8>, _ name: String
  ) throws(ControlFault) -> Value {
    do {
      return try JSONDecoder().decode(Value.self, from: Data(bytes))
    } catch let error as DecodingError {
      throw .malformed("no \(name), or one of another version: \(error.reason)")
    } catch {
      throw .malformed("no \(name): \(error)")
    }
  }
}

extension DecodingError {
  /// The fault and its position, in one line.
  fileprivate var reason: String {
    switch self {
    case .keyNotFound(let key, let context): "\(Self.path(context, key)) is missing"
    case .valueNotFound(_, let context): "\(Self.path(context)) is missing"
    case .typeMismatch(_, let context), .dataCorrupted(let context):
      "\(Self.path(context)): \(context.debugDescription)"
    @unknown default: "unreadable"
    }
  }

  /// Joins the path without the numbers of unnamed payloads.
  private static func path(_ context: Context, _ key: (any CodingKey)? = nil) -> String {
    let names = (context.codingPath + [key].compactMap(\.self)).map(\.stringValue)
    let path = names.filter { !$0.hasPrefix("_") }.joined(separator: ".")
    return path.isEmpty ? "the message" : path
  }
}
