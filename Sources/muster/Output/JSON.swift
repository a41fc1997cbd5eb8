internal import Foundation
internal import MusterModel

/// One JSON document as programs read it: keys in order, on one line, nothing left out: what is not
/// known is null.
indirect enum JSON: Hashable, Encodable {
  case null
  case bool(Bool)
  case integer(Int64)
  case unsigned(UInt64)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .unsigned(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let values): try container.encode(values)
    case .object(let values): try container.encode(values)
    }
  }

  var text: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }
}

extension JSON {
  static func count(_ value: Int) -> JSON { .integer(Int64(value)) }
  static func id(_ identifier: some Identifier) -> JSON { .string(identifier.description) }
  static func time(_ timestamp: Timestamp) -> JSON { .string(timestamp.description) }
  static func strings(_ values: [String]) -> JSON { .array(values.map(JSON.string)) }

  /// Null for what is not known.
  static func known<T>(_ value: T?, _ make: (T) -> JSON) -> JSON { value.map(make) ?? .null }

  /// `lat` and `lon`, in degrees with up to seven decimals.
  static func place(_ coordinate: Coordinate?) -> [String: JSON] {
    [
      "lat": known(coordinate) { .number($0.latitude) },
      "lon": known(coordinate) { .number($0.longitude) },
    ]
  }

  static func metres(decimetres: UInt32?) -> JSON {
    known(decimetres) { .number(Double($0) / 10) }
  }

  func adding(_ more: [String: JSON]) -> JSON {
    guard case .object(let members) = self else { return self }
    return .object(members.merging(more) { $1 })
  }
}
