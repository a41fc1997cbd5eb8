import MusterModel

/// One letter of the alphabet of small histories: one author's frame, before its supersedes are
/// chosen.
struct Letter {
  let author: Author
  let strokes: [Stroke]

  struct Stroke {
    let field: Field
    let value: Value?
    var givesOrigin = false
    /// Whether it supersedes its author's earlier writes without naming them.
    var takesEarlier = false
  }

  init(_ author: Author, _ strokes: Stroke...) {
    self.author = author
    self.strokes = strokes
  }
}

extension Letter.Stroke {
  static func sets(_ field: Field, givingOrigin: Bool = false) -> Self {
    Self(field: field, value: field.example, givesOrigin: givingOrigin)
  }

  static func clears(_ field: Field) -> Self { Self(field: field, value: nil) }

  var takingEarlier: Self {
    Self(field: field, value: value, givesOrigin: givesOrigin, takesEarlier: true)
  }
}

/// Which dots of the earlier frames a write may name.
enum Sight {
  /// Dots written to its own field.
  case field
  /// All dots, including those that a faulty or hostile author names in the wrong field.
  case everything
}

/// Every frame that one of the letters can form after a history, in which each write supersedes
/// each subset of the earlier dots. `name` is its hash, whose order has no meaning.
func everyFrame(
  spelling letters: [Letter], after history: [WrittenFrame], in key: RowKey, name: UInt64,
  sight: Sight = .field
) -> [WrittenFrame] {
  letters.flatMap { letter in
    everySight(of: letter, after: history, in: key, sight).map { writes in
      WrittenFrame(
        name, by: letter.author, sequence: UInt32(history.count) + 1, writes)
    }
  }
}

private func everySight(
  of letter: Letter, after history: [WrittenFrame], in key: RowKey, _ sight: Sight
) -> [[Write]] {
  everyChoice(
    from: letter.strokes.map { stroke in
      let seen = history.flatMap { frame in
        switch sight {
        case .field: frame.dots(of: stroke.field)
        case .everything: frame.writes.indices.map { frame.dot($0) }
        }
      }
      return seen.subsets.map { supersedes in
        Write(
          row: key.id, field: stroke.field, value: stroke.value, supersedes: supersedes,
          takesEarlier: stroke.takesEarlier, origin: stroke.givesOrigin ? key.origin : nil)
      }
    })
}
