public import MusterModel
internal import MusterReplica

/// A page of the changes of a set, for clients that keep a copy.
public struct SyncPage: Sendable {
  /// What a row shows.
  public enum Content: Sendable {
    /// A person or a tracker.
    case user(UserSummary)
    /// A report, without the progress of its photos.
    case report(ReportSummary)
    /// A geofence.
    case fence(FenceSummary)
    /// The row was deleted, or has not arrived whole.
    case deleted
  }

  /// A changed row.
  public struct Item: Sendable {
    /// When the row last changed here, and how often.
    public let change: RowChange
    /// The row now.
    public let content: Content
  }

  /// In the order of their changes.
  public let items: [Item]
  /// The moment of the newest change of the set.
  public let newestMoment: Int64
  /// The position after the items; nil on the last page.
  public let next: RowChangePosition?
}

/// Delta sync.
extension Node {
  /// Returns the rows of a set that changed after a position, in the order in which they changed at
  /// this node.
  public func syncPage(
    of set: SyncedSet, after position: RowChangePosition, limit: Int
  ) throws -> SyncPage {
    try read { replica, now in
      let changes = try replica.queries.changes(of: set, after: position, limit: limit + 1)
      let page = changes.prefix(limit)
      let contents = try Self.contents(of: page.map(\.row), in: set, &replica, now)
      let next = page.last.map { RowChangePosition(moment: $0.moment, row: $0.row) }
      return SyncPage(
        items: page.map { SyncPage.Item(change: $0, content: contents[$0.row] ?? .deleted) },
        newestMoment: try replica.queries.newestMoment(of: set),
        next: changes.count > limit ? next : nil)
    }
  }

  /// Returns the moment of the newest change of a set; 0 before the first.
  public func newestMoment(of set: SyncedSet) throws -> Int64 {
    try read { replica, _ in try replica.queries.newestMoment(of: set) }
  }

  /// Returns a row with its last change. Throws `Refusal` for an unknown row.
  public func syncItem(of set: SyncedSet, _ kind: EntityKind, named reference: String) throws
    -> SyncPage.Item?
  {
    try read { replica, now in
      let row = try replica.queries.row(kind, named: reference)
      guard let change = try replica.queries.change(of: row, in: set) else { return nil }
      let contents = try Self.contents(of: [row], in: set, &replica, now)
      return SyncPage.Item(change: change, content: contents[row] ?? .deleted)
    }
  }

  private static func contents(
    of rows: [RowID], in set: SyncedSet, _ replica: inout Replica, _ now: ClockReading
  ) throws -> [RowID: SyncPage.Content] {
    guard !rows.isEmpty else { return [:] }
    var contents: [RowID: SyncPage.Content] = [:]
    switch set {
    case .users:
      for user in try replica.statuses(now: now).users() {
        contents[RowID(raw: user.id.raw)] = .user(user)
      }
    case .reports:
      for report in try replica.queries.reports(rows) { contents[report.id] = .report(report) }
    case .fences:
      for fence in try replica.queries.fences() { contents[fence.id] = .fence(fence) }
    }
    return contents
  }
}
