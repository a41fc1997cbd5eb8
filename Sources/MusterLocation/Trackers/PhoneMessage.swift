internal import Foundation

/// A message that a phone posts as JSON.
protocol PhoneMessage: Decodable {}

extension PhoneMessage {
  /// Parses a body of at most so many bytes.
  static func decode(_ body: [UInt8], upTo longest: Int) throws(ReadingFault) -> Self {
    guard body.count <= longest else { throw .tooLong }
    do {
      return try JSONDecoder().decode(Self.self, from: Data(body))
    } catch {
      throw .malformed
    }
  }
}
