public import MusterModel

extension RowState {
  /// Every live value of a field, sorted by dot; several in a last-writer field are a conflict.
  public func values(of field: Field) -> [LiveValue] {
    live.filter { $0.field == field }.map(\.value)
  }

  /// The value that is shown if several are live.
  public func shown(_ field: Field) -> LiveValue? {
    let isRefuge = field == .fenceActive && shown(.fenceKind)?.value == Self.assemblyZone
    return values(of: field).min {
      LiveValue.isShownBefore($0, $1, in: field, isRefuge: isRefuge)
    }
  }

  private static let assemblyZone = Value.code(FenceKind.muster.rawValue)

  /// The dots that a new write to this field saw and therefore supersedes: at most
  /// `Limits.supersededDots`. The rest remain as conflicts for the next write.
  public func dots(of field: Field) -> [Dot] {
    values(of: field).prefix(Limits.supersededDots).map(\.dot)
  }

  /// Whether a flag is true, or a set has any element: concurrent true and false is true.
  public func isSet(_ flag: Field) -> Bool { live.contains { $0.field == flag } }

  /// Whether the row exists for users.
  public var exists: Bool {
    guard let field = Field.existence(of: key.kind) else { return true }
    return isCreated && isSet(field) && !(key.kind == .fence && isSet(.fenceDeleted))
  }

  /// The last-writer fields in conflict, in field order.
  public var conflicts: [Field] {
    var conflicts: [Field] = []
    for (entry, next) in zip(live, live.dropFirst())
    where entry.field == next.field && entry.field.kind == .lastWriter
      && conflicts.last != entry.field
    {
      conflicts.append(entry.field)
    }
    return conflicts
  }

  /// When the row was first written, also after edits, as its owner claims: a label. Nil while no
  /// existence is live.
  public var createdAt: Timestamp? {
    Field.existence(of: key.kind).flatMap { isSet($0) ? creation.firstAt : nil }
  }

  /// The latest claimed time of all live values: a label.
  public var updatedAt: Timestamp? { live.map(\.value.writtenAt).max() }

  /// Whether nothing here contributes to the state hash.
  public var isEmpty: Bool { owner == nil || live.isEmpty }
}
