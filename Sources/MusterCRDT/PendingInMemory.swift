package import MusterModel

/// What waits beside rows that no store holds.
package struct PendingInMemory: PendingWrites, Hashable {
  /// Nil if all frames are applied, as for a writer, who has seen what it names.
  private var applied: Set<Bytes16>?
  private var waiting: [RowKey: [Dot: PlacedWrite]] = [:]
  private var superseders: [RowKey: [FieldDot: Set<Superseder>]] = [:]

  /// - Parameter applied: nil if all frames are applied.
  package init(applied: Set<Bytes16>?) { self.applied = applied }

  package mutating func noteApplied(_ frame: Bytes16) { applied?.insert(frame) }

  package func isApplied(_ frame: Bytes16) -> Bool { applied?.contains(frame) ?? true }

  package mutating func keep(_ write: PlacedWrite) {
    waiting[write.authored.write.key, default: [:]][write.dot] = write
  }

  package mutating func takeWrites(of row: RowKey) -> [PlacedWrite] {
    (waiting.removeValue(forKey: row) ?? [:]).values.sorted { $0.dot < $1.dot }
  }

  package mutating func keep(
    _ superseder: Superseder, of write: FieldDot, in row: RowKey
  ) -> Bool {
    superseders[row, default: [:]][write, default: []].insert(superseder).inserted
  }

  package mutating func takeSuperseders(of write: FieldDot, in row: RowKey) -> [Superseder] {
    defer { if superseders[row]?.isEmpty == true { superseders[row] = nil } }
    return Array(superseders[row]?.removeValue(forKey: write) ?? [])
  }

  /// Traps if a row contradicts what waits beside it.
  package func checkInvariants(beside row: RowState) {
    let named = superseders[row.key] ?? [:]
    precondition(
      row.waiting == waiting[row.key]?.count ?? 0, "\(row.key) counts its waiting writes wrongly")
    precondition(
      row.superseders == named.values.map(\.count).reduce(0, +),
      "\(row.key) counts its superseders wrongly")
    for entry in row.live {
      let superseders = named[FieldDot(field: entry.field, dot: entry.value.dot)] ?? []
      precondition(
        !superseders.contains { $0.covers(entry.value.author) },
        "\(entry.value.dot) is live and superseded")
    }
  }
}
