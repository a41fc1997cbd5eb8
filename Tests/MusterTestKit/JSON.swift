import Foundation

/// The answer to a command with `--json`, as any program would parse it.
package enum JSON: Decodable, Hashable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  package init(from decoder: any Decoder) throws {
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

  /// Null for a missing member.
  package subscript(key: String) -> JSON {
    if case .object(let members) = self { members[key] ?? .null } else { .null }
  }

  /// Null beyond the end.
  package subscript(index: Int) -> JSON { items.indices.contains(index) ? items[index] : .null }

  package var items: [JSON] { if case .array(let items) = self { items } else { [] } }
  package var keys: Set<String> {
    if case .object(let members) = self { Set(members.keys) } else { [] }
  }
  package var text: String? { if case .string(let text) = self { text } else { nil } }
  package var number: Double? { if case .number(let number) = self { number } else { nil } }
  package var truth: Bool? { if case .bool(let truth) = self { truth } else { nil } }
  /// The sum of the members that are numbers.
  package func total(besides others: Set<String> = []) -> Double {
    guard case .object(let members) = self else { return 0 }
    return members.reduce(0) { others.contains($1.key) ? $0 : $0 + ($1.value.number ?? 0) }
  }
}
