/// A text of the node as a key of the catalogue with values, so that each surface writes it in its
/// own language. Words that users chose, such as names, titles and notes, are values.
public struct Phrase: Codable, Hashable, Sendable {
  /// Which text it is.
  public let key: PhraseKey
  /// By the names of the placeholders. One that is missing is empty.
  public let values: [String: Value]

  /// What replaces a placeholder.
  public indirect enum Value: Codable, Hashable, Sendable {
    case text(String)
    case number(Int64)
    case phrase(Phrase)
    case list([Value])
  }

  /// Creates a text of the catalogue.
  public init(_ key: PhraseKey, _ values: [String: Value] = [:]) {
    (self.key, self.values) = (key, values)
  }

  /// A text that has no key: one that an older program stored, or that is written elsewhere.
  public init(verbatim text: String) { self.init(.text, ["text": .text(text)]) }

  /// The text for a case of an enumeration, such as `category.flood`; the name of the case if the
  /// catalogue has none.
  public init(_ group: String, _ word: some NamedCase, _ values: [String: Value] = [:]) {
    self =
      PhraseKey(rawValue: "\(group).\(word.name)").map { Phrase($0, values) }
      ?? Phrase(verbatim: word.name)
  }

  /// In English.
  public var text: String {
    if key == .text, case .text(let text)? = values["text"] { return text }
    return PhraseTemplate.english[key]?.text(with: values) ?? key.rawValue
  }
}

extension Phrase.Value: ExpressibleByStringLiteral {
  /// A text.
  public init(stringLiteral text: String) { self = .text(text) }

  /// A number.
  public static func count(_ count: Int) -> Self { .number(Int64(count)) }

  /// A text of the catalogue.
  public static func phrase(_ key: PhraseKey, _ values: [String: Self] = [:]) -> Self {
    .phrase(Phrase(key, values))
  }

  /// Texts of users.
  public static func texts(_ texts: [String]) -> Self { .list(texts.map(Self.text)) }

  /// In English.
  public var text: String { text(between: ", ") }

  func text(between separator: String) -> String {
    switch self {
    case .text(let text): text
    case .number(let number): "\(number)"
    case .phrase(let phrase): phrase.text
    case .list(let values): values.map(\.text).joined(separator: separator)
    }
  }
}

/// A text of the catalogue, parsed:
///
///     {name}         a value; of a list, its members with commas between them
///     {name: or }    of a list, its members with these words between them
///     [: {note}]     left out if a value in it is empty
///     one|other      two forms, the first if the value `n` is 1
struct PhraseTemplate: Sendable {
  static let english = PhraseKey.english.mapValues(PhraseTemplate.init)

  private enum Part {
    case words(String)
    case value(String, separator: String)
    case optional([Part])
  }

  private let forms: [[Part]]

  init(_ template: String) {
    forms = template.split(separator: "|", omittingEmptySubsequences: false).map {
      var rest = $0
      return Self.parts(of: &rest)
    }
  }

  func text(with values: [String: Phrase.Value]) -> String {
    let isOne = values["n"] == .number(1)
    return Self.text(of: (isOne ? forms.first : forms.last) ?? [], with: values) ?? ""
  }

  /// The names of the placeholders.
  var names: Set<String> {
    func names(_ parts: [Part]) -> [String] {
      parts.flatMap { part -> [String] in
        switch part {
        case .words: []
        case .value(let name, _): [name]
        case .optional(let parts): names(parts)
        }
      }
    }
    return Set(forms.flatMap(names))
  }

  /// Parses up to the end, or to the `]` of an optional segment.
  private static func parts(of rest: inout Substring) -> [Part] {
    var parts: [Part] = []
    while let next = rest.first, next != "]" {
      switch next {
      case "[":
        rest.removeFirst()
        parts.append(.optional(Self.parts(of: &rest)))
        rest = rest.dropFirst()
      case "{":
        let inner = rest.dropFirst().prefix { $0 != "}" }
        let name = inner.prefix { $0 != ":" }
        let separator = name.count < inner.count ? inner.dropFirst(name.count + 1) : ", "
        parts.append(.value(String(name), separator: String(separator)))
        rest = rest.dropFirst(inner.count + 2)
      default:
        let words = rest.prefix { !"[]{".contains($0) }
        parts.append(.words(String(words)))
        rest = rest.dropFirst(words.count)
      }
    }
    return parts
  }

  /// Returns nil if a value of an optional segment is empty.
  private static func text(
    of parts: [Part], with values: [String: Phrase.Value], isOptional: Bool = false
  ) -> String? {
    var text = ""
    for part in parts {
      switch part {
      case .words(let words): text += words
      case .value(let name, let separator):
        let value = values[name]?.text(between: separator) ?? ""
        if isOptional, value.isEmpty { return nil }
        text += value
      case .optional(let parts): text += Self.text(of: parts, with: values, isOptional: true) ?? ""
      }
    }
    return text
  }
}
