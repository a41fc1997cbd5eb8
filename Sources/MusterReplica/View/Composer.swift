internal import MusterCRDT
internal import MusterModel

/// Turns what a person asks for into writes, each naming what was seen of its field.
struct Composer {
  private(set) var writes: [Write] = []
  private let state: RowState
  private let origin: RowOrigin?

  /// - Parameter origin: of the row, where the writes must carry it: when they create the row, or
  ///   leave in another lane than the one that did.
  init(_ state: RowState, origin: RowOrigin?) {
    self.state = state
    self.origin = origin
  }

  /// Puts a value into a field in place of what is there; leaves it alone when that is all it says.
  mutating func set(_ field: Field, to value: Value?) {
    guard let value else { return }
    let seen = state.values(of: field)
    if seen.count == 1, seen[0].value == value { return }
    add(field, value, supersedes: state.dots(of: field))
  }

  /// Raises or lowers a flag. Lowering takes away just what was seen; raising one that is up says
  /// so anew, so that it outlives a lowering that somebody makes at the same time.
  mutating func setFlag(_ field: Field, to isSet: Bool?) {
    guard let isSet, isSet || state.isSet(field) else { return }
    add(field, isSet ? .mark : nil, supersedes: state.dots(of: field))
  }

  mutating func insert(_ field: Field, _ value: Value, replacing dots: [Dot] = []) {
    add(field, value, supersedes: dots)
  }

  /// Takes elements of a set away by name.
  mutating func remove(_ field: Field, _ dots: [Dot]) {
    for first in stride(from: 0, to: dots.count, by: Limits.supersededDots) {
      let end = min(first + Limits.supersededDots, dots.count)
      add(field, nil, supersedes: Array(dots[first..<end]))
    }
  }

  /// What a person says of themselves, or is said for them by their login or the owner of their
  /// tracker: it takes away what command has said, and what their login has. Where there is any of
  /// that, it is said anew even if it is the same.
  mutating func claim(_ value: Value) {
    let fields = PersonFields(state.key.kind)
    var field = fields.claims[0]
    if case .relayedClaim = value { field = .userRelayedClaim }
    let others = (fields.claims.dropFirst() + [fields.override]).filter { $0 != field }
    if others.contains(where: state.isSet) {
      add(field, value, supersedes: state.dots(of: field))
      for other in others { takeAway(other) }
    } else {
      set(field, to: value)
    }
  }

  /// Takes away what is seen of a field; leaves it alone when there is nothing.
  mutating func takeAway(_ field: Field) {
    guard state.isSet(field) else { return }
    add(field, nil, supersedes: state.dots(of: field))
  }

  /// Puts words into a field, or takes away what is seen of it where there are none.
  mutating func setOrTakeAway(_ field: Field, _ text: String) {
    if text.isEmpty { takeAway(field) } else { set(field, to: .text(text)) }
  }

  /// Writes existence anew, so that an edit survives a concurrent deletion.
  mutating func assertExistence() {
    guard let field = Field.existence(of: state.key.kind) else { return }
    add(field, .mark, supersedes: state.dots(of: field))
  }

  mutating func removeExistence() {
    guard let field = Field.existence(of: state.key.kind) else { return }
    add(field, nil, supersedes: state.dots(of: field))
  }

  private mutating func add(_ field: Field, _ value: Value?, supersedes: [Dot]) {
    writes.append(
      Write(
        row: state.key.id, field: field, value: value, supersedes: supersedes, origin: origin))
  }
}
