/// A JSON document as it stands: numbers keep their digits, so that what is passed through is
/// not rounded.
indirect enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// The digits, in JSON's grammar.
  case number(String)
  /// `NaN` and its like, which some tools write and JSON does not know. Read only so that a
  /// refusal can say where it stands.
  case notNumber(String)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// What it is, for messages.
  var kind: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let text), .notNumber(let text): text.count > 30 ? "a long number" : text
    case .string: "a text"
    case .array: "a list"
    case .object: "an object"
    }
  }

  var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  var elements: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  var members: [String: JSONValue]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// The first `notNumber` in it.
  var firstNotNumber: String? {
    switch self {
    case .notNumber(let text): text
    case .array(let elements): elements.lazy.compactMap(\.firstNotNumber).first
    case .object(let members):
      members.sorted { $0.key < $1.key }.lazy.compactMap(\.value.firstNotNumber).first
    default: nil
    }
  }
}
