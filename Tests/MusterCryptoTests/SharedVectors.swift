import Foundation
import MusterModel

/// Published test vectors, kept beside the repository because they are large and not ours.
enum SharedVectors {
  static let absent = "no ../shared/vectors beside the repository"
  static var areHere: Bool { FileManager.default.fileExists(atPath: folder.path) }

  static func load<Contents: Decodable>(_ name: String, as type: Contents.Type) throws -> Contents {
    let data = try Data(contentsOf: folder.appendingPathComponent(name))
    return try JSONDecoder().decode(type, from: data)
  }

  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("../shared/vectors")
}

/// Bytes that a vector file writes in hexadecimal.
struct HexBytes: Decodable, Hashable, CustomStringConvertible {
  let bytes: [UInt8]

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let bytes = Hex.decode(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not hexadecimal")
    }
    self.bytes = bytes
  }

  var description: String { Hex.encode(bytes) }
}

/// The shape that all files of Project Wycheproof share.
struct WycheproofFile<Group: Decodable>: Decodable {
  let numberOfTests: Int
  let testGroups: [Group]
}

/// What an implementation must make of a case.
enum WycheproofResult: String, Decodable {
  case valid
  case invalid
  /// Both results are acceptable; each test states ours.
  case acceptable
}

/// Fixed bytes in a test's own text, which the test's author MUST have written correctly.
func hex(_ text: String) -> [UInt8] {
  guard let bytes = Hex.decode(text) else { preconditionFailure("not hexadecimal: \(text)") }
  return bytes
}
