internal import MusterInterchange

/// One thing that a node needs of its laptop, and how it stands.
struct Finding: Hashable, Sendable {
  enum State: String, Hashable, Sendable {
    case good
    /// A node runs, and something will be missing.
    case doubtful
    /// A node does not run, or not safely.
    case bad
  }

  /// What was looked at, in a word.
  let subject: String
  let state: State
  /// What was seen.
  let words: String
  /// What to do about it; empty where nothing is to be done.
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
    case .doubtful: .init("! look", .doubtful)
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
