internal import MusterCRDT
internal import MusterModel
internal import MusterSync

/// Converts a user's request into writes, each of which names what was seen of its field.
struct Composer {
  private(set) var writes: [Write] = []
  private let state: RowState
  private let origin: RowOrigin?

  /// - Parameter origin: the origin of the row, if the writes must contain it: when they create the
  ///   row, or are in another lane than the create.
  init(_ state: RowState, origin: RowOrigin?) {
    self.state = state
    self.origin = origin
  }

  /// Composes a new row, whose id follows from its origin.
  init(creating kind: EntityKind, origin: RowOrigin, operation: OperationID) {
    let id = RowID(operation: operation, origin: origin)
    self.init(RowState(key: RowKey(kind: kind, id: id)), origin: origin)
  }

  var row: RowID { state.key.id }

  /// Sets a field to a value, unless it already is the only value.
  mutating func set(_ field: Field, to value: Value?) {
    guard let value else { return }
    let seen = state.values(of: field)
    if seen.count == 1, seen[0].value == value { return }
    add(field, value, supersedes: state.dots(of: field))
  }

  /// Sets or clears a flag. Clearing supersedes only what was seen; setting a set flag writes it
  /// again, so that it survives a concurrent clear.
  mutating func setFlag(_ field: Field, to isSet: Bool?) {
    guard let isSet, isSet || state.isSet(field) else { return }
    add(field, isSet ? .mark : nil, supersedes: state.dots(of: field))
  }

  mutating func insert(_ field: Field, _ value: Value, replacing dots: [Dot] = []) {
    add(field, value, supersedes: dots)
  }

  /// Removes elements of a set by name.
  mutating func remove(_ field: Field, _ dots: [Dot]) {
    for first in stride(from: 0, to: dots.count, by: Limits.supersededDots) {
      let end = min(first + Limits.supersededDots, dots.count)
      add(field, nil, supersedes: Array(dots[first..<end]))
    }
  }

  /// Writes a self-report, or one by the person's login or the owner of their tracker. It
  /// supersedes command's statement and that of the login; if there is any, it is written again
  /// even if equal.
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

  /// Supersedes what is seen of a field; does nothing if it is empty.
  mutating func takeAway(_ field: Field) {
    guard state.isSet(field) else { return }
    add(field, nil, supersedes: state.dots(of: field))
  }

  /// Sets a field to a text, or clears it if the text is empty.
  mutating func setOrTakeAway(_ field: Field, _ text: String) {
    if text.isEmpty { takeAway(field) } else { set(field, to: .text(text)) }
  }

  /// Writes existence again, so that an edit survives a concurrent deletion.
  mutating func assertExistence() {
    guard let field = Field.existence(of: state.key.kind) else { return }
    add(field, .mark, supersedes: state.dots(of: field))
  }

  mutating func removeExistence() {
    guard let field = Field.existence(of: state.key.kind) else { return }
    add(field, nil, supersedes: state.dots(of: field))
  }

  /// Writes the shown values of fields again, except those that are written already: for a row that
  /// moves to a lane which arrives before the one with its create. Concurrent values stay.
  mutating func writeAgain(_ fields: [Field]) {
    for field in fields where !writes.contains(where: { $0.field == field }) {
      guard let shown = state.shown(field) else { continue }
      add(field, shown.value, supersedes: [shown.dot])
    }
  }

  private mutating func add(_ field: Field, _ value: Value?, supersedes: [Dot]) {
    writes.append(
      Write(
        row: state.key.id, field: field, value: value, supersedes: supersedes, origin: origin))
  }
}
