internal import MusterCRDT
internal import MusterModel
internal import MusterStore

/// The locate directives that request the position of this device.
struct LocationDemands: Sendable {
  /// Those that were reported to the node since the start.
  private var known: Set<RowID> = []

  /// Returns the demands among changed rows that were not reported since the start. From here on
  /// they are.
  mutating func take(
    among changed: [RowKey], in context: ReadContext
  ) throws(StoreError) -> [RowID] {
    var new: [RowID] = []
    for key in changed where key.kind == .directive && !known.contains(key.id) {
      guard let row = try context.store.row(key), try Self.includes(row, in: context) else {
        continue
      }
      known.insert(key.id)
      new.append(key.id)
    }
    return new
  }

  /// Whether an open directive requests the position.
  private static func includes(
    _ row: RowState, in context: ReadContext
  ) throws(StoreError) -> Bool {
    let local = context.local
    guard row.exists, row.directiveKind == .locate, row.isOpenDirective else { return false }
    let (own, role) = (local.author.user, local.author.role)
    let team = try context.store.row(RowKey(kind: .user, id: RowID(raw: own.raw)))?.text(.userTeam)
    return Audience(of: row).includes(
      own, role: role, team: team ?? "", isTracker: false, of: row.directiveKind, by: row.owner)
  }
}
