internal import MusterCRDT
internal import MusterGeo
internal import MusterModel
internal import MusterStore

/// The fences, with who is inside.
struct FenceList {
  let context: ReadContext
  let zones: GeofenceMonitor.Zones

  /// Returns all fences by name. A fence whose outline has not arrived is omitted.
  func fences() throws -> [FenceSummary] {
    let positions = context.newestPositions(try context.devicePositions())
    return try context.store.rows(.fence).filter(\.exists).compactMap { row in
      try summary(row, positions: positions)
    }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
  }

  /// Returns the active fences that contain a position, by name.
  func fences(around place: Coordinate) throws -> [FenceSummary] {
    let holding = zones.prepared.filter { $0.value.contains(place) }
    guard !holding.isEmpty else { return [] }
    return try fences().filter { $0.isActive && holding[$0.id] != nil }
  }

  private func summary(
    _ row: RowState, positions: [UserID: DevicePosition]
  ) throws(StoreError) -> FenceSummary? {
    guard let prepared = zones.prepared[row.key.id] else { return nil }
    var inside: [String] = []
    for (user, position) in positions where prepared.contains(position.report.fix.position) {
      // A removed tracker.
      if let tracker = try context.trackerRow(user), !tracker.exists { continue }
      inside.append(try context.callsign(of: user))
    }
    return try Self.summary(row, inside: inside.sorted(), context)
  }

  /// Returns nil for a fence whose outline has not arrived.
  static func summary(
    _ row: RowState, inside: [String], _ context: ReadContext
  ) throws(StoreError) -> FenceSummary? {
    guard case .geometry(let geometry)? = row.shown(.fenceGeometry)?.value else { return nil }
    var summary = FenceSummary(
      id: row.key.id, name: row.text(.fenceName) ?? "", kind: row.fenceKind,
      isActive: row.isActiveFence, geometry: geometry,
      dwellSeconds: row.dwellSeconds, mode: row.fenceMode,
      needs: row.code(.fenceRole).flatMap(Role.init),
      properties: row.text(.fenceProperties) ?? "", inside: inside,
      conflicts: try context.conflicts(of: row),
      createdAt: row.createdAt ?? Timestamp(milliseconds: 0),
      updatedAt: row.updatedAt ?? Timestamp(milliseconds: 0))
    if case .time(let moment)? = row.shown(.fenceReviewAt)?.value { summary.reviewAt = moment }
    summary.rules = try ZoneRuleReader.summaries(of: row, in: context)
    summary.collection = row.text(.fenceCollection) ?? ""
    summary.authorship = try context.authorship(ofCreating: row)
    summary.alertsEntry = row.code(.fenceEntryAlert) != 0
    return summary
  }
}
