internal import Foundation
public import MusterModel

/// A JSON document. Numbers keep their digits, so that passing a value through does not round it.
public indirect enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  /// The digits, in JSON's grammar.
  case number(String)
  /// `NaN` and similar, which some tools write and JSON does not allow. Parsed only so that the
  /// fault can state its position.
  case notNumber(String)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  /// The most bytes of a document.
  public static let mostBytes = JSONReader.mostBytes

  /// Parses a whole document (RFC 8259) with bounded depth and size; rejects a duplicate key.
  public static func read(_ bytes: [UInt8]) throws(GeoJSONFault) -> JSON {
    try JSONReader.value(of: Data(bytes))
  }

  /// The compact form on one line, with sorted keys; unknown values are null.
  public var text: String { JSONWriter.compact(self) }

  /// A description for messages.
  public var kind: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let text), .notNumber(let text): text.count > 30 ? "a long number" : text
    case .string: "a text"
    case .array: "a list"
    case .object: "an object"
    }
  }

  /// The value of a text.
  public var word: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The elements of a list.
  public var elements: [JSON]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members of an object.
  public var members: [String: JSON]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// The first `notNumber` in the document.
  public var firstNotNumber: String? {
    switch self {
    case .notNumber(let text): text
    case .array(let elements): elements.lazy.compactMap(\.firstNotNumber).first
    case .object(let members):
      members.sorted { $0.key < $1.key }.lazy.compactMap(\.value.firstNotNumber).first
    default: nil
    }
  }
}

// MARK: - Making

extension JSON {
  /// An integer.
  public static func integer(_ value: Int64) -> JSON { .number(String(value)) }

  /// An integer.
  public static func unsigned(_ value: UInt64) -> JSON { .number(String(value)) }

  /// A count.
  public static func count(_ value: Int) -> JSON { .number(String(value)) }

  /// The shortest digits that parse to the same value; null if not finite.
  public static func real(_ value: Double) -> JSON {
    guard value.isFinite else { return .null }
    let digits = "\(value)"
    return .number(digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits)
  }

  /// The hexadecimal digits of an identifier.
  public static func id(_ identifier: some Identifier) -> JSON { .string(identifier.description) }

  /// RFC 3339 in UTC.
  public static func time(_ timestamp: Timestamp) -> JSON { .string(timestamp.description) }

  /// A list of texts.
  public static func strings(_ values: [String]) -> JSON { .array(values.map(JSON.string)) }

  /// The value, or null if it is nil.
  public static func known<T>(_ value: T?, _ make: (T) -> JSON) -> JSON {
    value.map(make) ?? .null
  }

  /// `lat` and `lon`, in degrees with up to seven decimals.
  public static func place(_ coordinate: Coordinate?) -> [String: JSON] {
    [
      "lat": known(coordinate) { .number(Degrees.text($0.latitudeE7)) },
      "lon": known(coordinate) { .number(Degrees.text($0.longitudeE7)) },
    ]
  }

  /// Metres with one decimal.
  public static func metres(decimetres: UInt32?) -> JSON {
    known(decimetres) { .number(GeoJSON.decimal(Int64($0), places: 1)) }
  }

  /// Returns an object with more members; a new member replaces one with the same name.
  public func adding(_ more: [String: JSON]) -> JSON {
    guard case .object(let members) = self else { return self }
    return .object(members.merging(more) { $1 })
  }
}
