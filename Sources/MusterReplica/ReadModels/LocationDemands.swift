internal import MusterCRDT
internal import MusterModel
internal import MusterStore

/// The locate directives that request the position of this device.
struct LocationDemands {
  let context: ReadContext

  /// Returns the open ones that no fix of this device has answered since they were issued.
  func open() throws -> [RowID] {
    let newest = try context.devicePosition(of: context.local.device)?.report.reportedAt
    return try context.store.rows(.directive).filter { row in
      guard try includes(row) else { return false }
      guard let newest, let given = row.createdAt else { return true }
      return newest < given
    }.map(\.key.id)
  }

  /// Whether an open directive requests it.
  func includes(_ row: RowState) throws(StoreError) -> Bool {
    guard row.exists, row.directiveKind == .locate, row.isOpenDirective else { return false }
    let (own, role) = (context.local.author.user, context.local.author.role)
    let team = try context.store.row(RowKey(kind: .user, id: RowID(raw: own.raw)))?.text(.userTeam)
    return Audience(of: row).includes(
      own, role: role, team: team ?? "", isTracker: false, of: row.directiveKind, by: row.owner)
  }
}
