import Foundation

/// An answer to a command with `--json`, as any program would read it.
enum JSON: Decodable, Hashable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSON].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSON].self))
    }
  }

  /// Null for what is not there.
  subscript(key: String) -> JSON {
    if case .object(let members) = self { members[key] ?? .null } else { .null }
  }

  /// Null beyond the end.
  subscript(index: Int) -> JSON { items.indices.contains(index) ? items[index] : .null }

  var items: [JSON] { if case .array(let items) = self { items } else { [] } }
  var keys: Set<String> {
    if case .object(let members) = self { Set(members.keys) } else { [] }
  }
  var text: String? { if case .string(let text) = self { text } else { nil } }
  var number: Double? { if case .number(let number) = self { number } else { nil } }
  var truth: Bool? { if case .bool(let truth) = self { truth } else { nil } }
}
