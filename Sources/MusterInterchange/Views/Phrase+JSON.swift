public import MusterModel

extension Phrase {
  /// Its key and its values; a value is a text, a number, a list or another phrase.
  public var json: JSON {
    .object(["key": .string(key.rawValue), "values": .object(values.mapValues(\.json))])
  }
}

extension Phrase.Value {
  fileprivate var json: JSON {
    switch self {
    case .text(let text): .string(text)
    case .number(let number): .integer(number)
    case .phrase(let phrase): phrase.json
    case .list(let values): .array(values.map(\.json))
    }
  }
}
