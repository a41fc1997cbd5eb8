public import MusterModel

extension Phrase {
  /// Its key and its values; a value is a text, a number, a list or another phrase.
  public var json: JSON {
    .object(["key": .string(key.rawValue), "values": .object(values.mapValues(\.json))])
  }

  /// Reads what `json` wrote; nil for anything else, and for a key that this version lacks.
  public init?(_ json: JSON) {
    guard case .object(let members) = json, case .string(let name)? = members["key"],
      let key = PhraseKey(rawValue: name), case .object(let found)? = members["values"]
    else { return nil }
    let values = found.compactMapValues(Value.init)
    guard values.count == found.count else { return nil }
    self.init(key, values)
  }
}

extension Phrase.Value {
  fileprivate init?(_ json: JSON) {
    switch json {
    case .string(let text): self = .text(text)
    case .number(let digits):
      guard let number = Int64(digits) else { return nil }
      self = .number(number)
    case .object:
      guard let phrase = Phrase(json) else { return nil }
      self = .phrase(phrase)
    case .array(let elements):
      let values = elements.compactMap(Self.init)
      guard values.count == elements.count else { return nil }
      self = .list(values)
    default: return nil
    }
  }

  fileprivate var json: JSON {
    switch self {
    case .text(let text): .string(text)
    case .number(let number): .integer(number)
    case .phrase(let phrase): phrase.json
    case .list(let values): .array(values.map(\.json))
    }
  }
}
