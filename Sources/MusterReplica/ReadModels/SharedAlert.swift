internal import MusterModel

/// What alerts have in common that stand for several findings (`AlertKind.isGroup`).
enum SharedAlert {
  /// The most names in a text.
  static let names = 8

  /// Lists the first names, and how many more there are.
  ///
  /// - Parameter count: of all, if only the first were read.
  static func list(_ names: [String], of count: Int? = nil) -> Phrase.Value {
    let shown = Array(names.prefix(Self.names))
    let more = (count ?? names.count) - shown.count
    guard more > 0 else { return .texts(shown) }
    return .phrase(.names, ["names": .texts(shown), "more": .count(more)])
  }
}

extension AlertTracker.FoldedCall {
  /// A finding that shares an alert with others.
  init(_ finding: AlertTracker.Finding) {
    self.init(id: finding.id, cause: finding.cause, level: finding.level)
  }
}
