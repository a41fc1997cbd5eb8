internal import MusterCRDT
internal import MusterModel
internal import MusterStore

/// The locate directives that request the position of this device.
struct LocationDemands {
  let context: ReadContext

  /// Whether an open directive requests it.
  func includes(_ row: RowState) throws(StoreError) -> Bool {
    guard row.exists, row.directiveKind == .locate, row.isOpenDirective else { return false }
    let (own, role) = (context.local.author.user, context.local.author.role)
    let team = try context.store.row(RowKey(kind: .user, id: RowID(raw: own.raw)))?.text(.userTeam)
    return Audience(of: row).includes(
      own, role: role, team: team ?? "", isTracker: false, of: row.directiveKind, by: row.owner)
  }
}
