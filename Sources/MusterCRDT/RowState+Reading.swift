public import MusterModel

extension RowState {
  /// Every live value of a field, sorted by dot; several in a last-writer field are a conflict.
  public func values(of field: Field) -> [LiveValue] { live[field] ?? [] }

  /// The value that is shown where several are live.
  public func shown(_ field: Field) -> LiveValue? {
    values(of: field).min { LiveValue.isShownBefore($0, $1, in: field) }
  }

  /// The dots that a new write to this field saw, and so supersedes: at most
  /// `Limits.supersededDots`, the rest being left as conflicts for the next write.
  public func dots(of field: Field) -> [Dot] {
    values(of: field).prefix(Limits.supersededDots).map(\.dot)
  }

  /// Whether a flag is raised, or a set has any element: concurrent raising and lowering is raised.
  public func isSet(_ flag: Field) -> Bool { !values(of: flag).isEmpty }

  /// Whether the row is there for people to see.
  public var exists: Bool {
    guard let field = Field.existence(of: key.kind) else { return true }
    return isCreated && isSet(field) && !(key.kind == .fence && isSet(.fenceDeleted))
  }

  /// Last-writer fields in which people disagree, in field order.
  public var conflicts: [Field] {
    live.filter { $0.key.kind == .lastWriter && $0.value.count > 1 }.keys.sorted()
  }

  /// The earliest claimed time among the row's existences: a label.
  public var createdAt: Timestamp? {
    Field.existence(of: key.kind).flatMap { values(of: $0).map(\.writtenAt).min() }
  }

  /// The latest claimed time among all live values: a label.
  public var updatedAt: Timestamp? { live.values.joined().map(\.writtenAt).max() }

  /// Whether anything here counts towards the state hash.
  public var isEmpty: Bool { owner == nil || live.isEmpty }
}
