internal import MusterCRDT
internal import MusterModel
internal import MusterStore

/// The permits to be in hazard zones.
struct PermitList {
  let context: ReadContext

  /// Returns all permits: those not revoked first, then the newest.
  func permits() throws -> [PermitSummary] {
    var permits: [PermitSummary] = []
    for row in try context.store.rows(.permit) where row.exists {
      permits.append(try summary(of: row))
    }
    return permits.sorted { left, right in
      if left.isRevoked != right.isRevoked { return right.isRevoked }
      return left.issuedAt != right.issuedAt
        ? left.issuedAt > right.issuedAt : left.id < right.id
    }
  }

  private func summary(of row: RowState) throws(StoreError) -> PermitSummary {
    var people: [String] = []
    for case .reference(let id) in row.values(of: .permitUsers).map(\.value) {
      people.append(try context.callsign(of: UserID(raw: id.raw)))
    }
    var zone = RowID(raw: .zero)
    if case .reference(let id)? = row.shown(.permitZone)?.value { zone = id }
    let fence = try context.store.row(RowKey(kind: .fence, id: zone))
    return PermitSummary(
      id: row.key.id, people: people.sorted(), team: row.text(.permitTeam) ?? "", zone: zone,
      zoneName: fence?.text(.fenceName) ?? "", durationSeconds: row.permitDurationSeconds ?? 0,
      isRevoked: row.isSet(.permitRevoked),
      callsign: try context.authorship(ofCreating: row),
      issuedAt: row.createdAt ?? Timestamp(milliseconds: 0))
  }
}
