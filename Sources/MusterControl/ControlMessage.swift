internal import Foundation
internal import MusterNode

/// A message of the control channel as JSON, the one place where it is made and read.
///
/// JSON for the shape that `Codable` derives; ids are hexadecimal, bytes Base64. What a value may
/// be is checked by its type's `init(from:)`, so that nothing malformed passes this point.
enum ControlMessage {
  /// A `Request`, on one line.
  static func encode(_ request: Request) -> [UInt8] { json(request) }

  /// A `Reply`, on one line.
  static func encode(_ reply: Reply) -> [UInt8] { json(reply) }

  /// Throws `ControlFault.malformed`, which names another version, unless it is one of this one.
  static func request(_ bytes: some Sequence<UInt8>) throws(ControlFault) -> Request {
    try value(of: bytes, "command")
  }

  /// Throws `ControlFault.malformed`, which names another version, unless it is one of this one.
  static func reply(_ bytes: some Sequence<UInt8>) throws(ControlFault) -> Reply {
    try value(of: bytes, "answer")
  }

  private static func json(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    do {
      return Array(try encoder.encode(value))
    } catch {
      // Fails only for numbers that are not finite, and our types have integers only.
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
  /// What is wrong, and where, in one line.
  fileprivate var reason: String {
    switch self {
    case .keyNotFound(let key, let context): "\(Self.path(context, key)) is missing"
    case .valueNotFound(_, let context): "\(Self.path(context)) is missing"
    case .typeMismatch(_, let context), .dataCorrupted(let context):
      "\(Self.path(context)): \(context.debugDescription)"
    @unknown default: "unreadable"
    }
  }

  /// Without the numbers that stand for unnamed payloads.
  private static func path(_ context: Context, _ key: (any CodingKey)? = nil) -> String {
    let names = (context.codingPath + [key].compactMap(\.self)).map(\.stringValue)
    let path = names.filter { !$0.hasPrefix("_") }.joined(separator: ".")
    return path.isEmpty ? "the message" : path
  }
}
