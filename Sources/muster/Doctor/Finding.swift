internal import MusterInterchange

/// The result of one check of the laptop.
struct Finding: Hashable, Sendable {
  enum State: String, Hashable, Sendable {
    case good
    /// A node runs, but with a limitation.
    case doubtful
    /// A node does not run, or not safely.
    case bad
  }

  /// The subject of the check, one or two words.
  let subject: String
  let state: State
  /// The result.
  let words: String
  /// What to do; empty if nothing.
  let advice: String

  static func good(_ subject: String, _ words: String) -> Finding {
    Finding(subject: subject, state: .good, words: words, advice: "")
  }

  static func doubtful(_ subject: String, _ words: String, _ advice: String) -> Finding {
    Finding(subject: subject, state: .doubtful, words: words, advice: advice)
  }

  static func bad(_ subject: String, _ words: String, _ advice: String) -> Finding {
    Finding(subject: subject, state: .bad, words: words, advice: advice)
  }
}

extension Finding {
  var cell: Table.Cell {
    switch state {
    case .good: .init("✔ good", .good)
    case .doubtful: .init("! check", .doubtful)
    case .bad: .init("✖ bad", .bad)
    }
  }

  var json: JSON {
    .object([
      "subject": .string(subject), "state": .string(state.rawValue), "words": .string(words),
      "advice": .string(advice),
    ])
  }
}
